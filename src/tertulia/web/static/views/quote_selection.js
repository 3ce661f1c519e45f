/** The selected part of a message as Markdown. */

/** Elements whose text is enclosed in a mark. @type {Record<string, string>} */
const MARKS = { STRONG: "**", EM: "*", DEL: "~~", CODE: "`" };
const BLOCKS = new Set([
  "P",
  "UL",
  "OL",
  "BLOCKQUOTE",
  "PRE",
  "DIV",
  "TABLE",
  "TR",
  "H1",
  "H2",
  "H3",
  "H4",
  "H5",
  "H6",
]);

/** @param {DocumentFragment} fragment
 * @returns {string} */
export function markdownOf(fragment) {
  return convertChildren(fragment)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** @param {Node} node
 * @returns {string} */
function convertChildren(node) {
  return [...node.childNodes].map(convert).join("");
}

/** @param {Node} node
 * @returns {string} */
function convert(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? "";
  if (!(node instanceof Element) || node.matches("button, .hidden, [hidden]")) return "";
  if (node.matches(".user-mention, .user-group-mention")) return `@_**${(node.textContent ?? "").replace(/^@/, "")}**`;
  if (node.matches(".katex")) return `$$${node.querySelector("annotation")?.textContent ?? node.textContent}$$`;
  if (node.matches(".codehilite, pre"))
    return `\n\`\`\`\n${(node.querySelector("code") ?? node).textContent?.trimEnd()}\n\`\`\`\n`;
  const tag = node.tagName;
  const inner = convertChildren(node);
  if (tag === "BR") return "\n";
  if (tag === "IMG") return node.getAttribute("alt") ?? "";
  if (tag === "A") return convertLink(/** @type {HTMLAnchorElement} */ (node), inner);
  if (tag === "LI") return `\n${node.parentElement?.tagName === "OL" ? "1." : "*"} ${inner.trim()}`;
  if (tag === "TD" || tag === "TH") return `${inner.trim()} `;
  if (MARKS[tag] && inner.trim()) return MARKS[tag] + inner + MARKS[tag];
  if (/^H[1-6]$/.test(tag)) return `\n${"#".repeat(Number(tag[1]))} ${inner.trim()}\n`;
  return BLOCKS.has(tag) ? `\n${inner}\n` : inner;
}

/** @param {HTMLAnchorElement} link
 * @param {string} text */
function convertLink(link, text) {
  const address = link.getAttribute("href") ?? "";
  return !text.trim() || text === address || text === link.href ? text : `[${text}](${link.href})`;
}
