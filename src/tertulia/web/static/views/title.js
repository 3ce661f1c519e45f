/** The page's title, with the number of unread messages. */

import { realm } from "../state/session.js";
import { unreadBadgeCount } from "../state/unread.js";

let viewTitle = "";

/** @param {string} title of the view */
export function setViewTitle(title) {
  viewTitle = title;
  drawTitle();
}

export function drawTitle() {
  const count = unreadBadgeCount();
  const name = [viewTitle, realm("name")].filter(Boolean).join(" - ");
  const title = count ? `(${count}) ${name}` : name;
  if (document.title !== title) document.title = title;
}
