/** Unread messages: their ids by conversation, from the snapshot and from events. */

import { conversationOf, directWith, isInChannel, keyOf } from "./conversations.js";
import { isMuted } from "./people.js";
import { on, emit } from "../core/signals.js";
import { setting } from "./session.js";
import { isTopicMuted } from "./topics.js";

/** @typedef {import("./conversations.js").Conversation} Conversation */
/** @typedef {{conversation: Conversation, ids: Set<number>}} UnreadConversation */
/** @typedef {{unread: number, muted: number, mentions: number}} ChannelCounts messages in topics that are not muted, in
 *   muted ones, and mentions in the former */

/** Values of the setting desktop_icon_count_display. */
const COUNT_ALL = 1;
const COUNT_DIRECT_AND_MENTIONS = [2, 3];

/** @type {Map<string, UnreadConversation>} by conversation key */
const byConversation = new Map();
/** @type {Map<number, string>} the conversation's key of each unread message */
const keyById = new Map();
/** @type {Set<number>} unread messages that mention the person */
const mentions = new Set();

/** @type {{all: number, direct: number, channels: Map<number, ChannelCounts>} | null} counted when first asked for,
 *   and again after a change of what is muted; a message that arrives or is read changes them */
let sums = null;

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initUnread(snapshot) {
  byConversation.clear();
  keyById.clear();
  mentions.clear();
  sums = null;
  const unread = snapshot.unread_msgs;
  for (const each of unread?.streams ?? [])
    addIds({ channel: each.stream_id, topic: each.topic }, each.unread_message_ids);
  for (const each of unread?.pms ?? [])
    addIds(directWith([each.other_user_id ?? each.sender_id]), each.unread_message_ids);
  for (const each of unread?.huddles ?? []) {
    addIds(directWith(each.user_ids_string.split(",").map(Number)), each.unread_message_ids);
  }
  for (const id of unread?.mentions ?? []) mentions.add(id);
}

/** @param {import("./messages.js").Message} message a new one */
export function addUnread(message) {
  if (message.flags.includes("read")) return;
  const isMention = message.flags.includes("mentioned") || message.flags.includes("wildcard_mentioned");
  const conversation = conversationOf(message);
  addIds(conversation, [message.id], isMention);
  emit("unread", conversation);
}

/** @param {Iterable<number>} ids
 * @returns {number[]} those of them that were unread */
export function removeUnread(ids) {
  const removed = [];
  const changed = new Set();
  for (const id of ids) {
    const entry = byConversation.get(keyById.get(id) ?? "");
    if (!entry) continue;
    changed.add(entry.conversation);
    addToSums(entry.conversation, -1, mentions.has(id) ? -1 : 0);
    entry.ids.delete(id);
    if (!entry.ids.size) byConversation.delete(keyOf(entry.conversation));
    keyById.delete(id);
    mentions.delete(id);
    removed.push(id);
  }
  if (removed.length) emit("unread", changed.size === 1 ? [...changed][0] : undefined);
  return removed;
}

export function clearUnread() {
  removeUnread([...keyById.keys()]);
}

/** Messages were marked as unread.
 * @param {Record<string, import("../core/api_types.d.ts").Schemas["UnreadObject"]>} details by message id */
export function restoreUnread(details) {
  for (const [id, each] of Object.entries(details)) {
    const conversation =
      each.type === "stream"
        ? { channel: each.stream_id ?? 0, topic: each.topic ?? "" }
        : directWith(each.user_ids ?? []);
    addIds(conversation, [Number(id)], each.mentioned);
  }
  emit("unread");
}

/** Messages were moved to another conversation.
 * @param {number[]} ids
 * @param {Conversation} conversation */
export function moveUnread(ids, conversation) {
  for (const id of ids) {
    if (!keyById.has(id)) continue;
    const isMention = mentions.has(id);
    removeUnread([id]);
    addIds(conversation, [id], isMention);
  }
  emit("unread");
}

/** @param {number} id */
export function isUnread(id) {
  return keyById.has(id);
}

