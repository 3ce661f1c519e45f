/** What can be done, by name. Buttons say it as `data-do="star"`, keys as a line in `keys.js`; the
 * module that knows how says it here with `command`. So rows and menus need not know who acts. */

import { h } from "../core/html.js";
import { isSpectator } from "../state/session.js";
import { messageOf } from "../state/messages.js";
import { toast } from "./layout.js";
import { say } from "../core/i18n.js";

/** @typedef {{element: HTMLElement, event: Event, message: import("../state/messages.js").Message | undefined}} Occasion
 *   the element that was pressed, and the message it stands in */

/** What takes an account. */
const FOR_MEMBERS = new Set(["react", "toggle-reaction", "thumbs-up", "upvote", "quote", "star", "reply", "reply-direct", "mention-sender",
  "follow", "mute-topic", "resolve", "move", "unread-from-here", "remind", "new-direct", "new-topic-anywhere"]);

/** @type {Map<string, (occasion: Occasion) => unknown>} */
const commands = new Map();
/** @type {Set<string>} */
const doings = new Set();
/** @type {(() => void) | undefined} */
let asked; // what was pressed last before anybody knew how

/** @param {string} name
 * @param {(occasion: Occasion) => unknown} work */
export function command(name, work) {
  commands.set(name, work);
}

/** @param {string} name */
export function canDo(name) {
  return commands.has(name);
}

/** Do something. Who presses twice does it once: what is under way is not begun again.
 * @param {string} name
 * @param {HTMLElement} element
 * @param {Event} event
 * @returns {boolean} whether somebody knows how */
export function run(name, element, event) {
  const work = commands.get(name);
  if (!work) return false;
  if (isSpectator() && FOR_MEMBERS.has(name)) {
    toast(say("spectator.read-only"), h("a", { class: "b", href: "/login/" }, say("spectator.log-in")));
    return true;
  }
  const deed = deedOf(name, element);
  if (doings.has(deed)) return true;
  const doing = work({ element, event, message: messageAt(element) });
  if (doing instanceof Promise) {
    doings.add(deed);
    doing.finally(() => doings.delete(deed));
  }
  return true;
}

/** What pressing an element does, and to what: the same for one that was drawn anew.
 * @param {string} name
 * @param {HTMLElement} element */
function deedOf(name, element) {
  return [name, messageAt(element)?.id, element.dataset.code, element.dataset.channel].join();
}

/** @param {string} name
 * @param {string} deed */
function drawnAnew(name, deed) {
  /** @type {NodeListOf<HTMLElement>} */
  const alike = document.querySelectorAll(`[data-do="${name}"]`);
  return [...alike].find((each) => deedOf(name, each) === deed);
}

/** The message that an element stands in.
 * @param {Element} element */
export function messageAt(element) {
  const article = element.closest("[data-id]");
  return article instanceof HTMLElement ? messageOf(Number(article.dataset.id)) : undefined;
}

/** Everybody has said what they know: what was pressed before that is done now. */
export function doWhatWasAsked() {
  asked?.();
  asked = undefined;
}

/** Remember what was pressed. Until it can be done its button may be drawn anew, or be gone.
 * @param {string} name
 * @param {HTMLButtonElement} button
 * @param {Event} event */
function ask(name, button, event) {
  const deed = deedOf(name, button);
  asked = () => {
    const here = button.isConnected ? button : drawnAnew(name, deed);
    if (here) run(name, here, event);
  };
}

/** One listener for the whole page. */
export function listenForCommands() {
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target.closest("[data-do]") : null;
    if (!(target instanceof HTMLElement) || event.defaultPrevented) return;
    if (target instanceof HTMLAnchorElement && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
    const name = target.dataset.do ?? "";
    const isDone = run(name, target, event);
    if (!isDone && target instanceof HTMLButtonElement) ask(name, target, event);
    if (isDone && target instanceof HTMLAnchorElement) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.key !== "Enter" && event.key !== " ") return;
    if (!(target instanceof HTMLElement) || target.getAttribute("role") !== "button" || !target.dataset.do) return;
    event.preventDefault();
    run(target.dataset.do, target, event);
  });
}
