/** Values of fields of commands and forms. The page checks them by the same description as the server. */

import { t } from "../core/i18n.js";
import { channels } from "../state/channels.js";
import { people } from "../state/people.js";

/** @typedef {{name: string, type: string, label?: string, help?: string, required?: boolean, choices?: {value: string,
 *   label?: string}[], min?: number | null, max?: number | null, max_length?: number | null}} Field */

const MAX_LINE_LENGTH = 1000;
const MAX_TEXT_LENGTH = 10_000;
const MAX_TOPIC_LENGTH = 60;

/** @param {unknown} value */
export function isEmpty(value) {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);
}

/** @param {Field} field */
export function labelOfField(field) {
  return field.label || field.name;
}

/** The value that a text in one line stands for; undefined if it stands for none.
 * @param {Field} field
 * @param {string} text
 * @returns {unknown} */
export function valueOfText(field, text) {
  const typed = text.trim();
  const same = (/** @type {string} */ name) => name.toLowerCase() === typed.toLowerCase();
  if (field.type === "number") return typed && Number.isFinite(Number(typed)) ? Number(typed) : undefined;
  if (field.type === "choice") return field.choices?.find((each) => same(each.value) || same(each.label ?? ""))?.value;
  if (field.type === "person") return [...people.values()].find((each) => same(each.full_name))?.user_id;
  if (field.type === "channel") return [...channels.values()].find((each) => same(each.name))?.stream_id;
  if (field.type === "date") return /^\d{4}-\d\d-\d\d$/.test(typed) ? typed : undefined;
  return typed;
}

/** What is wrong with a value, as a sentence; empty if nothing is.
 * @param {Field} field
 * @param {unknown} value
 * @param {string} [typed] the text, if the value was found by it
 * @returns {string} */
export function problemOf(field, value, typed = "") {
  const text = typed.trim();
  if (isEmpty(value) && !text) return field.required === false ? "" : t("apps.wrong.missing");
  if (isEmpty(value)) return unknownText(field, text);
  if (typeof value === "number" && field.type === "number") {
    const { min, max } = field;
    if (min !== undefined && min !== null && value < min) return t("apps.wrong.small", { min });
    if (max !== undefined && max !== null && value > max) return t("apps.wrong.large", { max });
  }
  if (typeof value === "string" && [...value].length > maxLength(field)) return t("apps.wrong.too-long");
  return "";
}

/** @param {Field} field
 * @param {string} value */
function unknownText(field, value) {
  if (field.type === "choice") {
    const choices = (field.choices ?? []).map((each) => each.label || each.value).join(", ");
    return t("apps.wrong.none-of", { value, choices });
  }
  if (field.type === "person") return t("apps.wrong.person", { value });
  if (field.type === "channel") return t("apps.wrong.channel", { value });
  return t(field.type === "date" ? "apps.wrong.date" : "apps.wrong.number", { value });
}

/** @param {Field} field */
function maxLength({ type, max_length }) {
  const most = type === "long_text" ? MAX_TEXT_LENGTH : type === "topic" ? MAX_TOPIC_LENGTH : MAX_LINE_LENGTH;
  return Math.min(most, max_length ?? most);
}

/** What the server says is wrong with a field, as a sentence.
 * @param {string} problem a word of the server, or a sentence of the bot
 * @returns {string} */
export function serverProblem(problem) {
  if (problem === "missing") return t("apps.wrong.missing");
  if (problem === "too-long") return t("apps.wrong.too-long");
  return /^[a-z-]+$/.test(problem) ? t("apps.wrong.value") : problem;
}
