/** Commands: what a person can do, by name. Buttons have `data-do="star"`, keys have a line in `keys.js`, and
 * the module that implements a command registers it with `command`. */

import { pageScope } from "../core/scope.js";
import { h } from "../core/html.js";
import { ChunkError } from "../core/lazy.js";
import { isSpectator } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { toast } from "./layout.js";
import { t } from "../core/i18n.js";

/** @typedef {{element: HTMLElement, event: Event, message: import("../state/messages.js").Message | undefined}}
 *   CommandContext the element of the command, and the message around it */

/** Commands that need an account. */
const NEEDS_ACCOUNT = new Set([
  "react",
  "toggle-reaction",
  "thumbs-up",
  "upvote",
  "quote",
  "forward",
  "star",
  "reply",
  "reply-direct",
  "mention-sender",
  "follow",
  "mute-topic",
  "resolve",
  "move",
  "unread-from-here",
  "remind",
  "new-direct",
  "new-topic-anywhere",
]);

/** @type {Map<string, (context: CommandContext) => unknown>} */
const commands = new Map();
/** @type {Set<string>} */
const running = new Set();
/** @type {(() => void) | undefined} */
let queuedCommand; // the last click on a command that was not registered yet

/** @param {string} name
 * @param {(context: CommandContext) => unknown} handler */
export function command(name, handler) {
  commands.set(name, handler);
}

/** @param {string} name */
export function hasCommand(name) {
  return commands.has(name);
}

/** Run a command, unless the same command on the same element is still running.
 * @param {string} name
 * @param {HTMLElement} element
 * @param {Event} event
 * @returns {boolean} whether the command is registered */
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
    result
      .catch((error) => {
        if (!(error instanceof ChunkError)) throw error;
        toast(
          t("connection.no-answer"),
          h(
            "button",
            { class: "b", type: "button", onclick: () => runCommand(name, element, event) },
            t("talk.try-again"),
          ),
        );
      })
      .finally(() => running.delete(key));
  }
  return true;
}

/** The identity of a command and its target; it is the same after the element was redrawn.
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

/** The message around an element.
 * @param {Element} element */
export function messageAt(element) {
  const article = element.closest("[data-id]");
  return article instanceof HTMLElement ? findMessage(Number(article.dataset.id)) : undefined;
}

/** All commands are registered: run the one that was clicked before. */
export function replayQueuedCommand() {
  queuedCommand?.();
  queuedCommand = undefined;
}

/** Keep a click for later. Its button may be redrawn or removed until then.
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
  pageScope.listen(document, "click", (/** @type {MouseEvent} */ event) => {
    const target = event.target instanceof Element ? event.target.closest("[data-do]") : null;
    if (!(target instanceof HTMLElement) || event.defaultPrevented) return;
    if (target instanceof HTMLAnchorElement && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
    const name = target.dataset.do ?? "";
    const isDone = runCommand(name, target, event);
    if (!isDone && target instanceof HTMLButtonElement) queueCommand(name, target, event);
    if (isDone && target instanceof HTMLAnchorElement) event.preventDefault();
  });
  pageScope.listen(document, "keydown", (/** @type {KeyboardEvent} */ event) => {
    const target = event.target;
    if (event.key !== "Enter" && event.key !== " ") return;
    if (!(target instanceof HTMLElement) || target.getAttribute("role") !== "button" || !target.dataset.do) return;
    event.preventDefault();
    runCommand(target.dataset.do, target, event);
  });
}
