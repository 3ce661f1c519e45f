/** With whom one has talked lately, so that those are offered first. */

import { known } from "./session.js";
import { on } from "../core/signals.js";

/** @type {Map<number, number>} the newest direct message with a person */
const newest = new Map();

export function learnPartners() {
  newest.clear();
  for (const { user_ids: ids, max_message_id: id } of known.recent_private_conversations ?? []) notePartners(ids, id);
}

/** @param {number[]} ids
 * @param {number} message */
function notePartners(ids, message) {
  for (const id of ids) newest.set(id, Math.max(newest.get(id) ?? 0, message));
}

/** @param {number} id
 * @returns {number} the later, the greater; 0 if never */
export function lastTalkedAt(id) {
  return newest.get(id) ?? 0;
}

on("replaced", learnPartners);
on("arrived", (message) => {
  if (message.type === "private") notePartners(message.display_recipient.map((/** @type {{id: number}} */ person) => person.id), message.id);
});
