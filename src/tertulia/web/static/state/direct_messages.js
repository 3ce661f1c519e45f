/** Direct conversations, and which message in each is the newest. */

import { conversationOf, directWith, isInChannel, keyOf } from "./conversations.js";
import { tell } from "../core/signals.js";

/** @typedef {import("./conversations.js").Direct} Direct */

/** @type {Map<string, {conversation: Direct, newest: number}>} */
const held = new Map();

/** @param {Record<string, any>} state a register answer */
export function learnDirects(state) {
  held.clear();
  for (const each of state.recent_private_conversations ?? []) remember(directWith(each.user_ids), each.max_message_id);
}

/** @param {Record<string, any>} message */
export function noteDirect(message) {
  const conversation = conversationOf(message);
  if (isInChannel(conversation)) return;
  remember(conversation, message.id);
  tell("unread");
}

/** All of them, the newest first.
 * @returns {{conversation: Direct, newest: number}[]} */
export function recentDirects() {
  return [...held.values()].sort((a, b) => b.newest - a.newest);
}

/** @param {Direct} conversation
 * @param {number} id */
function remember(conversation, id) {
  const key = keyOf(conversation);
  held.set(key, { conversation, newest: Math.max(id, held.get(key)?.newest ?? 0) });
}
