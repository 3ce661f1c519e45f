/** Unread counts in the page's title, its icon, and the badge of the installed app. */

import { pageScope } from "../core/scope.js";
import { unreadBadgeCount, unreadTotals } from "../state/unread.js";
import { drawTitle } from "./title.js";

const browserQuery = matchMedia("(display-mode: browser)");
let shownBadge = -1;

export function startUnreadIcon() {
  pageScope.on(["settings", "realm", "route"], drawUnreadIcon);
  drawUnreadIcon();
}

/** The sidebar calls it when it draws its counts: one timer for both costs less than two. */
export function drawUnreadIcon() {
  const count = unreadBadgeCount();
  const { direct, mentions } = unreadTotals();
  drawTitle();
  drawIcon(count, direct > 0);
  setBadge(count && direct + mentions); // as the service worker does while the page is closed
}

/** @param {number} count */
function setBadge(count) {
  if (count === shownBadge || browserQuery.matches) return; // only an installed app has a badge
  shownBadge = count;
  const badge = /** @type {Partial<Pick<Navigator, "setAppBadge">>} */ (navigator);
  badge.setAppBadge?.(count).catch?.(() => {}); // none for 0
}

let drawnIcon = ""; // as in shell.html

/** @param {number} count
 * @param {boolean} isDirect the desktop app reads it from the icon's path */
function drawIcon(count, isDirect) {
  const link = document.querySelector('link[rel="icon"]');
  const shown = !count ? "" : isDirect ? "direct" : String(Math.min(count, 99));
  if (!link || drawnIcon === shown) return;
  drawnIcon = shown;
  if (!count) return link.setAttribute("href", "/static/icon.png");
  if (isDirect) return link.setAttribute("href", "/static/images/favicon/favicon-pms.png");
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
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