/** @param {Conversation} conversation
 * @returns {number[]} oldest first */
export function unreadIds(conversation) {
  return [...(byConversation.get(keyOf(conversation))?.ids ?? [])].sort((a, b) => a - b);
}

/** @param {Conversation} conversation */
export function unreadCount(conversation) {
  return byConversation.get(keyOf(conversation))?.ids.size ?? 0;
}

/** How many unread messages of a conversation mention the person; in a direct conversation all of them count.
 * @param {Conversation} conversation */
export function mentionsIn(conversation) {
  const entry = byConversation.get(keyOf(conversation));
  if (!entry) return 0;
  if (!isInChannel(conversation)) return entry.ids.size;
  return [...entry.ids].filter((id) => mentions.has(id)).length;
}

/** All conversations with unread messages, the newest first.
 * @returns {UnreadConversation[]} */
export function allUnread() {
  return [...byConversation.values()].sort((a, b) => Math.max(...b.ids) - Math.max(...a.ids));
}

/** The unread messages outside of muted conversations, and those that mention the person.
 * @returns {number[]} */
export function unreadWithoutMuted() {
  return [...byConversation.values()].flatMap(({ conversation, ids }) => {
    if (isInChannel(conversation) && isTopicMuted(conversation.channel, conversation.topic))
      return [...ids].filter((id) => mentions.has(id));
    if (!isInChannel(conversation) && conversation.people.length === 1 && isMuted(conversation.people[0])) return [];
    return [...ids];
  });
}

/** @returns {number[]} oldest first */
export function unreadMentions() {
  return [...mentions].sort((a, b) => a - b);
}

/** Counts without muted conversations; `direct` and `mentions` are part of `all`. */
export function unreadTotals() {
  const { all, direct } = currentSums();
  return { all, direct, mentions: mentions.size };
}

/** The number for the title and the badge, as the person has set it. */
export function unreadBadgeCount() {
  const { all, direct, mentions: mentioned } = unreadTotals();
  const policy = setting("desktop_icon_count_display") ?? COUNT_ALL;
  if (policy === COUNT_ALL) return all;
  return COUNT_DIRECT_AND_MENTIONS.includes(policy) ? direct + mentioned : 0;
}

/** Counts of the channels that have unread messages, or had some.
 * @returns {Map<number, ChannelCounts>} */
export function channelTotals() {
  return currentSums().channels;
}

/** @param {Conversation} conversation
 * @param {number[]} ids
 * @param {boolean} [isMention] */
function addIds(conversation, ids, isMention = false) {
  const added = ids.filter((id) => !keyById.has(id));
  if (!added.length) return;
  const key = keyOf(conversation);
  const entry = byConversation.get(key) ?? { conversation, ids: new Set() };
  byConversation.set(key, entry);
  for (const id of added) {
    entry.ids.add(id);
    keyById.set(id, key);
    if (isMention) mentions.add(id);
    addToSums(conversation, 1, isMention ? 1 : 0);
  }
}

function currentSums() {
  if (sums) return sums;
  sums = { all: 0, direct: 0, channels: new Map() };
  for (const { conversation, ids } of byConversation.values())
    addToSums(conversation, ids.size, [...ids].filter((id) => mentions.has(id)).length);
  return sums;
}

/** @param {Conversation} conversation
 * @param {number} unread
 * @param {number} mentioned how many of them mention the person */
function addToSums(conversation, unread, mentioned) {
  if (!sums) return;
  if (!isInChannel(conversation)) {
    if (conversation.people.length === 1 && isMuted(conversation.people[0])) return;
    sums.direct += unread;
    sums.all += unread;
    return;
  }
  const { channel, topic } = conversation;
  const counts = sums.channels.get(channel) ?? { unread: 0, muted: 0, mentions: 0 };
  sums.channels.set(channel, counts);
  if (isTopicMuted(channel, topic)) {
    counts.muted += unread;
  } else {
    counts.unread += unread;
    counts.mentions += mentioned;
    sums.all += unread;
  }
}

on(["channels", "topicPolicy", "people"], () => (sums = null));
