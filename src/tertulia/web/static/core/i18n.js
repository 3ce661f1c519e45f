/** The words a person reads, in their language. They are in `translations/`, a folder for each language;
 * the server gives us those of the one that is wanted as `texts.js`. */

import { language, texts } from "./texts.js";

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/** A text by its name, with `{…}` filled in; one that knows `one` and `other` goes by `count`.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 * @returns {string} */
export function t(name, values = {}) {
  let text = texts[name];
  if (text === undefined) throw new Error(`no text is called ${name}`);
  if (typeof text !== "string") text = text[plurals.select(Number(values.count))] ?? text.other;
  return text.replaceAll(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ key) => formatValue(values[key]));
}

/** @param {Record<string, string | Record<string, string>>} more texts that have come later */
export function addTexts(more) {
  Object.assign(texts, more);
}

/** Names as one would say them: "Ana, Ben and Cleo".
 * @param {string[]} names
 * @returns {string} */
export function formatList(names) {
  return new Intl.ListFormat(language, { type: "conjunction" }).format(names);
}

/** @param {number} number */
export function formatNumber(number) {
  return numbers.format(number);
}

export function currentLanguage() {
  return language;
}

/** @param {string | number | undefined} value */
function formatValue(value) {
  return typeof value === "number" ? numbers.format(value) : (value ?? "");
}
