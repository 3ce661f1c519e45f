/** The cache of messages by id. It keeps all that are in a list, and some thousands that were used before. */

import { emit } from "../core/signals.js";

/** @typedef {import("../core/api_types.d.ts").Schemas} Schemas */
/** @typedef {Schemas["MessageObject"]} ApiMessage a message as the server sends it */
/** @typedef {Omit<Schemas["ReactionObject"], "user">} Reaction */
/** @typedef {Omit<ApiMessage, "reactions"> & {reactions: Reaction[], stream_id: number, flags: string[],
 *   version: number}} Message `version` counts the changes of what a row shows */

const MAX_MESSAGES = 5000;

/** @type {Map<number, Message>} most recently used last */
const messages = new Map();

export function clearMessages() {
  messages.clear();
}

/** @param {number} id
 * @returns {Message | undefined} */
export function findMessage(id) {
  return messages.get(id);
}

/** Add a message that the server sent, or update the cached one.
 * @param {ApiMessage | Message} sent
 * @param {boolean} [isMatch] it is a search result, with the matches marked
 * @returns {Message} */
export function storeMessage(sent, isMatch = false) {
  const before = messages.get(sent.id);
  const message = /** @type {Message} */ (before ?? { version: 0 });
  if (!isMatch) {
    delete sent.match_content;
    delete sent.match_subject;
  }
  const isChanged = before && !isUnchanged(before, sent);
  Object.assign(message, sent);
  messages.delete(message.id);
  messages.set(message.id, message);
  if (isChanged) {
    message.version++;
    emit("messageChanged", message.id);
  }
  return message;
}

/** Change a cached message, and have its row drawn again.
 * @param {number} id
 * @param {Partial<Message>} changes */
export function updateMessage(id, changes) {
  const message = messages.get(id);
  if (!message) return;
  Object.assign(message, changes);
  message.version++;
  emit("messageChanged", id);
}

/** @param {number} id
 * @param {string} flag
 * @param {boolean} isSet */
export function setFlag(id, flag, isSet) {
  const message = messages.get(id);
  if (!message || message.flags.includes(flag) === isSet) return;
  const others = message.flags.filter((each) => each !== flag);
  const flags = isSet ? [...others, flag] : others;
  if (flag === "read")
    message.flags = flags; // rows do not show it
  else updateMessage(id, { flags });
}

/** @param {number[]} ids */
export function removeMessages(ids) {
  for (const id of ids) messages.delete(id);
}

/** Evict the least recently used messages that are in no list.
 * @param {Set<number>} used */
export function trimMessages(used) {
  for (const id of messages.keys()) {
    if (messages.size <= MAX_MESSAGES) return;
    if (!used.has(id)) messages.delete(id);
  }
}

/** All cached messages, oldest first.
 * @returns {Message[]} */
export function cachedMessages() {
  return [...messages.values()].sort((a, b) => a.id - b.id);
}

/** @param {Message} before
 * @param {ApiMessage | Message} sent */
function isUnchanged(before, sent) {
  return (
    before.content === sent.content &&
    before.match_content === sent.match_content &&
    before.subject === sent.subject &&
    before.last_edit_timestamp === sent.last_edit_timestamp &&
    reactionKeys(before) === reactionKeys(sent) &&
    before.submessages.length === sent.submessages.length &&
    before.flags.toSorted().join() === (sent.flags ?? []).toSorted().join()
  );
}

/** Who has reacted with what, as a string.
 * @param {ApiMessage | Message} message */
function reactionKeys({ reactions }) {
  return reactions
    .map((each) => [each.reaction_type, each.emoji_code, each.user_id].join())
    .sort()
    .join(";");
}
