/** Slots for polls, to-do lists and forms. The widgets are in the dialogs chunk. Until it is loaded, and for
 * unknown kinds, the slot shows the content of the message. */

import { enhance } from "./rendered_content.js";
import { h } from "../core/html.js";
import { lazy } from "../core/lazy.js";

const DRAW_AGAIN_MS = 3000;

/** @type {((message: import("../state/messages.js").Message) => HTMLElement | null) | null} */
let drawLoaded = null;

/** @param {import("../state/messages.js").Message} message
 * @returns {HTMLElement} */
export function widgetSlot(message) {
  const drawn = drawLoaded?.(message);
  if (drawn) return drawn;
  const slot = h("div", { class: "widget" }, enhance(message.content));
  if (!drawLoaded) fillSlot(slot, message);
  return slot;
}

/** @param {HTMLElement} slot
 * @param {import("../state/messages.js").Message} message */
async function fillSlot(slot, message) {
  try {
    drawLoaded = await lazy("dialogs", "drawWidget");
    const widget = drawLoaded(message);
    if (widget) slot.replaceWith(widget);
  } catch {
    setTimeout(() => {
      if (slot.isConnected) fillSlot(slot, message);
    }, DRAW_AGAIN_MS); // offline: the content stays until then
  }
}
