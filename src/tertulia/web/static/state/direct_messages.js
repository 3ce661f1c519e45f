/** Direct conversations and the newest message of each. */

import { conversationOf, directWith, isInChannel, keyOf } from "./conversations.js";
import { emit } from "../core/signals.js";

/** @typedef {import("./conversations.js").Direct} Direct */

/** @type {Map<string, {conversation: Direct, newest: number}>} */
const directs = new Map();

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initDirectMessages(snapshot) {
  directs.clear();
  for (const each of snapshot.recent_private_conversations ?? [])
    recordNewest(directWith(each.user_ids), each.max_message_id);
}

/** @param {import("./messages.js").Message} message */
export function recordDirectMessage(message) {
  const conversation = conversationOf(message);
  if (isInChannel(conversation)) return;
  recordNewest(conversation, message.id);
  emit("unread");
}

/** All direct conversations, the newest first.
 * @returns {{conversation: Direct, newest: number}[]} */
export function recentDirectMessages() {
  return [...directs.values()].sort((a, b) => b.newest - a.newest);
}

/** @param {Direct} conversation
 * @param {number} id */
function recordNewest(conversation, id) {
  const key = keyOf(conversation);
  directs.set(key, { conversation, newest: Math.max(id, directs.get(key)?.newest ?? 0) });
}
