/** Keyboard shortcuts, the same as Zulip's. The table of keys and commands is in `state/shortcuts.js`. */

import { KEYS } from "../state/shortcuts.js";
import { pageScope } from "../core/scope.js";
import { currentComposeBox } from "./compose.js";
import { hasCommand, runCommand } from "./commands.js";

/** Commands that act on the message under the pointer or on the focused one, even if the focus is elsewhere. */
const MESSAGE_COMMANDS = new Set([
  "to-conversation",
  "to-channel",
  "to-near",
  "more",
  "reply",
  "reply-direct",
  "quote",
  "forward",
  "mention-sender",
  "edit",
  "sender-profile",
  "view-pictures",
  "move",
  "history",
  "star",
  "react",
  "upvote",
  "thumbs-up",
  "collapse",
  "unread-from-here",
  "copy-link",
  "read-receipts",
]);

const LEAVING_KEYS = new Set(["Escape", "Tab"]); // with them a person leaves a text field
const IGNORED_MS = 1000; // keys are no commands for this time after a text field has lost the focus by itself

const STORAGE_KEY = "tertulia-keys-off";

/** @param {() => HTMLElement | undefined} focusedMessage returns the message that keys act on if the pointer is on none */
export function bindKeys(focusedMessage) {
  pageScope.listen(document, "keydown", (/** @type {KeyboardEvent} */ event) => continueTyping(event), {
    capture: true,
  });
  pageScope.listen(document, "pointermove", onPointerMove, { passive: true });
  pageScope.listen(document, "pointerdown", () => (typedAt = -Infinity), { capture: true });
  pageScope.listen(document, "keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = KEYS[keyName(event)];
    if (!name || !hasCommand(name)) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (isTextField(target) && name !== "escape" && !event.ctrlKey && !event.altKey) return;
    if (document.querySelector("dialog[open]") || target.closest(".pop:not(.toast)")) return;
    if (areShortcutsOff() && !event.ctrlKey && name !== "escape") return;
    if (handlesKey(target, event.key)) return;
    event.preventDefault();
    if (!MESSAGE_COMMANDS.has(name)) isPointing = false;
    const element = MESSAGE_COMMANDS.has(name) ? (messageUnderPointer() ?? focusedMessage() ?? target) : target;
    runCommand(name, element, event);
  });
}

let isPointing = false; // whether the pointer was moved since the last key that is not for a message
let pointedAt = "";

/** @param {PointerEvent} event */
function onPointerMove({ pointerType, clientX, clientY }) {
  const at = `${clientX},${clientY}`;
  if (at === pointedAt) return; // the browser repeats it when something below a still pointer has moved
  pointedAt = at;
  isPointing = pointerType === "mouse";
}

function messageUnderPointer() {
  if (!isPointing) return null;
  return /** @type {HTMLElement | null} */ (document.querySelector(".main article[data-id]:hover"));
}

let typedAt = -Infinity; // when a key was last pressed in a text field that the person has not left since

/** If the page has taken the focus from a text field while the person types, the next key goes into the compose
 * box, or nowhere: it is not a command.
 * @param {KeyboardEvent} event */
function continueTyping(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyped = !event.ctrlKey && !event.metaKey && !event.altKey && !LEAVING_KEYS.has(event.key);
  if (isTextField(target)) {
    const stays = isTyped && (event.key !== "Enter" || target instanceof HTMLTextAreaElement);
    typedAt = stays ? performance.now() : -Infinity;
    return;
  }
  if (!isTyped || target !== document.body || performance.now() - typedAt > IGNORED_MS) return;
  const box = currentComposeBox()?.box;
  event.stopPropagation();
  if (box && !document.querySelector("dialog[open]")) box.focus();
  else event.preventDefault();
}

/** Single keys disturb people who use voice control, so they can be switched off. */
export function areShortcutsOff() {
  return localStorage.getItem(STORAGE_KEY) !== null;
}

/** @param {boolean} off */
export function setShortcutsOff(off) {
  if (off) localStorage.setItem(STORAGE_KEY, "1");
  else localStorage.removeItem(STORAGE_KEY);
}

/** @param {KeyboardEvent} event */
function keyName(event) {
  const isControl = event.ctrlKey || event.metaKey;
  if (event.shiftKey && (event.key === " " || event.key === "Escape")) return `Shift+${event.key}`;
  return `${isControl ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${event.key}`;
}

/** @param {HTMLElement} target */
export function isTextField(target) {
  return (
    target.isContentEditable ||
    target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])")
  );
}

/** Whether the focused element uses the key itself.
 * @param {HTMLElement} target
 * @param {string} key */
function handlesKey(target, key) {
  if (target.matches("button, a, summary, [role=button]")) return key === "Enter" || key === " ";
  if (target.matches("input")) return key === " " || key.startsWith("Arrow"); // a checkbox or a radio button
  if (target.matches("pre, .wide")) return key.startsWith("Arrow") || key === "Home" || key === "End";
  return false;
}
