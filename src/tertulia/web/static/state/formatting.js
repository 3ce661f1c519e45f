/** What the tools above a text do to it: bold, a link, a list, a poll. Text in, text out. */

/** @typedef {{text: string, from: number, to: number, select: [number, number]}} Change
 *   what to put in place of which part, and what is selected then */

/** @type {Record<string, (chosen: string) => {before: string, inner: string, after: string}>} */
const TOOLS = {
  bold: between("**"),
  italic: between("*"),
  strike: between("~~"),
  code: (chosen) => (chosen.includes("\n") ? { before: "```\n", inner: chosen, after: "\n```" } : { before: "`", inner: chosen, after: "`" }),
  link: (chosen) => (/^https?:\S+$/.test(chosen) ? { before: "[", inner: "", after: `](${chosen})` } : { before: "[", inner: chosen, after: "](url)" }),
  quote: (chosen) => ({ before: "```quote\n", inner: chosen, after: "\n```" }),
  spoiler: (chosen) => ({ before: "```spoiler ", inner: "", after: `\n${chosen}\n\`\`\`` }),
  list: lines((line) => `* ${line}`),
  numbers: lines((line, at) => `${at + 1}. ${line}`),
  math: between("$$"),
  poll: (chosen) => ({ before: "/poll ", inner: chosen.replaceAll("\n", " "), after: "\n\n" }),
  todo: (chosen) => ({ before: "/todo ", inner: chosen.replaceAll("\n", " "), after: "\n" }),
};

const WHOLE = new Set(["poll", "todo"]); // these are a message by themselves
const ON_LINES = new Set(["quote", "spoiler", "list", "numbers"]);

/** @param {string} how
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @returns {Change} */
export function dressed(how, text, from, to) {
  const isWhole = WHOLE.has(how);
  const [start, end] = isWhole ? [0, text.length] : [from, to];
  const chosen = text.slice(start, end);
  const undone = isWhole ? undefined : stripped(how, text, start, end);
  if (undone) return undone;

  const { before, inner, after } = TOOLS[how](chosen);
  const lead = ON_LINES.has(how) && start > 0 && text[start - 1] !== "\n" ? "\n" : "";
  const at = start + lead.length + before.length;
  return { text: lead + before + inner + after, from: start, to: end, select: [at, at + inner.length] };
}

/** Bold text that is made bold again is plain.
 * @param {string} how
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @returns {Change | undefined} */
function stripped(how, text, from, to) {
  const mark = /** @type {Record<string, string>} */ ({ bold: "**", strike: "~~", math: "$$" })[how];
  if (!mark || text.slice(from - mark.length, from) !== mark || text.slice(to, to + mark.length) !== mark) return undefined;
  const inner = text.slice(from, to);
  return { text: inner, from: from - mark.length, to: to + mark.length, select: [from - mark.length, to - mark.length] };
}

/** @param {string} mark */
function between(mark) {
  return (/** @type {string} */ chosen) => ({ before: mark, inner: chosen, after: mark });
}

/** @param {(line: string, at: number) => string} each */
function lines(each) {
  return (/** @type {string} */ chosen) => ({ before: "", inner: chosen.split("\n").map(each).join("\n"), after: "" });
}
