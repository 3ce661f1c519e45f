/** Enter in a code block, list or quote of a text that is being written. */

/** @typedef {import("./formatting.js").Change} Change */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^(\s*)(?:([*+-])|(\d{1,9})([.)]))(\s+)(.*)$/; // of a list
const QUOTE = /^((?:>\s?)+)(.*)$/;

/** What Enter does at a place that is not the end of a message: in a code block it begins a line with the same
 * indentation, in a list the next item, in a quote its next line. In an empty item or line it ends the list or quote.
 * @param {string} text
 * @param {number} caret
 * @returns {Change | undefined} undefined elsewhere */
export function continueBlock(text, caret) {
  const start = text.lastIndexOf("\n", caret - 1) + 1;
  const line = text.slice(start, caret);
  if (isInFence(text.slice(0, start), line)) return inserted(`\n${/^\s*/.exec(line)?.[0] ?? ""}`, caret);
  const next = nextMarker(line);
  if (!next) return undefined;
  if (next.isEmpty) return { text: "", from: start, to: caret, select: [start, start] };
  return inserted(`\n${next.marker}`, caret);
}

/** Whether a line is in a code block that an earlier line or the line itself opens.
 * @param {string} before the lines before it
 * @param {string} line */
function isInFence(before, line) {
  let open = "";
  for (const each of [...before.split("\n").slice(0, -1), line]) {
    const mark = FENCE.exec(each)?.[1] ?? "";
    if (!open) open = mark;
    else if (mark.startsWith(open) && !each.trim().slice(mark.length)) open = "";
  }
  return open !== "";
}

/** What the line after a line of a list or quote begins with.
 * @param {string} line
 * @returns {{marker: string, isEmpty: boolean} | undefined} */
function nextMarker(line) {
  const item = ITEM.exec(line);
  if (item) {
    const [, indent, bullet, number, dot, gap, rest] = item;
    return { marker: `${indent}${bullet ?? `${Number(number) + 1}${dot}`}${gap}`, isEmpty: !rest.trim() };
  }
  const quote = QUOTE.exec(line);
  return quote ? { marker: quote[1], isEmpty: !quote[2].trim() } : undefined;
}

/** @param {string} text
 * @param {number} at
 * @returns {Change} */
function inserted(text, at) {
  return { text, from: at, to: at, select: [at + text.length, at + text.length] };
}

/** What Enter does in a box whose selection is empty; undefined outside of blocks.
 * @param {HTMLTextAreaElement} box */
export function continuationIn({ value, selectionStart, selectionEnd }) {
  return selectionStart === selectionEnd ? continueBlock(value, selectionStart) : undefined;
}
