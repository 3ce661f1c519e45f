/** Dialogs. The browser's <dialog> keeps the focus inside, closes on Escape and makes the rest of the page inert. */

import { setChildren, h, iconButton } from "../core/html.js";
import { closeDialogRoute } from "../core/router.js";
import { Scope } from "../core/scope.js";
import { emit } from "../core/signals.js";
import { t } from "../core/i18n.js";

/** Open a dialog. Closing removes it; if it was opened by an address, the router goes back.
 * @param {string} title
 * @param {(import("../core/html.js").Child | import("../core/html.js").Child[])[]} children
 * @param {{wide?: boolean, label?: string, footer?: import("../core/html.js").Child[]}} [options]
 * @returns {HTMLDialogElement} */
export function openDialog(title, children, { wide = false, label, footer } = {}) {
  const heading = h("h1", { class: "cut", tabindex: -1 }, title);
  const close = iconButton("close", t("dialog.close"), { "data-close": true });
  const dialog = h("dialog", { class: `pop dialog ${wide ? "wide-dialog" : ""}`, "aria-label": label ?? title });
  const inside = h("div", { class: "dialog-body", tabindex: -1 });
  setChildren(inside, ...children);
  setChildren(dialog, h("header", {}, heading, close), inside, footer && h("footer", {}, ...footer));
  dialog.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (target === dialog || target.closest("[data-close]")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.dataset.address && location.hash === dialog.dataset.address) closeDialogRoute();
  });
  document.body.append(dialog);
  dialog.showModal();
  queueMicrotask(() => {
    if (!dialog.dataset.address) emit("covered", { isOpen: () => dialog.open, close: () => dialog.close() });
  });
  focusFirst(dialog);
  return dialog;
}

/** What ends when a dialog is closed.
 * @param {HTMLDialogElement} dialog */
export function scopeOf(dialog) {
  const scope = new Scope();
  dialog.addEventListener("close", () => scope.close());
  return scope;
}

/** Focus the open tab, else the first field, else the title. On a touch screen not a field: it would open the
 * keyboard.
 * @param {HTMLDialogElement} dialog */
export function focusFirst(dialog) {
  const fields = matchMedia("(pointer: coarse)").matches
    ? ""
    : ", .dialog-body input:not([type=radio], [type=checkbox], [hidden]), .dialog-body textarea";
  const first =
    dialog.querySelector(`[autofocus], nav [aria-current]${dialog.querySelector("nav") ? "" : fields}`) ??
    dialog.querySelector("h1");
  /** @type {HTMLElement} */ (first).focus();
}

/** Bind a dialog to the present address: closing it goes back, and going back closes it.
 * @param {HTMLDialogElement} dialog */
export function bindToAddress(dialog) {
  dialog.dataset.address = location.hash;
  const scope = new Scope(); // it ends with the address, also if the dialog is closed before
  scope.listen(window, "hashchange", () => {
    if (location.hash === dialog.dataset.address) return;
    scope.close();
    delete dialog.dataset.address;
    if (dialog.open) dialog.close();
  });
  return dialog;
}

/** A dialog shows another part of itself: change the address that it is bound to. Not if a navigation has changed the
 * address already: its event is about to close the dialog.
 * @param {HTMLDialogElement} dialog
 * @param {string} hash */
export function changeAddress(dialog, hash) {
  if (!dialog.dataset.address || location.hash !== dialog.dataset.address) return;
  history.replaceState(history.state, "", hash);
  dialog.dataset.address = location.hash;
}

/** Ask for a confirmation.
 * @param {string} title
 * @param {string} text
 * @param {string} buttonText of the confirming button
 * @returns {Promise<boolean>} */
export function confirmAction(title, text, buttonText) {
  return new Promise((resolve) => {
    let response = false;
    const yes = h(
      "button",
      {
        class: "b risk",
        type: "button",
        onclick: () => {
          response = true;
          dialog.close();
        },
      },
      buttonText,
    );
    const no = h("button", { class: "b", type: "button", onclick: () => dialog.close() }, t("dialog.cancel"));
    const dialog = openDialog(title, [h("p", {}, text)], { footer: [no, yes] });
    dialog.addEventListener("close", () => resolve(response));
  });
}
