/** Places for polls, to-do lists and forms. What they do comes with the later file; until then, and for
 * kinds that nobody knows, the message's own words are shown. */

import { alive } from "./rendered_content.js";
import { h } from "../core/html.js";
import { lazy } from "../core/lazy.js";

/** @type {((message: import("../state/messages.js").Message) => HTMLElement | null) | null} */
let draw = null;

/** @param {import("../state/messages.js").Message} message
 * @returns {HTMLElement} */
export function widgetSlot(message) {
  const drawn = draw?.(message);
  if (drawn) return drawn;
  const slot = h("div", { class: "widget" }, alive(message.content));
  if (!draw) {
    lazy("dialogs", "drawWidget").then((drawWidget) => {
      draw = drawWidget;
      const widget = drawWidget(message);
      if (widget) slot.replaceWith(widget);
    }, () => {}); // offline: the words stay
  }
  return slot;
}
