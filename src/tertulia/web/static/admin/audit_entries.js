/** Entries of the audit log as sentences. */

import { h } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { channels, channelName } from "../state/channels.js";
import { nameOf } from "../state/people.js";
import { state } from "../state/session.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["AuditEntry"]} Entry */
/** @typedef {import("../core/html.js").Child} Child */

const DONE = "done";
const OBJECT = "\u0000";

/** @param {Entry} entry */
export function isFailed(entry) {
  return entry.result !== DONE;
}

/** The action in words. The name of its object is bold.
 * @param {Entry} entry
 * @returns {Child[]} */
export function sentenceOf(entry) {
  const [before, after] = wordsOf(entry).split(OBJECT);
  return [before, after !== undefined && h("b", {}, h("bdi", {}, objectName(entry) ?? t("audit.something"))), after ?? ""];
}

/** The sentence as plain text.
 * @param {Entry} entry */
export function textOf(entry) {
  return wordsOf(entry).replace(OBJECT, objectName(entry) ?? t("audit.something"));
}

/** Names and values of the details: settings by their labels.
 * @param {Entry} entry */
export function detailsOf(entry) {
  const shown = Object.entries(entry.details).filter(([name]) => name !== "numbers" && name !== "user_id");
  return formatList(shown.map(([name, value]) => (value === null ? labelOf(name) : `${labelOf(name)}: ${typeof value === "object" ? JSON.stringify(value) : value}`)));
}

/** @param {Entry} entry */
export function actorName(entry) {
  if (entry.actor_id !== null) return nameOf(entry.actor_id);
  const [kind, name] = entry.address.split(", ");
  if (kind === "command line") return t("audit.command-line");
  return kind === "provider" ? name : t("audit.stranger");
}

/** @param {Entry} entry */
function wordsOf(entry) {
  const name = textNamed(`audit.act.${entry.act.replaceAll(/\/\d+/g, "/{id}")}`, { object: OBJECT });
  const words = name ?? (/^[A-Z]/.test(entry.act) ? entry.act : t("audit.act.command", { name: entry.act }));
  return isFailed(entry) ? t("audit.failed", { what: words, why: textNamed(`audit.why.${entry.result}`) ?? entry.result }) : words;
}

/** @param {Entry} entry
 * @returns {string | undefined} */
function objectName(entry) {
  const [kind, number] = entry.object?.split("/") ?? [];
  const id = Number(number);
  if (kind === "user") return nameOf(id);
  if (kind === "channel") return channels.has(id) ? channelName(id) : t("audit.channel", { id: number });
  if (kind === "group") return state.realm_user_groups?.find((group) => group.id === id)?.name ?? t("audit.group", { id: number });
  return kind === "message" ? t("audit.message", { id: number }) : undefined;
}

/** @param {string} name of a setting or parameter */
function labelOf(name) {
  return textNamed(`org.${name}`) ?? name;
}

/** A text that may not exist.
 * @param {string} name
 * @param {Record<string, string>} [values] */
function textNamed(name, values) {
  try {
    return t(name, values);
  } catch {
    return undefined;
  }
}
