/** Slots for parts of messages whose code loads when the first of them is shown: voice messages, recordings that are not
 * sent yet, and calls. Until then, and offline, the slot shows its text. */

import { h } from "../core/html.js";
import { lazy } from "../core/lazy.js";

/** @typedef {{blob: Blob, seconds: number, levels: string, name: string}} Recording `levels` has one digit of base 36
 *   for each bar of the waveform */
/** @typedef {(source: any) => HTMLElement | null} Draw */
/** @typedef {{load: () => Promise<Draw>, draw?: Draw}} Kind `draw` is set once it is loaded */

const REDRAW_MS = 3000;

/** @type {Kind} */
const voice = { load: () => lazy("voice", "drawVoice") };
/** @type {Kind} */
const call = { load: () => lazy("calls", "drawCallCard") };

/** @param {HTMLAnchorElement} link */
export function voiceSlot(link) {
  return replaceSlot(voice, link, link);
}

/** @param {HTMLAnchorElement} link */
export function callSlot(link) {
  return replaceSlot(call, link, link);
}

/** @param {Recording} recording
 * @returns {HTMLElement} */
export function recordingSlot(recording) {
  const place = h("div", {}, h("span", {}, recording.name));
  replaceSlot(voice, /** @type {HTMLElement} */ (place.firstElementChild), recording);
  return place;
}

/** Put what is drawn of a source in the place of its slot, as soon as the code is loaded.
 * @param {Kind} kind
 * @param {HTMLElement} slot
 * @param {unknown} source */
export async function replaceSlot(kind, slot, source) {
  try {
    kind.draw ??= await kind.load();
    const drawn = kind.draw(source);
    if (drawn) slot.replaceWith(drawn);
  } catch {
    setTimeout(() => slot.isConnected && replaceSlot(kind, slot, source), REDRAW_MS);
  }
}
