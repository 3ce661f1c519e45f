/** Files in messages: a link to an uploaded file that has a line of its own is a card with the file's size and a button
 * that downloads it. Pictures and films have previews. */

import { h, icon } from "../core/html.js";
import { currentLanguage, t } from "../core/i18n.js";

const PREVIEWED = /\.(png|jpe?g|gif|webp|avif|heic|bmp|mp4|webm|mov|m4v)$/i;
const KILOBYTE = 1000;
const UNITS = ["kilobyte", "megabyte", "gigabyte", "terabyte"];

/** @type {Map<string, Promise<number>>} in bytes, by address; 0 if it is not known */
const sizes = new Map();

/** @param {HTMLAnchorElement} link */
export function makeFileCard(link) {
  const address = link.getAttribute("href") ?? "";
  if (PREVIEWED.test(address) || !hasOwnLine(link)) return;
  const name = link.textContent ?? "";
  const label = t("content.download", { name });
  const download = h("a", { class: "ib", href: address, download: name, "aria-label": label, title: label });
  download.append(icon("download"));
  const size = h("small");
  const card = h("span", { class: "file-card" }, icon("clip"), h("span", { class: "cut" }), size, download);
  const after = nextNode(link, "nextSibling");
  if (after instanceof Element) after.remove(); // the line break
  link.replaceWith(card);
  card.children[1].append(link);
  showSize(size, address);
}

/** @param {HTMLElement} element
 * @param {string} address */
async function showSize(element, address) {
  if (!sizes.has(address)) sizes.set(address, fetchSize(address));
  const size = await sizes.get(address);
  if (size) element.textContent = formatSize(size);
}

/** @param {string} address */
async function fetchSize(address) {
  try {
    const response = await fetch(address, { method: "HEAD", redirect: "manual" });
    return response.ok ? Number(response.headers.get("Content-Length")) : 0;
  } catch {
    sizes.delete(address); // offline: the next drawing asks again
    return 0;
  }
}

/** @param {HTMLAnchorElement} link */
function hasOwnLine(link) {
  const around = [nextNode(link, "previousSibling"), nextNode(link, "nextSibling")];
  const isEnd = (/** @type {Node | null} */ node) =>
    !node || node.nodeName === "BR" || (node instanceof Element && node.matches(".file-card"));
  return link.parentElement?.tagName === "P" && around.every(isEnd);
}

/** The next sibling that is not white space.
 * @param {Node} node
 * @param {"previousSibling" | "nextSibling"} direction */
function nextNode(node, direction) {
  let found = node[direction];
  while (found && found.nodeType === Node.TEXT_NODE && !found.nodeValue?.trim()) found = found[direction];
  return found;
}

/** @param {number} bytes
 * @returns {string} 1.5 kB */
export function formatSize(bytes) {
  let size = bytes / KILOBYTE;
  let step = 0;
  while (size >= KILOBYTE && step < UNITS.length - 1) {
    size /= KILOBYTE;
    step += 1;
  }
  return new Intl.NumberFormat(currentLanguage(), {
    style: "unit",
    unit: UNITS[step],
    maximumFractionDigits: 1,
  }).format(size);
}
