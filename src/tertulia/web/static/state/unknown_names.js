/** Names in a search that the page does not know, and the names that are most like them. */

import { normalizeText } from "./name_match.js";

/** @typedef {import("./narrow.js").Term} Term */

/** The first term that names a person or a channel that the page does not know.
 * @param {Term[]} terms
 * @returns {{kind: "person" | "channel", name: string, term: Term} | undefined} */
export function unknownName(terms) {
  for (const term of terms) {
    if (typeof term.operand !== "string" || /^\d+$/.test(term.operand)) continue;
    if (["sender", "dm", "dm-including", "mentions"].includes(term.operator))
      return { kind: "person", name: term.operand, term };
    if (term.operator === "channel") return { kind: "channel", name: term.operand, term };
  }
  return undefined;
}

/** The names that are most like a text, best first: those that share the most pairs of letters with it.
 * @param {string} text
 * @param {string[]} names
 * @returns {string[]} at most three */
export function nearestNames(text, names) {
  const wanted = letterPairs(text);
  const scored = names.map((name) => {
    const parts = [name, ...name.split(/\s+/)].map((part) => letterPairs(part));
    return {
      name,
      score: Math.max(
        ...parts.map(
          (pairs) => (2 * wanted.filter((pair) => pairs.includes(pair)).length) / (wanted.length + pairs.length || 1),
        ),
      ),
    };
  });
  return scored
    .filter(({ score }) => score > 0.25)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** @param {string} text */
function letterPairs(text) {
  const letters = ` ${normalizeText(text)}`;
  return [...letters].slice(1).map((letter, at) => letters[at] + letter);
}
