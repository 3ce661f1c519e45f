/** Unread counts in the page's title, its icon, and the badge of the installed app. */

import { realm } from "../state/session.js";
import { on } from "../core/signals.js";
import { unreadBadgeCount, unreadTotals } from "../state/unread.js";

const DRAW_TITLE_DELAY_MS = 500; // a new message that is in view is read until then
const DRAW_ICON_DELAY_MS = 1000; // drawing an icon and setting the badge take longer than everything else

let viewTitle = "";
let shownBadge = -1;

export function startTitle() {
  const names = /** @type {import("../core/signal_types.d.ts").SignalName[]} */ (["unread", "settings", "realm", "route"]);
  on(names, atMostEvery(DRAW_TITLE_DELAY_MS, drawText));
  on(names, atMostEvery(DRAW_ICON_DELAY_MS, drawIconAndBadge));
  drawText();
  drawIconAndBadge();
}

/** A function that runs `work` once after a delay, however often it is called until then.
 * @param {number} delayMs
 * @param {() => unknown} work */
function atMostEvery(delayMs, work) {
  /** @type {number | undefined} */
  let timer;
  return () => {
    timer ??= window.setTimeout(() => {
      timer = undefined;
      work();
    }, delayMs);
  };
}

/** @param {string} title of the view */
export function setViewTitle(title) {
  viewTitle = title;
  drawText();
}

function drawIconAndBadge() {
  const count = unreadBadgeCount();
  drawIcon(count, unreadTotals().direct > 0);
  if (count === shownBadge) return;
  shownBadge = count;
  const badge = /** @type {Partial<Pick<Navigator, "setAppBadge" | "clearAppBadge">>} */ (navigator);
  if (count) badge.setAppBadge?.(count).catch?.(() => {});
  else badge.clearAppBadge?.().catch?.(() => {});
}

function drawText() {
  const count = unreadBadgeCount();
  const name = [viewTitle, realm("name")].filter(Boolean).join(" - ");
  const title = count ? `(${count}) ${name}` : name;
  if (document.title !== title) document.title = title;
}

let drawn = ""; // as in shell.html
/** @type {HTMLCanvasElement | undefined} */
let canvas;

/** @param {number} count
 * @param {boolean} isDirect the desktop app reads it from the icon's path */
function drawIcon(count, isDirect) {
  const link = document.querySelector('link[rel="icon"]');
  const shown = !count ? "" : isDirect ? "direct" : String(Math.min(count, 99));
  if (!link || drawn === shown) return;
  drawn = shown;
  if (!count) return link.setAttribute("href", "/static/icon.png");
  if (isDirect) return link.setAttribute("href", "/static/images/favicon/favicon-pms.png");
  canvas ??= Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
  const context = canvas.getContext("2d");
  if (!context) return undefined;
  context.fillStyle = "#1d5a45";
  context.beginPath();
  context.roundRect(0, 0, 64, 64, 14);
  context.fill();
  context.fillStyle = "#fff";
  context.font = "600 36px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(shown, 32, 34);
  link.setAttribute("href", canvas.toDataURL());
  return undefined;
}
