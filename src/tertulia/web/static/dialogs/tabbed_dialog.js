/** A dialog with tabs: settings, organization, a channel. Its address names the tab. */

import { setChildren, h } from "../core/html.js";
import { bindToAddress, changeAddress, focusFirst, openDialog, scopeOf } from "./dialog.js";

/** @typedef {{key: string, title: string, draw: (scope: import("../core/scope.js").Scope) =>
 *   import("../core/html.js").Child[] | Promise<import("../core/html.js").Child[]>}} Tab the scope ends when another
 *   tab is shown, or the dialog is closed */

/** @param {string} title
 * @param {string} base the address without the tab: `#settings`
 * @param {Tab[]} pages
 * @param {string | undefined} first */
export function openTabbedDialog(title, base, pages, first) {
  const inside = h("div", { class: "page-of fields" });
  const links = pages.map((page) =>
    h("button", { class: "row", type: "button", "data-page": page.key, onclick: () => show(page) }, page.title),
  );
  const nav = h("nav", { "aria-label": title }, ...links);
  const dialog = openDialog(title, [h("div", { class: "two" }, nav, inside)], { wide: true });
  if (location.hash.startsWith(base)) bindToAddress(dialog);

  const dialogScope = scopeOf(dialog);
  let scope = dialogScope.child();

  /** @param {Tab} page */
  async function show(page) {
    for (const link of links) {
      if (link.dataset.page === page.key) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    links.find((link) => link.dataset.page === page.key)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    scope.close();
    const own = (scope = dialogScope.child());
    const drawn = await Promise.resolve(page.draw(own)).catch((error) => [
      h("p", { class: "wrong", role: "alert" }, error.message),
    ]);
    if (own.isClosed) return; // another tab was selected meanwhile, or the dialog was closed
    setChildren(inside, ...drawn);
    inside.scrollTop = 0;
    changeAddress(dialog, `${base}/${page.key}`);
  }
  show(pages.find((page) => page.key === first) ?? pages[0]);
  focusFirst(dialog);
  return dialog;
}
