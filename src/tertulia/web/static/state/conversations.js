/** A conversation is a topic of a channel, or some people who write to each other. Its key is a
 * string, so that conversations can be compared and kept in maps. */

import { channelName } from "./channels.js";
import { myId, realm } from "./session.js";
import { namesOf } from "./people.js";

/** @typedef {{channel: number, topic: string}} InChannel */
/** @typedef {{people: number[]}} Direct the others; oneself for notes to oneself */
/** @typedef {InChannel | Direct} Conversation */

const RESOLVED = "✔ ";

/** @param {Conversation} conversation
 * @returns {conversation is InChannel} */
export function isInChannel(conversation) {
  return "channel" in conversation;
}

/** @param {Conversation} conversation
 * @returns {string} */
export function keyOf(conversation) {
  return isInChannel(conversation)
    ? topicKey(conversation.channel, conversation.topic)
    : `d${conversation.people.join(",")}`;
}

/** @param {number} channel
 * @param {string} topic */
export function topicKey(channel, topic) {
  return `c${channel}:${topic.toLowerCase()}`;
}

/** A direct conversation from the ids of all or of the others.
 * @param {number[]} ids
 * @returns {Direct} */
export function directWith(ids) {
  const others = [...new Set(ids)].filter((id) => id !== myId()).sort((a, b) => a - b);
  return { people: others.length ? others : [myId()] };
}

/** @param {Record<string, any>} message
 * @returns {Conversation} */
export function conversationOf(message) {
  if (message.type === "stream") return { channel: message.stream_id, topic: message.subject };
  return directWith(message.display_recipient.map((/** @type {{id: number}} */ person) => person.id));
}

/** @param {string} topic */
export function isResolved(topic) {
  return topic.startsWith(RESOLVED);
}

/** A topic as it is shown: without the mark of a resolved one, and with a name if it has none.
 * @param {string} topic */
export function topicTitle(topic) {
  const bare = isResolved(topic) ? topic.slice(RESOLVED.length) : topic;
  return bare || realm("empty_topic_display_name") || "";
}

/** @param {string} topic
 * @param {boolean} resolved */
export function withResolved(topic, resolved) {
  const bare = isResolved(topic) ? topic.slice(RESOLVED.length) : topic;
  return resolved ? RESOLVED + bare : bare;
}

/** @param {Conversation} conversation */
export function titleOf(conversation) {
  return isInChannel(conversation) ? topicTitle(conversation.topic) : namesOf(conversation.people);
}

/** @param {Conversation} conversation
 * @returns {string} the title with its channel, for places where there is one line */
export function fullTitle(conversation) {
  return isInChannel(conversation) ? `${channelName(conversation.channel)} › ${titleOf(conversation)}` : titleOf(conversation);
}
