/** A notice that offers to undo what was just done. One is shown at a time; pointing at it or focusing it stops its
 * clock, and Ctrl+Z undoes it while no text field has the focus. */

import { Scope } from "../core/scope.js";
import { h, icon, iconButton } from "../core/html.js";
import { toastContainer } from "../views/layout.js";
import { isTextField } from "../views/keys.js";
import { t } from "../core/i18n.js";

/** @typedef {{icon: string, text: string, undo(): unknown, commit?(): unknown}} Undoable
 *   `commit` does the thing when the time is over; without it, it is done already */

const OFFERED_MS = 6000;
const TICK_MS = 100;

/** @type {((isUndone: boolean) => void) | undefined} */
let closeOpen;

/** @param {Undoable} done */
export function showUndo(done) {
  closeOpen?.(false);
  let left = OFFERED_MS;
  const progress = h("progress", { max: OFFERED_MS, value: left, "aria-hidden": "true" });
  const note = h(
    "div",
    { class: "toast pop undo", role: "status" },
    icon(done.icon, "s"),
    h("span", {}, done.text),
    h("button", { class: "b bare", type: "button", onclick: () => close(true) }, t("undo.undo")),
    iconButton("close", t("dialog.close"), { onclick: () => close(false) }),
    progress,
  );
  const scope = new Scope();
  const clock = setInterval(() => {
    if (note.matches(":hover, :focus-within")) return;
    left -= TICK_MS;
    progress.value = left;
    if (left <= 0) close(false);
  }, TICK_MS);
  const onLeave = () => close(false);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (
      event.key !== "z" ||
      event.shiftKey ||
      !(event.ctrlKey || event.metaKey) ||
      isTextField(/** @type {HTMLElement} */ (event.target))
    )
      return;
    event.preventDefault();
    close(true);
  };
  const close = (/** @type {boolean} */ isUndone) => {
    if (closeOpen !== close) return;
    closeOpen = undefined;
    clearInterval(clock);
    note.remove();
    scope.close();
    if (isUndone) done.undo();
    else done.commit?.();
  };
  closeOpen = close;
  scope.listen(window, "pagehide", onLeave);
  scope.listen(document, "keydown", onKey);
  toastContainer().append(note);
}
