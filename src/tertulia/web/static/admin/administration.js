/** The administration of the organization: a dialog with sections. People who may not change a section can read it. */

import { setChildren, h } from "../core/html.js";
import { addTexts, formatNumber, t } from "../core/i18n.js";
import { realm } from "../state/session.js";
import { bindToAddress, focusFirst, openDialog } from "../dialogs/dialog.js";
import { SECTIONS } from "./sections.js";
import { adminTexts } from "./texts.js";

/** @typedef {import("./sections.js").Section} Section */

const BASE = "#organization";
const GROUPS = /** @type {const} */ (["organization", "people", "content", "oversight"]);

addTexts(adminTexts);

/** @param {{rest?: string[]}} [route] */
export function showAdministration(route) {
  const [first, ...rest] = route?.rest ?? [];
  const sections = SECTIONS.filter((section) => section.isShown?.() ?? true);
  const links = new Map(sections.map((section) => [section.key, sectionLink(section)]));
  const nav = h("nav", { "aria-label": t("admin.sections") }, ...GROUPS.flatMap((group) => groupOfLinks(group)));
  const pane = h("div", { class: "page-of pane" });
  const dialog = openDialog(realm("name") ?? "", [h("div", { class: "two" }, nav, pane)], { wide: true });
  dialog.classList.add("broad");
  if (location.hash.startsWith(BASE)) bindToAddress(dialog);

  /** @param {typeof GROUPS[number]} group */
  function groupOfLinks(group) {
    const own = sections.filter((section) => section.group === group);
    return own.length ? [h("h2", {}, t(`admin.group.${group}`)), h("ul", { class: "plain" }, ...own.map((section) => h("li", {}, links.get(section.key))))] : [];
  }

  /** @param {Section} section */
  function sectionLink(section) {
    const count = section.count?.();
    return h("button", { class: "row", type: "button", "data-page": section.key, onclick: () => show(section) }, h("span", { class: "t cut" }, t(section.title)), count !== undefined && h("span", { class: "n soft" }, formatNumber(count)));
  }

  let turn = 0;

  /** @param {Section} section
   * @param {string[]} [inner] what follows the section in the address */
  async function show(section, inner = []) {
    for (const [key, link] of links) {
      if (key === section.key) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    links.get(section.key)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const own = ++turn;
    const drawn = await Promise.resolve().then(() => section.draw({ rest: inner, setRest: (parts) => setAddress(section, parts), show: showKey }))
      .catch((error) => [h("p", { class: "wrong", role: "alert" }, error.message)]);
    if (own !== turn || !dialog.open) return; // another section was opened meanwhile, or the dialog was closed
    setChildren(pane, ...drawn);
    pane.scrollTop = 0;
    setAddress(section, inner);
  }

  /** @param {string} key
   * @param {string[]} [inner] */
  function showKey(key, inner) {
    show(sections.find((section) => section.key === key) ?? sections[0], inner);
  }

  /** @param {Section} section
   * @param {string[]} inner */
  function setAddress(section, inner) {
    if (location.hash.startsWith(BASE)) history.replaceState(history.state, "", [BASE, section.key, ...inner.map(encodeURIComponent)].join("/"));
    dialog.dataset.address &&= location.hash;
  }

  showKey(first ?? "", rest);
  focusFirst(dialog);
  return dialog;
}
