/** The administration of the organization: a dialog with sections, a search over all settings, and a foot that names
 * the changes before they are saved. People who may not change a section can read it. */

import { setChildren, h, icon } from "../core/html.js";
import { formatList, formatNumber, t } from "../core/i18n.js";
import { oneAtATime } from "../core/signals.js";
import { realm } from "../state/session.js";
import { bindToAddress, changeAddress, confirmAction, focusFirst, openDialog, scopeOf } from "../dialogs/dialog.js";
import { PendingChanges } from "./pending_changes.js";
import { SECTIONS } from "./sections.js";
import { searchResults } from "./setting_search.js";

/** @typedef {import("./sections.js").Section} Section */

const BASE = "#organization";
const GROUPS = /** @type {const} */ (["organization", "people", "content", "oversight"]);

/** @param {{rest?: string[]}} [route] */
export function showAdministration(route) {
  const [first, ...rest] = route?.rest ?? [];
  const sections = SECTIONS.filter((section) => section.isShown?.() ?? true);
  const links = new Map(sections.map((section) => [section.key, sectionLink(section)]));
  const nav = h("nav", { "aria-label": t("admin.sections") }, ...GROUPS.flatMap((group) => groupOfLinks(group)));
  const pane = h("div", { class: "page-of pane" });
  const find = h("input", {
    type: "search",
    "aria-label": t("admin.find"),
    placeholder: t("admin.find"),
    autocomplete: "off",
  });
  const changes = h("p", { class: "quiet", "aria-live": "polite" });
  const failure = h("p", { class: "wrong", role: "alert" });
  const save = h("button", { class: "b go", type: "button", onclick: oneAtATime(saveChanges) }, t("dialog.save"));
  const discard = h(
    "button",
    {
      class: "b",
      type: "button",
      onclick: () => {
        pending.discard();
        failure.textContent = "";
        redraw();
      },
    },
    t("admin.discard"),
  );
  const foot = h("footer", { hidden: true }, changes, failure, discard, save);
  const pending = new PendingChanges(drawFoot);
  const loading = pending.load();
  const dialog = openDialog(realm("name") ?? "", [h("div", { class: "two" }, nav, pane)], { wide: true });
  dialog.classList.add("broad");
  dialog
    .querySelector("header [data-close]")
    ?.before(h("div", { class: "big-find headfind" }, icon("search", "s"), find));
  dialog.append(foot);
  if (location.hash.startsWith(BASE)) bindToAddress(dialog);

  /** @param {typeof GROUPS[number]} group */
  function groupOfLinks(group) {
    const own = sections.filter((section) => section.group === group);
    return own.length
      ? [
          h("h2", {}, t(`admin.group.${group}`)),
          h("ul", { class: "plain" }, ...own.map((section) => h("li", {}, links.get(section.key)))),
        ]
      : [];
  }

  /** @param {Section} section */
  function sectionLink(section) {
    const count = section.count?.();
    return h(
      "button",
      {
        class: "row",
        type: "button",
        "data-page": section.key,
        onclick: () => {
          find.value = "";
          show(section);
        },
      },
      h("span", { class: "t cut" }, t(section.title)),
      count !== undefined && h("span", { class: "n soft" }, formatNumber(count)),
    );
  }

  const dialogScope = scopeOf(dialog);
  let scope = dialogScope.child();
  /** @type {Section} */
  let shown;
  /** @type {string[]} */
  let shownRest = [];

  /** @param {Section} section
   * @param {string[]} [inner] what follows the section in the address */
  async function show(section, inner = []) {
    shown = section;
    shownRest = inner;
    for (const [key, link] of links) {
      if (key === section.key) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    links.get(section.key)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const own = nextScope();
    const drawn = await loading
      .then(() =>
        section.draw({
          rest: inner,
          scope: own,
          pending,
          setRest: (parts) => {
            if (!own.isClosed) setAddress(section, parts);
          },
          show: showKey,
        }),
      )
      .catch((error) => [h("p", { class: "wrong", role: "alert" }, error.message)]);
    if (own.isClosed) return; // another section was opened meanwhile, or the dialog was closed
    pane.dataset.section = section.key;
    setChildren(pane, ...drawn);
    pane.scrollTop = 0;
    setAddress(section, inner);
  }

  /** Something else is shown. */
  function nextScope() {
    scope.close();
    return (scope = dialogScope.child());
  }

  /** @param {string} key
   * @param {string[]} [inner] */
  function showKey(key, inner) {
    show(sections.find((section) => section.key === key) ?? sections[0], inner);
  }

  /** @param {Section} section
   * @param {string[]} inner */
  function setAddress(section, inner) {
    shownRest = inner;
    changeAddress(dialog, [BASE, section.key, ...inner.map(encodeURIComponent)].join("/"));
  }

  /** Show what the search finds, or the section. */
  function redraw() {
    if (!find.value.trim()) return show(shown, shownRest);
    nextScope();
    setChildren(pane, ...searchResults(find.value, pending, sections, showKey));
    return undefined;
  }

  function drawFoot() {
    foot.hidden = pending.changes.size === 0;
    changes.textContent = pending.changes.size
      ? t("admin.changes", { count: pending.changes.size, names: formatList(pending.labels) })
      : "";
  }

  async function saveChanges() {
    failure.textContent = "";
    if (pane.querySelector(":invalid"))
      return /** @type {HTMLInputElement} */ (pane.querySelector(":invalid")).reportValidity();
    const warning = pane.querySelector("[data-setting=message_retention_days] .effect")?.textContent;
    if (
      warning &&
      pending.has("settings", "message_retention_days") &&
      !(await confirmAction(t("admin.retention-title"), warning, t("admin.retention-button")))
    )
      return undefined;
    try {
      await pending.save();
      const top = pane.scrollTop;
      await redraw();
      pane.scrollTop = top;
      links.get(shown.key)?.focus({ preventScroll: true }); // the button of the foot is gone
    } catch (error) {
      failure.textContent = /** @type {Error} */ (error).message;
    }
    return undefined;
  }

  /** Ask before a dialog with unsaved changes is closed. */
  async function askToLeave() {
    if (
      await confirmAction(
        t("admin.leave"),
        t("admin.leave-text", { names: formatList(pending.labels) }),
        t("admin.leave-button"),
      )
    ) {
      pending.discard();
      dialog.close();
    }
  }
  dialog.addEventListener("cancel", (event) => {
    if (event.target !== dialog || !pending.changes.size) return;
    event.preventDefault();
    askToLeave();
  });
  dialog.addEventListener(
    "click",
    (event) => {
      const target = /** @type {Element} */ (event.target);
      if (!pending.changes.size || (target !== dialog && !target.closest("[data-close]"))) return;
      event.stopImmediatePropagation();
      askToLeave();
    },
    { capture: true },
  );
  find.addEventListener("input", () => loading.then(redraw));

  showKey(first ?? "", rest);
  focusFirst(dialog);
  return dialog;
}
