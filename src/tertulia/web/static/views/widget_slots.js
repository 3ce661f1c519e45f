/** Slots for polls, to-do lists and forms. The widgets are in the dialogs chunk. Until it is loaded, and for
 * unknown kinds, the slot shows the content of the message. */

import { enhance } from "./rendered_content.js";
import { h } from "../core/html.js";
import { lazy } from "../core/lazy.js";

/** @type {((message: import("../state/messages.js").Message) => HTMLElement | null) | null} */
let drawLoaded = null;

/** @param {import("../state/messages.js").Message} message
 * @returns {HTMLElement} */
export function widgetSlot(message) {
  const drawn = drawLoaded?.(message);
  if (drawn) return drawn;
  const slot = h("div", { class: "widget" }, enhance(message.content));
  if (!drawLoaded) {
    lazy("dialogs", "drawWidget").then((drawWidget) => {
      drawLoaded = drawWidget;
      const widget = drawWidget(message);
      if (widget) slot.replaceWith(widget);
    }, () => {}); // offline: the content stays
  }
  return slot;
}
