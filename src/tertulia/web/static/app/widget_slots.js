/** Places for polls, to-do lists and forms. What they do comes with the later file; until then, and for
 * kinds that nobody knows, the message's own words are shown. */

import { alive } from "./content.js";
import { h } from "./html.js";
import { later } from "./files.js";

/** @type {((message: import("./messages.js").Message) => HTMLElement | null) | null} */
let draw = null;

/** @param {import("./messages.js").Message} message
 * @returns {HTMLElement} */
export function widgetSlot(message) {
  const drawn = draw?.(message);
  if (drawn) return drawn;
  const slot = h("div", { class: "widget" }, alive(message.content));
  if (!draw) {
    later("drawWidget").then((drawWidget) => {
      draw = drawWidget;
      const widget = drawWidget(message);
      if (widget) slot.replaceWith(widget);
    }, () => {}); // offline: the words stay
  }
  return slot;
}
