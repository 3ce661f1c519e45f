/** The newest direct message with each person: typeahead suggests recent contacts first. */

import { participantIds } from "./conversations.js";
import { state } from "./session.js";
import { on } from "../core/signals.js";

/** @type {Map<number, number>} message id by person */
const newestByPerson = new Map();

export function initRecentContacts() {
  newestByPerson.clear();
  for (const { user_ids: ids, max_message_id: id } of state.recent_private_conversations ?? []) recordContacts(ids, id);
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

on("reset", initRecentContacts);
on("messageArrived", (message) => {
  if (message.type === "private") recordContacts(participantIds(message), message.id);
});
