/** Unread counts in the page's title, its icon, and the badge of the installed app. */

import { realm } from "../state/session.js";
import { on } from "../core/signals.js";
import { unreadBadgeCount, unreadTotals } from "../state/unread.js";

const DRAW_TITLE_DELAY_MS = 120; // as the sidebar: both are drawn in one frame

let viewTitle = "";

export function startTitle() {
  /** @type {number | undefined} */
  let timer;
  on(["unread", "settings", "realm", "route"], () => {
    timer ??= window.setTimeout(() => {
      timer = undefined;
      drawTitle();
    }, DRAW_TITLE_DELAY_MS);
  });
  drawTitle();
}

/** @param {string} title of the view */
export function setViewTitle(title) {
  viewTitle = title;
  drawText();
}

function drawTitle() {
  const count = drawText();
  drawIcon(count, unreadTotals().direct > 0);
  const badge = /** @type {Partial<Pick<Navigator, "setAppBadge" | "clearAppBadge">>} */ (navigator);
  if (count) badge.setAppBadge?.(count).catch?.(() => {});
  else badge.clearAppBadge?.().catch?.(() => {});
}

/** @returns {number} the count */
function drawText() {
  const count = unreadBadgeCount();
  const name = [viewTitle, realm("name")].filter(Boolean).join(" - ");
  const title = count ? `(${count}) ${name}` : name;
  if (document.title !== title) document.title = title;
  return count;
}

let drawn = "0|false"; // as in shell.html
/** @type {HTMLCanvasElement | undefined} */
let canvas;

/** @param {number} count
 * @param {boolean} isDirect the desktop app reads it from the icon's path */
function drawIcon(count, isDirect) {
  const link = document.querySelector('link[rel="icon"]');
  const state = `${count}|${isDirect}`;
  if (!link || drawn === state) return;
  drawn = state;
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
  context.fillText(count > 99 ? "99" : String(count), 32, 34);
  link.setAttribute("href", canvas.toDataURL());
  return undefined;
}
