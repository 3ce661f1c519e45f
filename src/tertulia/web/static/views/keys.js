/** Keyboard shortcuts, the same as Zulip's: a table from a key to a command. */

import { pageScope } from "../core/scope.js";
import { currentComposeBox } from "./compose.js";
import { hasCommand, runCommand } from "./commands.js";

/** Keys that work outside of text fields.
 * @type {Record<string, string>} */
export const KEYS = {
  j: "next-message",
  ArrowDown: "next-message",
  k: "previous-message",
  ArrowUp: "previous-message",
  J: "page-down",
  PageDown: "page-down",
  " ": "page-down",
  K: "page-up",
  PageUp: "page-up",
  "Shift+ ": "page-up",
  End: "last-message",
  G: "last-message",
  Home: "first-message",
  n: "next-unread",
  N: "next-unread-followed",
  p: "next-unread-direct",
  P: "all-directs-view",
  s: "to-conversation",
  S: "to-channel",
  y: "to-conversation",
  z: "to-near",
  t: "recent",
  I: "inbox",
  o: "catch-up",
  a: "feed",
  "*": "starred",
  "/": "search",
  "Ctrl+k": "switcher",
  q: "focus-sidebar",
  w: "people",
  i: "more",
  Enter: "reply",
  r: "reply",
  R: "reply-direct",
  c: "compose",
  x: "new-direct",
  ">": "quote",
  "<": "forward",
  "@": "mention-sender",
  d: "drafts",
  e: "edit",
  ArrowLeft: "edit-last",
  u: "sender-profile",
  v: "view-pictures",
  m: "move",
  H: "history",
  "Ctrl+s": "star",
  ":": "react",
  "=": "upvote",
  "+": "thumbs-up",
  "-": "collapse",
  U: "unread-from-here",
  M: "mute-topic",
  F: "follow",
  V: "read-receipts",
  L: "copy-link",
  "?": "keyboard-help",
  g: "gear-menu",
  "Ctrl+.": "narrow-to-compose",
  Escape: "escape",
  "Ctrl+[": "escape",
  "Shift+Escape": "read-place",
  "Alt+p": "preview",
  W: "members",
  "Shift+Tab": "",
};

/** Commands that act on the focused message, even if the focus is elsewhere. */
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

/** @param {() => HTMLElement | undefined} focusedMessage returns the message that keys act on */
export function bindKeys(focusedMessage) {
  pageScope.listen(document, "keydown", (/** @type {KeyboardEvent} */ event) => continueTyping(event), {
    capture: true,
  });
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
    const element = MESSAGE_COMMANDS.has(name) ? (focusedMessage() ?? target) : target;
    runCommand(name, element, event);
  });
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
