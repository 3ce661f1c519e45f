/** Unread messages: their ids by conversation, from the snapshot and from events. */

import { conversationOf, directWith, isInChannel, keyOf } from "./conversations.js";
import { isMuted } from "./people.js";
import { on, emit } from "../core/signals.js";
import { setting } from "./session.js";
import { isTopicMuted } from "./topics.js";

/** @typedef {import("./conversations.js").Conversation} Conversation */
/** @typedef {{conversation: Conversation, ids: Set<number>}} UnreadConversation */

/** Values of the setting desktop_icon_count_display. */
const COUNT_ALL = 1;
const COUNT_DIRECT_AND_MENTIONS = [2, 3];

/** @type {Map<string, UnreadConversation>} by conversation key */
const byConversation = new Map();
/** @type {Map<number, string>} the conversation's key of each unread message */
const keyById = new Map();
/** @type {Set<number>} unread messages that mention the person */
const mentions = new Set();

/** @type {{all: number, direct: number, mentions: number, channels: Map<number, number>} | null} */
let totals = null;
/** @type {Map<number, {unread: number, muted: number, mentions: number}> | null} */
let byChannel = null;

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initUnread(snapshot) {
  byConversation.clear();
  keyById.clear();
  mentions.clear();
  totals = byChannel = null;
  const unread = snapshot.unread_msgs;
  for (const each of unread?.streams ?? []) addIds({ channel: each.stream_id, topic: each.topic }, each.unread_message_ids);
  for (const each of unread?.pms ?? []) addIds(directWith([each.other_user_id ?? each.sender_id]), each.unread_message_ids);
  for (const each of unread?.huddles ?? []) {
    addIds(directWith(each.user_ids_string.split(",").map(Number)), each.unread_message_ids);
  }
  for (const id of unread?.mentions ?? []) mentions.add(id);
}

/** @param {import("./messages.js").Message} message a new one */
export function addUnread(message) {
  if (message.flags.includes("read")) return;
  addIds(conversationOf(message), [message.id]);
  if (message.flags.includes("mentioned") || message.flags.includes("wildcard_mentioned")) mentions.add(message.id);
  onChange(keyById.get(message.id));
}

/** @param {Iterable<number>} ids
 * @returns {number[]} those of them that were unread */
export function removeUnread(ids) {
  const removed = [];
  for (const id of ids) {
    const entry = byConversation.get(keyById.get(id) ?? "");
    if (!entry) continue;
    entry.ids.delete(id);
    if (!entry.ids.size) byConversation.delete(keyOf(entry.conversation));
    keyById.delete(id);
    mentions.delete(id);
    removed.push(id);
  }
  if (removed.length) onChange();
  return removed;
}

export function clearUnread() {
  removeUnread([...keyById.keys()]);
}

/** Messages were marked as unread.
 * @param {Record<string, import("../sync/event_types.d.ts").UnreadDetails>} details by message id */
export function restoreUnread(details) {
  for (const [id, each] of Object.entries(details)) {
    const conversation = each.type === "stream" ? { channel: each.stream_id ?? 0, topic: each.topic ?? "" } : directWith(each.user_ids ?? []);
    addIds(conversation, [Number(id)]);
    if (each.mentioned) mentions.add(Number(id));
  }
  onChange();
}

/** Messages were moved to another conversation.
 * @param {number[]} ids
 * @param {Conversation} conversation */
export function moveUnread(ids, conversation) {
  for (const id of ids) {
    if (!keyById.has(id)) continue;
    const isMention = mentions.has(id);
    removeUnread([id]);
    addIds(conversation, [id]);
    if (isMention) mentions.add(id);
  }
  onChange();
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

/** @returns {number[]} oldest first */
export function unreadMentions() {
  return [...mentions].sort((a, b) => a - b);
}

/** Counts without muted conversations; `direct` and `mentions` are part of `all`. */
export function unreadTotals() {
  if (totals) return totals;
  totals = { all: 0, direct: 0, mentions: mentions.size, channels: new Map() };
  for (const { conversation, ids } of byConversation.values()) {
    if (isInChannel(conversation)) {
      if (isTopicMuted(conversation.channel, conversation.topic)) continue;
      totals.channels.set(conversation.channel, (totals.channels.get(conversation.channel) ?? 0) + ids.size);
    } else {
      if (conversation.people.length === 1 && isMuted(conversation.people[0])) continue;
      totals.direct += ids.size;
    }
    totals.all += ids.size;
  }
  return totals;
}

/** The number for the title and the badge, as the person has set it. */
export function unreadBadgeCount() {
  const { all, direct, mentions: mentioned } = unreadTotals();
  const policy = setting("desktop_icon_count_display") ?? COUNT_ALL;
  if (policy === COUNT_ALL) return all;
  return COUNT_DIRECT_AND_MENTIONS.includes(policy) ? direct + mentioned : 0;
}

/** Counts of each channel with unread messages: in topics that are not muted, in muted ones, and mentions in the former.
 * @returns {Map<number, {unread: number, muted: number, mentions: number}>} */
export function channelTotals() {
  if (byChannel) return byChannel;
  byChannel = new Map();
  for (const { conversation, ids } of byConversation.values()) {
    if (!isInChannel(conversation)) continue;
    const { channel, topic } = conversation;
    const counts = byChannel.get(channel) ?? { unread: 0, muted: 0, mentions: 0 };
    byChannel.set(channel, counts);
    if (isTopicMuted(channel, topic)) counts.muted += ids.size;
    else counts.unread += ids.size;
  }
  for (const id of mentions) {
    const conversation = byConversation.get(keyById.get(id) ?? "")?.conversation;
    if (!conversation || !isInChannel(conversation) || isTopicMuted(conversation.channel, conversation.topic)) continue;
    const counts = byChannel.get(conversation.channel);
    if (counts) counts.mentions++;
  }
  return byChannel;
}

/** @param {Conversation} conversation
 * @param {number[]} ids */
function addIds(conversation, ids) {
  if (!ids.length) return;
  const key = keyOf(conversation);
  if (!byConversation.has(key)) byConversation.set(key, { conversation, ids: new Set() });
  for (const id of ids) {
    byConversation.get(key)?.ids.add(id);
    keyById.set(id, key);
  }
}

/** @param {string} [key] of the conversation, if only one has changed */
function onChange(key) {
  totals = byChannel = null;
  emit("unread", key);
}

on(["channels", "topics", "people"], () => (totals = byChannel = null));
