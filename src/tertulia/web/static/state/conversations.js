/** Conversations: a topic of a channel, or direct messages between some people. The key of a conversation is a
 * string, to compare conversations and keep them in maps. */

import { channelName } from "./channels.js";
import { myId, realm } from "./session.js";
import { namesOf } from "./people.js";

/** @typedef {{channel: number, topic: string}} InChannel */
/** @typedef {{people: number[]}} Direct the other participants; only oneself for notes to oneself */
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

/** The direct conversation of these people, with or without oneself among them.
 * @param {number[]} ids
 * @returns {Direct} */
export function directWith(ids) {
  const others = [...new Set(ids)].filter((id) => id !== myId()).sort((a, b) => a - b);
  return { people: others.length ? others : [myId()] };
}

/** @param {Pick<import("./messages.js").Message, "type" | "stream_id" | "subject" | "display_recipient">} message
 * @returns {Conversation} */
export function conversationOf(message) {
  if (message.type === "stream") return { channel: message.stream_id, topic: message.subject };
  return directWith(participantIds(message));
}

/** The people of a direct message.
 * @param {Pick<import("./messages.js").Message, "display_recipient">} message
 * @returns {number[]} */
export function participantIds({ display_recipient: recipients }) {
  return typeof recipients === "string" ? [] : recipients.map((person) => person.id);
}

/** @param {string} topic */
export function isResolved(topic) {
  return topic.startsWith(RESOLVED);
}

/** A topic's name as it is shown: without the mark of a resolved topic; an empty name gets a placeholder.
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
  return isInChannel(conversation)
    ? `${channelName(conversation.channel)} › ${titleOf(conversation)}`
    : titleOf(conversation);
}
