/** The newest direct message with each person: typeahead suggests recent contacts first. */

import { participantIds } from "./conversations.js";
import { on } from "../core/signals.js";

/** @type {Map<number, number>} message id by person */
const newestByPerson = new Map();

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initRecentContacts(snapshot) {
  newestByPerson.clear();
  for (const { user_ids: ids, max_message_id: id } of snapshot.recent_private_conversations ?? [])
    recordContacts(ids, id);
}

/** @param {number[]} ids
 * @param {number} message */
function recordContacts(ids, message) {
  for (const id of ids) newestByPerson.set(id, Math.max(newestByPerson.get(id) ?? 0, message));
}

/** @param {number} id
 * @returns {number} a message id, or 0 */
export function newestMessageWith(id) {
  return newestByPerson.get(id) ?? 0;
}

on("messageArrived", (message) => {
  if (message.type === "private") recordContacts(participantIds(message), message.id);
});
