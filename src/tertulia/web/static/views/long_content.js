/** Long content: of a high message, of long code and of many reactions only the beginning is shown, and a button
 * shows all. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";

const MAX_HEIGHT_PX = 600;
const MAX_CODE_LINES = 40;
export const MAX_REACTIONS = 30;

/** What the person has expanded. @type {Map<number, Set<string>>} parts by message: `all`, `code0`, `reactions` */
const expanded = new Map();

/** @param {number} id
 * @param {string} part */
export function isExpanded(id, part) {
  return expanded.get(id)?.has(part) ?? false;
}

/** @param {number} id
 * @param {string} part
 * @returns {boolean} whether it is expanded now */
export function toggleExpanded(id, part) {
  const parts = expanded.get(id) ?? new Set();
  expanded.set(id, parts);
  if (parts.delete(part)) return false;
  parts.add(part);
  return true;
}

/** @param {number} id */
export function expandedSignature(id) {
  return [...(expanded.get(id) ?? [])].join();
}

/** The button that shows all of a part, or less again.
 * @param {number} id
 * @param {string} part
 * @param {`row.show-${string}`} key
 * @param {number} [count] */
export function expandButton(id, part, key, count = 0) {
  const isOpen = isExpanded(id, part);
  return h(
    "button",
    { class: "b bare expand", type: "button", "data-do": "expand", "data-part": part, "aria-expanded": String(isOpen) },
    isOpen ? t("row.show-less") : t(key, { count }),
  );
}

/** Shorten code of many lines.
 * @param {Element} content
 * @param {number} id */
export function clipCode(content, id) {
  content.querySelectorAll(".codehilite").forEach((block, at) => {
    const lines = (block.querySelector("pre")?.textContent ?? "").trimEnd().split("\n").length;
    if (lines <= MAX_CODE_LINES) return;
    block.classList.toggle("clipped", !isExpanded(id, `code${at}`));
    block.append(expandButton(id, `code${at}`, "row.show-lines", lines));
  });
}

/** Shorten messages that are too high. They are in the document, so that their height is known.
 * @param {HTMLElement[]} articles */
export function clipHighMessages(articles) {
  const contents = articles.map((article) => /** @type {HTMLElement | null} */ (article.querySelector(".what")));
  for (const content of contents.filter((each) => each && each.offsetHeight > MAX_HEIGHT_PX))
    if (content) clipMessage(content);
}

/** @param {HTMLElement} content */
function clipMessage(content) {
  const id = Number(/** @type {HTMLElement} */ (content.parentElement).dataset.id);
  const isReading = [...(expanded.get(id) ?? [])].some((part) => part.startsWith("code"));
  if (content.querySelector("form") || isReading) return; // an edit, or code that was just expanded
  const shown = [...content.childNodes].filter(
    (node) => !(node instanceof Element && node.matches(".reacts, .send-state")),
  );
  content.prepend(
    h("div", { class: isExpanded(id, "all") ? "" : "clipped" }, ...shown),
    expandButton(id, "all", "row.show-all"),
  );
}
