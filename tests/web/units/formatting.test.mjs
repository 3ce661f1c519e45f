import assert from "node:assert/strict";
import { test } from "node:test";
import { continueBlock } from "../../../src/tertulia/web/static/state/block_continuation.js";
import { applyFormat } from "../../../src/tertulia/web/static/state/formatting.js";

/** The text after a tool was used; `[` and `]` are the ends of the selection before and after. */
function used(tool, marked) {
  const from = marked.indexOf("[");
  const to = marked.indexOf("]") - 1;
  const text = marked.replace("[", "").replace("]", "");
  const change = applyFormat(tool, text, from, to);
  const after = text.slice(0, change.from) + change.text + text.slice(change.to);
  const [start, end] = change.select;
  return `${after.slice(0, start)}[${after.slice(start, end)}]${after.slice(end)}`;
}

for (const [tool, before, after] of [
  ["bold", "a [b] c", "a **[b]** c"],
  ["bold", "a **[b]** c", "a [b] c"],
  ["italic", "[]", "*[]*"],
  ["strike", "~~[b]~~", "[b]"],
  ["code", "[b]", "`[b]`"],
  ["code", "[b\nc]", "```\n[b\nc]\n```"],
  ["quote", "a [b]", "a \n```quote\n[b]\n```"],
  ["quote", "a\n[b]", "a\n```quote\n[b]\n```"],
  ["list", "[b\nc]", "[* b\n* c]"],
  ["numbers", "[b\nc]", "[1. b\n2. c]"],
  ["poll", "Soup [or\ncake]?", "/poll [Soup or cake?]\n\n"],
]) {
  test(`${tool}: ${JSON.stringify(before)} becomes ${JSON.stringify(after)}`, () => assert.equal(used(tool, before), after));
}

test("a selected address becomes the target of a link", () => {
  assert.deepEqual(applyFormat("link", "https://x.org", 0, 13), { text: "[](https://x.org)", from: 0, to: 13, select: [1, 1] });
  assert.deepEqual(applyFormat("link", "here", 0, 4), { text: "[here](url)", from: 0, to: 4, select: [1, 5] });
});

/** The text after Enter at the end, if Enter continues a block. */
function continued(text) {
  const change = continueBlock(text, text.length);
  return change && text.slice(0, change.from) + change.text;
}

for (const [before, after] of [
  ["```python\ndef f():", "```python\ndef f():\n"],
  ["```\n    indented", "```\n    indented\n    "],
  ["```", "```\n"],
  ["~~~\ncode", "~~~\ncode\n"],
  ["````\n```\ncode", "````\n```\ncode\n"],
  ["* one", "* one\n* "],
  ["  - one", "  - one\n  - "],
  ["9. nine", "9. nine\n10. "],
  ["1) one", "1) one\n2) "],
  ["* one\n* ", "* one\n"],
  ["> said", "> said\n> "],
  ["> said\n> ", "> said\n"],
]) {
  test(`Enter continues ${JSON.stringify(before)}`, () => assert.equal(continued(before), after));
}

for (const text of ["", "Soup's on", "```\ncode\n```", "```\ncode\n```\nmore", "*bold*", "1.5 litres", "-- ana"]) {
  test(`Enter sends ${JSON.stringify(text)}`, () => assert.equal(continued(text), undefined));
}
