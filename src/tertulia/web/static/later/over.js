/** What is shown over a view: each address has its dialog. */

import { keyboardHelp } from "./keyboard_help.js";

/** @type {Record<string, (place: import("../app/places.js").Place) => unknown>} */
const dialogs = {
  "keyboard-shortcuts": keyboardHelp,
};

/** @param {import("../app/places.js").Place} place */
export function showOver(place) {
  const open = dialogs[place.view];
  if (open) open(place);
  else history.back();
}
