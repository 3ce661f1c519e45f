/** Texts in the person's language. They are in `translations/`, a folder for each language; the server puts the
 * file of the right language in place of `texts.js`. */

import { language, texts } from "./texts.js";

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/** The text of a name, with `{…}` filled in. A text with `one` and `other` follows `count`.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 * @returns {string} */
export function t(name, values = {}) {
  let text = texts[name];
  if (text === undefined) throw new Error(`no text has the name ${name}`);
  if (typeof text !== "string") text = text[plurals.select(Number(values.count))] ?? text.other;
  return text.replaceAll(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ key) => formatValue(values[key]));
}

/** A label and what it is about: "Skin tone: none".
 * @param {string} label
 * @param {string} value */
export function formatLabel(label, value) {
  return t("label.of", { label, value });
}

/** A text as nodes, with the given nodes in place of `{…}`.
 * @param {string} name
 * @param {Record<string, (Node | string)[]>} parts
 * @returns {(Node | string)[]} */
export function textWith(name, parts) {
  const marks = Object.fromEntries(Object.keys(parts).map((part) => [part, `\u0000${part}\u0000`]));
  return t(name, marks).split("\u0000").flatMap((piece, index) => (index % 2 ? parts[piece] : piece));
}

/** @param {Record<string, string | Record<string, string>>} more texts of another chunk */
export function addTexts(more) {
  Object.assign(texts, more);
}

/** A list as text: "Ana, Ben and Cleo".
 * @param {string[]} names
 * @returns {string} */
export function formatList(names) {
  return new Intl.ListFormat(language, { type: "conjunction" }).format(names);
}

/** @param {number} number */
export function formatNumber(number) {
  return numbers.format(number);
}

/** A number with its sign: +3. From right to left the sign keeps its place before the number.
 * @param {number} number */
export function formatIncrease(number) {
  return new Intl.NumberFormat(language, { signDisplay: "always" }).format(number);
}

export function currentLanguage() {
  return language;
}

/** @param {string | number | undefined} value */
function formatValue(value) {
  return typeof value === "number" ? numbers.format(value) : (value ?? "");
}
