/** Gestures of a touch screen. A swipe marks a row of the inbox as read, or replies to a message; a long press on a
 * message opens its menu; pulling a view down connects again. */

import { h, icon } from "../core/html.js";
import { t } from "../core/i18n.js";
import { pageScope } from "../core/scope.js";
import { connectionState } from "../state/connection.js";
import { keyOf } from "../state/conversations.js";
import { allUnread } from "../state/unread.js";
import { reconnect } from "../sync/event_poller.js";
import { markRead, markUnread } from "../sync/read_flags.js";
import { runCommand } from "./commands.js";
import { region, toast } from "./layout.js";
import { offerUndo } from "./message_actions.js";

/** @typedef {{x: number, y: number, row: HTMLElement | null, canSwipe: boolean, canPull: boolean, hold: number,
 *   kind?: "swipe" | "pull" | "hold" | "none", distance: number}} Gesture `row` is of the inbox or of a message */

const MIN_MOVE_PX = 12; // less is a tap
const MIN_SWIPE_PX = 80;
const MIN_PULL_PX = 110;
const MAX_SLOPE = 0.5;
const EDGE_PX = 24; // a swipe from the edge of the screen is the browser's: it goes back
const HOLD_MS = 450;
const ROWS = ".main a.item, .main article[data-id]";

/** @type {Gesture | undefined} */
let gesture;
/** @type {HTMLElement | undefined} */
let pulled;

export function startGestures() {
  pageScope.listen(document, "touchstart", begin, { passive: true });
  pageScope.listen(document, "touchmove", follow, { passive: true });
  pageScope.listen(document, "touchend", finish, { passive: false });
  pageScope.listen(document, "touchcancel", finish, { passive: false });
  // The browser has seen a long press: it would select a word.
  pageScope.listen(document, "contextmenu", (/** @type {MouseEvent} */ event) => {
    if (gesture?.hold) event.preventDefault();
  });
}

/** @param {TouchEvent} event */
function begin({ touches, target }) {
  if (gesture) reset(gesture);
  gesture = undefined;
  if (touches.length !== 1 || !(target instanceof Element)) return;
  const [{ clientX: x, clientY: y }] = touches;
  const row = /** @type {HTMLElement | null} */ (target.closest(ROWS));
  const isAtEdge = x < EDGE_PX || x > innerWidth - EDGE_PX;
  const isHeld = row?.matches("article") && !target.closest("a, img, button, input, textarea, audio, video");
  const own = (gesture = {
    x,
    y,
    row,
    canSwipe: row !== null && !isAtEdge && !scrollsSideways(target, row),
    canPull: (target.closest(".main > .scroll")?.scrollTop ?? 1) <= 0,
    hold: isHeld ? window.setTimeout(() => hold(own), HOLD_MS) : 0,
    distance: 0,
  });
}

/** Whether a finger moves a part of a row sideways, such as wide code.
 * @param {Element} target
 * @param {Element} row */
function scrollsSideways(target, row) {
  for (let each = target; each !== row && each.parentElement; each = each.parentElement)
    if (each.scrollWidth > each.clientWidth && /auto|scroll/.test(getComputedStyle(each).overflowX)) return true;
  return false;
}

/** @param {Gesture} own */
function hold(own) {
  own.kind = "hold";
  own.row?.classList.add("held");
  navigator.vibrate?.(10);
}

/** @param {TouchEvent} event */
function follow({ touches: [touch] }) {
  if (!gesture || gesture.kind === "hold") return;
  const across = touch.clientX - gesture.x;
  const down = touch.clientY - gesture.y;
  if (Math.hypot(across, down) < MIN_MOVE_PX) return;
  clearTimeout(gesture.hold);
  gesture.kind ??= kindOf(gesture, across, down);
  gesture.distance = gesture.kind === "pull" ? down : Math.abs(across);
  if (gesture.kind === "swipe") gesture.row?.style.setProperty("translate", `${across}px`);
  if (gesture.kind === "pull") drawPull(down);
}

/** @param {Gesture} own
 * @param {number} across
 * @param {number} down */
function kindOf({ row, canSwipe, canPull }, across, down) {
  const forward = document.dir === "rtl" ? -across : across;
  if (Math.abs(down) <= Math.abs(across) * MAX_SLOPE)
    return canSwipe && (forward > 0 || row?.matches(".item")) ? "swipe" : "none";
  return canPull && Math.abs(across) <= down * MAX_SLOPE ? "pull" : "none";
}

/** @param {TouchEvent} event */
function finish(event) {
  if (!gesture) return;
  const { kind, row, distance } = gesture;
  reset(gesture);
  gesture = undefined;
  if (kind && kind !== "none" && event.cancelable) event.preventDefault(); // it is no tap
  if (kind === "hold" && row) runCommand("more", row, event);
  if (event.type === "touchcancel") return;
  if (kind === "swipe" && row && distance >= MIN_SWIPE_PX) (row.matches(".item") ? markRowRead : reply)(row, event);
  if (kind === "pull" && distance >= MIN_PULL_PX) refresh();
}

/** @param {Gesture} own */
function reset({ row, hold }) {
  clearTimeout(hold);
  row?.classList.remove("held");
  row?.style.removeProperty("translate");
  pulled?.remove();
  pulled = undefined;
}

/** @param {HTMLElement} row of the inbox */
function markRowRead({ dataset: { key } }) {
  const ids = [...(allUnread().find(({ conversation }) => keyOf(conversation) === key)?.ids ?? [])];
  markRead(ids);
  if (ids.length) offerUndo("check", t("undo.read", { count: ids.length }), () => markUnread(ids));
}

/** @param {HTMLElement} article
 * @param {Event} event */
function reply(article, event) {
  runCommand("quote", article, event);
}

/** @param {number} down */
function drawPull(down) {
  pulled ??= region("#main").appendChild(h("div", { class: "pulled" }, icon("retry")));
  pulled.classList.toggle("enough", down >= MIN_PULL_PX);
  pulled.style.setProperty("--pull", `${Math.min(down, MIN_PULL_PX * 1.2) / 2}px`);
}

async function refresh() {
  if (connectionState() === "newer") return location.reload();
  if (await reconnect()) toast(t("phone.up-to-date"));
  return undefined; // else the bar under the header says what is wrong
}
