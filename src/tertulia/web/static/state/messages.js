/** The messages that we hold: as many as are in use, and some thousands that were. */

import { emit } from "../core/signals.js";

/** @typedef {import("../core/api_types.d.ts").Schemas} Schemas */
/** @typedef {Schemas["MessageObject"]} ApiMessage a message as the server tells it */
/** @typedef {Omit<Schemas["ReactionObject"], "user">} Reaction */
/** @typedef {Omit<ApiMessage, "reactions"> & {reactions: Reaction[], stream_id: number, flags: string[],
 *   display_recipient: any, version: number}} Message */

const MAX_MESSAGES = 5000;

/** @type {Map<number, Message>} the ones used last at the end */
const messages = new Map();

export function clearMessages() {
  messages.clear();
}

/** @param {number} id
 * @returns {Message | undefined} */
export function findMessage(id) {
  return messages.get(id);
}

/** Take in what the server sent; what we know of a message already is brought up to date.
 * @param {Record<string, any>} sent
 * @param {boolean} [isMatch] it comes from a search, and tells what was found
 * @returns {Message} */
export function storeMessage(sent, isMatch = false) {
  const before = messages.get(sent.id);
  const message = /** @type {Message} */ (before ?? { version: 0 });
  if (!isMatch) {
    delete sent.match_content;
    delete sent.match_subject;
  }
  if (before && !isUnchanged(before, sent)) message.version++;
  Object.assign(message, sent);
  messages.delete(message.id);
  messages.set(message.id, message);
  return message;
}

/** Change a message that we hold, and have it shown anew.
 * @param {number} id
 * @param {Partial<Message>} changes */
export function updateMessage(id, changes) {
  const message = messages.get(id);
  if (!message) return;
  Object.assign(message, changes);
  message.version++;
  emit("message", id);
}

/** @param {number} id
 * @param {string} flag
 * @param {boolean} isSet */
export function setFlag(id, flag, isSet) {
  const message = messages.get(id);
  if (!message || message.flags.includes(flag) === isSet) return;
  const others = message.flags.filter((each) => each !== flag);
  const flags = isSet ? [...others, flag] : others;
  if (flag === "read") message.flags = flags; // nothing to be seen of it in a row
  else updateMessage(id, { flags });
}

/** @param {number[]} ids */
export function removeMessages(ids) {
  for (const id of ids) messages.delete(id);
}

/** Let go of the messages that were used longest ago and are in no list.
 * @param {Set<number>} used */
export function trimMessages(used) {
  for (const id of messages.keys()) {
    if (messages.size <= MAX_MESSAGES) return;
    if (!used.has(id)) messages.delete(id);
  }
}

/** All messages that we hold, oldest first.
 * @returns {Message[]} */
export function cachedMessages() {
  return [...messages.values()].sort((a, b) => a.id - b.id);
}

/** @param {Record<string, any>} before
 * @param {Record<string, any>} sent */
function isUnchanged(before, sent) {
  return before.content === sent.content && before.match_content === sent.match_content
    && before.subject === sent.subject && before.last_edit_timestamp === sent.last_edit_timestamp
    && before.reactions.length === sent.reactions.length && before.submessages.length === sent.submessages.length
    && before.flags.length === sent.flags.length;
}
