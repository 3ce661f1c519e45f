/** What is shown over a view: each address has its dialog. */

import { showDrafts } from "./drafts_list.js";
import { keyboardHelp } from "./keyboard_help.js";
import { showScheduled } from "./schedule.js";

/** @type {Record<string, (place: import("../app/places.js").Place) => unknown>} */
const dialogs = {
  drafts: showDrafts,
  "keyboard-shortcuts": keyboardHelp,
  scheduled: showScheduled,
};

/** @param {import("../app/places.js").Place} place */
export function showOver(place) {
  const open = dialogs[place.view];
  if (open) open(place);
  else history.back();
}
