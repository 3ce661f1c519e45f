/** The regions of the page that a view fills: a header, a body that scrolls, and a footer with the compose box.
 * Also toasts, and announcements for screen readers. */

import { setChildren, h, icon, iconButton } from "../core/html.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../core/html.js").Child} Child */
/** @typedef {{title: string, over?: Child[], tools?: Child[], isHome?: boolean, quiet?: boolean}} Header */

/** @param {string} selector
 * @returns {HTMLElement} */
export function region(selector) {
  return /** @type {HTMLElement} */ (document.querySelector(selector));
}

const phoneQuery = matchMedia("(max-width: 43.75rem)");

/** Whether the page has one column, and the sidebar slides over it. */
export function isPhone() {
  return phoneQuery.matches;
}

/** Fill the header: the title, a small line over it, and buttons.
 * @param {Header} heading */
export function setHeader({ title, over = [], tools = [], isHome = false }) {
  const button = isHome
    ? iconButton("menu", t("side.open"), { "data-do": "open-sidebar", "data-key": "menu" })
    : iconButton("back", t("side.back"), { "data-do": "back", "data-key": "back", flip: true });
  button.classList.add("only-phone");
  const name = h("h1", { class: "cut", id: "title", tabindex: -1 }, h("bdi", {}, title));
  const overLine = over.length ? h("div", { class: "over" }, ...over) : null;
  const head = region(".head");
  const next = h(
    "div",
    {},
    button,
    h("div", { class: "title" }, overLine, name),
    h("div", { class: "tools" }, ...tools),
  );
  const isSame =
    head.childElementCount === next.childElementCount &&
    [...head.children].every((child, at) => child.isEqualNode(next.children[at]));
  if (!isSame) head.replaceChildren(...next.children); // else the browser would lay it out again after every message
}

/** Replace the body, so that it is not scrolled.
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement} */
export function resetBody(...children) {
  const body = h("div", { class: "scroll" });
  setChildren(body, ...children);
  region(".main > .scroll").replaceWith(body);
  return body;
}

/** @returns {HTMLElement} the empty footer */
export function resetFooter() {
  const foot = h("div", { class: "write" });
  region(".main > .write").replaceWith(foot);
  return foot;
}

/** The text of an empty view, with links to other views.
 * @param {string} title
 * @param {string} text
 * @param {...Child} actions */
export function emptyState(title, text, ...actions) {
  return h(
    "div",
    { class: "empty" },
    h("h2", {}, title),
    h("p", {}, text),
    actions.length > 0 && h("div", { class: "do" }, ...actions),
  );
}

/** The text of a view whose content could not be fetched.
 * @param {string} text
 * @param {() => void} retry */
export function failedState(text, retry) {
  return emptyState(
    t("talk.failed"),
    text,
    h("button", { class: "b", type: "button", onclick: retry }, t("talk.try-again")),
  );
}

/** @param {string} href
 * @param {string} text
 * @param {string} [iconName] */
export function actionLink(href, text, iconName) {
  return h("a", { class: iconName ? "b" : "b bare", href }, iconName && icon(iconName, "s"), text);
}

/** Announce something to screen readers.
 * @param {string} text */
export function announce(text) {
  const log = region("#spoken");
  log.append(h("p", {}, text));
  while (log.childElementCount > 5) log.firstElementChild?.remove();
}

/** Where notices are shown: above the compose box, or over what covers it (a dialog, the sidebar of a phone).
 * @returns {Element} */
export function toastContainer() {
  // below a dialog the page is inert
  const cover = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.querySelector(".side.open");
  return cover
    ? (cover.querySelector(".toasts") ?? cover.appendChild(h("div", { class: "toasts", "aria-live": "polite" })))
    : region(".main > .toasts");
}

/** Show a short notice.
 * @param {string} text
 * @param {...Child} buttons */
export function toast(text, ...buttons) {
  const container = toastContainer();
  const note = h("div", { class: "toast pop" }, h("span", {}, text), ...buttons);
  container.append(note);
  setTimeout(() => note.remove(), buttons.length ? 10_000 : 5_000);
}
