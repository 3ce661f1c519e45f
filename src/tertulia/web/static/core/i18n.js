/** Texts in the person's language, from the catalogue in `locale/`. */

import { language, pluralForm, texts } from "./texts.js";

const numbers = new Intl.NumberFormat(language);

/** The text of a key, with `{…}` filled in. A text with several forms follows `count`.
 * @template {string} const K
 * @param {K & import("./text_types.d.ts").CheckedKey<K>} key
 * @param {import("./text_types.d.ts").TextValues<K>} given
 * @returns {string} */
export function t(key, ...given) {
  const text = textIfAny(key, given[0]);
  if (text === undefined) throw new Error(`no text has the key ${key}`);
  return text;
}

/** The text of a key that may not exist.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string | undefined} */
export function textIfAny(key, values = {}) {
  const forms = texts[key];
  const text = Array.isArray(forms) ? forms[pluralForm(Number(values.count))] : forms;
  return text?.replaceAll(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) =>
    formatValue(values[name]),
  );
}

/** A label and what it is about: "Skin tone: none".
 * @param {string} label
 * @param {string} value */
export function formatLabel(label, value) {
  return t("label.of", { label, value });
}

/** A text as nodes, with the given nodes in place of `{…}`.
 * @template {string} const K
 * @param {K & import("./text_types.d.ts").CheckedKey<K>} key
 * @param {import("./text_types.d.ts").TextValues<K, (Node | string)[]>} given
 * @returns {(Node | string)[]} */
export function textWith(key, ...given) {
  const parts = /** @type {Record<string, (Node | string)[]>} */ (given[0] ?? {});
  const marks = Object.fromEntries(Object.keys(parts).map((part) => [part, `\u0000${part}\u0000`]));
  return (textIfAny(key, marks) ?? "").split("\u0000").flatMap((piece, index) => (index % 2 ? parts[piece] : piece));
}

/** @param {Record<string, string | string[]>} more texts of another chunk */
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
