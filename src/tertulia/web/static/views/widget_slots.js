/** Slots for polls, to-do lists and forms. The widgets are in the dialogs chunk. Until it is loaded, and for
 * unknown kinds, the slot shows the content of the message. */

import { h } from "../core/html.js";
import { lazy } from "../core/lazy.js";
import { replaceSlot } from "./lazy_slots.js";
import { enhance } from "./rendered_content.js";

/** @type {import("./lazy_slots.js").Kind} */
const widget = { load: () => lazy("dialogs", "drawWidget") };

/** @param {import("../state/messages.js").Message} message
 * @returns {HTMLElement} */
export function widgetSlot(message) {
  const drawn = widget.draw?.(message);
  if (drawn) return drawn;
  const slot = h("div", { class: "widget" }, enhance(message.content));
  if (!widget.draw) replaceSlot(widget, slot, message);
  return slot;
}
