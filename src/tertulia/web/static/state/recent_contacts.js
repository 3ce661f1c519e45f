/** With whom one has talked lately, so that those are offered first. */

import { state } from "./session.js";
import { on } from "../core/signals.js";

/** @type {Map<number, number>} the newest direct message with a person */
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
 * @returns {number} the later, the greater; 0 if never */
export function newestMessageWith(id) {
  return newestByPerson.get(id) ?? 0;
}

on("replaced", initRecentContacts);
on("arrived", (message) => {
  if (message.type === "private") recordContacts(message.display_recipient.map((/** @type {{id: number}} */ person) => person.id), message.id);
});
