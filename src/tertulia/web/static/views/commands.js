/** What can be done, by name. Buttons say it as `data-do="star"`, keys as a line in `keys.js`; the
 * module that knows how says it here with `command`. So rows and menus need not know who acts. */

import { h } from "../core/html.js";
import { isSpectator } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { toast } from "./layout.js";
import { t } from "../core/i18n.js";

/** @typedef {{element: HTMLElement, event: Event, message: import("../state/messages.js").Message | undefined}} CommandContext
 *   the element that was pressed, and the message it stands in */

/** What takes an account. */
const NEEDS_ACCOUNT = new Set(["react", "toggle-reaction", "thumbs-up", "upvote", "quote", "star", "reply", "reply-direct", "mention-sender",
  "follow", "mute-topic", "resolve", "move", "unread-from-here", "remind", "new-direct", "new-topic-anywhere"]);

/** @type {Map<string, (context: CommandContext) => unknown>} */
const commands = new Map();
/** @type {Set<string>} */
const running = new Set();
/** @type {(() => void) | undefined} */
let queuedCommand; // what was pressed last before anybody knew how

/** @param {string} name
 * @param {(context: CommandContext) => unknown} handler */
export function command(name, handler) {
  commands.set(name, handler);
}

/** @param {string} name */
export function hasCommand(name) {
  return commands.has(name);
}

/** Do something. Who presses twice does it once: what is under way is not begun again.
 * @param {string} name
 * @param {HTMLElement} element
 * @param {Event} event
 * @returns {boolean} whether somebody knows how */
export function runCommand(name, element, event) {
  const handler = commands.get(name);
  if (!handler) return false;
  if (isSpectator() && NEEDS_ACCOUNT.has(name)) {
    toast(t("spectator.read-only"), h("a", { class: "b", href: "/login/" }, t("spectator.log-in")));
    return true;
  }
  const key = actionKey(name, element);
  if (running.has(key)) return true;
  const result = handler({ element, event, message: messageAt(element) });
  if (result instanceof Promise) {
    running.add(key);
    result.finally(() => running.delete(key));
  }
  return true;
}

/** What pressing an element does, and to what: the same for one that was drawn anew.
 * @param {string} name
 * @param {HTMLElement} element */
function actionKey(name, element) {
  return [name, messageAt(element)?.id, element.dataset.code, element.dataset.channel].join();
}

/** @param {string} name
 * @param {string} key */
function findRedrawn(name, key) {
  /** @type {NodeListOf<HTMLElement>} */
  const alike = document.querySelectorAll(`[data-do="${name}"]`);
  return [...alike].find((each) => actionKey(name, each) === key);
}

/** The message that an element stands in.
 * @param {Element} element */
export function messageAt(element) {
  const article = element.closest("[data-id]");
  return article instanceof HTMLElement ? findMessage(Number(article.dataset.id)) : undefined;
}

/** Everybody has said what they know: what was pressed before that is done now. */
export function replayQueuedCommand() {
  queuedCommand?.();
  queuedCommand = undefined;
}

/** Remember what was pressed. Until it can be done its button may be drawn anew, or be gone.
 * @param {string} name
 * @param {HTMLButtonElement} button
 * @param {Event} event */
function queueCommand(name, button, event) {
  const key = actionKey(name, button);
  queuedCommand = () => {
    const here = button.isConnected ? button : findRedrawn(name, key);
    if (here) runCommand(name, here, event);
  };
}

/** One listener for the whole page. */
export function listenForCommands() {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("[data-do]") : null;
    if (!(target instanceof HTMLElement) || event.defaultPrevented) return;
    if (target instanceof HTMLAnchorElement && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
    const name = target.dataset.do ?? "";
    const isDone = runCommand(name, target, event);
    if (!isDone && target instanceof HTMLButtonElement) queueCommand(name, target, event);
    if (isDone && target instanceof HTMLAnchorElement) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.key !== "Enter" && event.key !== " ") return;
    if (!(target instanceof HTMLElement) || target.getAttribute("role") !== "button" || !target.dataset.do) return;
    event.preventDefault();
    runCommand(target.dataset.do, target, event);
  });
}
