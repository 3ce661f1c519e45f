/** Formatting tools of the compose box: bold, link, list, poll. Text in, text out. */

/** @typedef {{text: string, from: number, to: number, select: [number, number]}} Change
 *   `text` replaces the range from `from` to `to`; `select` is the selection afterwards */

/** @type {Record<string, (selected: string) => {before: string, inner: string, after: string}>} */
const TOOLS = {
  bold: wrapWith("**"),
  italic: wrapWith("*"),
  strike: wrapWith("~~"),
  code: (selected) =>
    selected.includes("\n")
      ? { before: "```\n", inner: selected, after: "\n```" }
      : { before: "`", inner: selected, after: "`" },
  link: (selected) =>
    /^https?:\S+$/.test(selected)
      ? { before: "[", inner: "", after: `](${selected})` }
      : { before: "[", inner: selected, after: "](url)" },
  quote: (selected) => ({ before: "```quote\n", inner: selected, after: "\n```" }),
  spoiler: (selected) => ({ before: "```spoiler ", inner: "", after: `\n${selected}\n\`\`\`` }),
  list: mapLines((line) => `* ${line}`),
  numbers: mapLines((line, at) => `${at + 1}. ${line}`),
  math: wrapWith("$$"),
  poll: (selected) => ({ before: "/poll ", inner: selected.replaceAll("\n", " "), after: "\n\n" }),
  todo: (selected) => ({ before: "/todo ", inner: selected.replaceAll("\n", " "), after: "\n" }),
};

const WHOLE_MESSAGE = new Set(["poll", "todo"]); // they format the whole message
const OWN_LINES = new Set(["quote", "spoiler", "list", "numbers"]);

/** @param {string} tool
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @returns {Change} */
export function applyFormat(tool, text, from, to) {
  const isWhole = WHOLE_MESSAGE.has(tool);
  const [start, end] = isWhole ? [0, text.length] : [from, to];
  const selected = text.slice(start, end);
  const removed = isWhole ? undefined : removeFormat(tool, text, start, end);
  if (removed) return removed;

  const { before, inner, after } = TOOLS[tool](selected);
  const lead = OWN_LINES.has(tool) && start > 0 && text[start - 1] !== "\n" ? "\n" : "";
  const at = start + lead.length + before.length;
  return { text: lead + before + inner + after, from: start, to: end, select: [at, at + inner.length] };
}

/** Applying a tool to text that has its format removes the format.
 * @param {string} tool
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @returns {Change | undefined} */
function removeFormat(tool, text, from, to) {
  const mark = /** @type {Record<string, string>} */ ({ bold: "**", strike: "~~", math: "$$" })[tool];
  if (!mark || text.slice(from - mark.length, from) !== mark || text.slice(to, to + mark.length) !== mark)
    return undefined;
  const inner = text.slice(from, to);
  return {
    text: inner,
    from: from - mark.length,
    to: to + mark.length,
    select: [from - mark.length, to - mark.length],
  };
}

/** @param {string} mark */
function wrapWith(mark) {
  return (/** @type {string} */ selected) => ({ before: mark, inner: selected, after: mark });
}

/** @param {(line: string, at: number) => string} each */
function mapLines(each) {
  return (/** @type {string} */ selected) => ({
    before: "",
    inner: selected.split("\n").map(each).join("\n"),
    after: "",
  });
}
