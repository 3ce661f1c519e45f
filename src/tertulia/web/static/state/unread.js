/** What has not been read: ids by conversation, as the server told at the start and by events since. */

import { conversationOf, directWith, isInChannel, keyOf } from "./conversations.js";
import { isMuted } from "./people.js";
import { on, tell } from "../core/signals.js";
import { isTopicMuted } from "./topics.js";

/** @typedef {import("./conversations.js").Conversation} Conversation */
/** @typedef {{conversation: Conversation, ids: Set<number>}} Waiting */

/** @type {Map<string, Waiting>} by conversation key */
const waiting = new Map();
/** @type {Map<number, string>} the conversation's key of each unread message */
const places = new Map();
/** @type {Set<number>} unread messages that call the person by name */
const mentions = new Set();

/** @type {{all: number, direct: number, mentions: number, channels: Map<number, number>} | null} */
let sums = null;

/** @param {Record<string, any>} state a register answer */
export function learnUnread(state) {
  waiting.clear();
  places.clear();
  mentions.clear();
  sums = null;
  const told = state.unread_msgs ?? {};
  for (const each of told.streams ?? []) addAll({ channel: each.stream_id, topic: each.topic }, each.unread_message_ids);
  for (const each of told.pms ?? []) addAll(directWith([each.other_user_id ?? each.sender_id]), each.unread_message_ids);
  for (const each of told.huddles ?? []) {
    addAll(directWith(each.user_ids_string.split(",").map(Number)), each.unread_message_ids);
  }
  for (const id of told.mentions ?? []) mentions.add(id);
}

/** @param {Record<string, any>} message one that has just come */
export function noteUnread(message) {
  if (message.flags.includes("read")) return;
  addAll(conversationOf(message), [message.id]);
  if (message.flags.includes("mentioned") || message.flags.includes("wildcard_mentioned")) mentions.add(message.id);
  changed();
}

/** @param {Iterable<number>} ids
 * @returns {number[]} those that were unread */
export function noteRead(ids) {
  const were = [];
  for (const id of ids) {
    const place = waiting.get(places.get(id) ?? "");
    if (!place) continue;
    place.ids.delete(id);
    if (!place.ids.size) waiting.delete(keyOf(place.conversation));
    places.delete(id);
    mentions.delete(id);
    were.push(id);
  }
  if (were.length) changed();
  return were;
}

export function noteAllRead() {
  noteRead([...places.keys()]);
}

/** Messages have become unread again.
 * @param {Record<string, any>} details by id: where each is
 */
export function noteUnreadAgain(details) {
  for (const [id, each] of Object.entries(details)) {
    const conversation = each.type === "stream" ? { channel: each.stream_id, topic: each.topic } : directWith(each.user_ids);
    addAll(conversation, [Number(id)]);
    if (each.mentioned) mentions.add(Number(id));
  }
  changed();
}

/** Messages are in another conversation now.
 * @param {number[]} ids
 * @param {Conversation} conversation */
export function moveUnread(ids, conversation) {
  for (const id of ids) {
    if (!places.has(id)) continue;
    const called = mentions.has(id);
    noteRead([id]);
    addAll(conversation, [id]);
    if (called) mentions.add(id);
  }
  changed();
}

/** @param {number} id */
export function isUnread(id) {
  return places.has(id);
}

/** @param {Conversation} conversation
 * @returns {number[]} oldest first */
export function unreadIn(conversation) {
  return [...(waiting.get(keyOf(conversation))?.ids ?? [])].sort((a, b) => a - b);
}

/** @param {Conversation} conversation */
export function countIn(conversation) {
  return waiting.get(keyOf(conversation))?.ids.size ?? 0;
}

/** Whether something unread in it calls the person.
 * @param {Conversation} conversation */
export function callsIn(conversation) {
  const place = waiting.get(keyOf(conversation));
  if (!place) return 0;
  if (!isInChannel(conversation)) return place.ids.size;
  return [...place.ids].filter((id) => mentions.has(id)).length;
}

/** Every conversation in which something waits, the newest first.
 * @returns {Waiting[]} */
export function allWaiting() {
  return [...waiting.values()].sort((a, b) => Math.max(...b.ids) - Math.max(...a.ids));
}

/** @returns {number[]} oldest first */
export function unreadMentions() {
  return [...mentions].sort((a, b) => a - b);
}

/** How much waits, without what is muted; `direct` and `mentions` are part of `all`. */
export function unreadSums() {
  if (sums) return sums;
  sums = { all: 0, direct: 0, mentions: mentions.size, channels: new Map() };
  for (const { conversation, ids } of waiting.values()) {
    if (isInChannel(conversation)) {
      if (isTopicMuted(conversation.channel, conversation.topic)) continue;
      sums.channels.set(conversation.channel, (sums.channels.get(conversation.channel) ?? 0) + ids.size);
    } else {
      if (conversation.people.length === 1 && isMuted(conversation.people[0])) continue;
      sums.direct += ids.size;
    }
    sums.all += ids.size;
  }
  return sums;
}

/** Unread messages in muted topics of a channel.
 * @param {number} channel
 * @returns {number} */
export function mutedUnread(channel) {
  let count = 0;
  for (const { conversation, ids } of waiting.values()) {
    if (isInChannel(conversation) && conversation.channel === channel) count += ids.size;
  }
  return count - (unreadSums().channels.get(channel) ?? 0);
}

/** @param {Conversation} conversation
 * @param {number[]} ids */
function addAll(conversation, ids) {
  if (!ids.length) return;
  const key = keyOf(conversation);
  if (!waiting.has(key)) waiting.set(key, { conversation, ids: new Set() });
  for (const id of ids) {
    waiting.get(key)?.ids.add(id);
    places.set(id, key);
  }
}

function changed() {
  sums = null;
  tell("unread");
}

on("channels topics people", () => (sums = null));
