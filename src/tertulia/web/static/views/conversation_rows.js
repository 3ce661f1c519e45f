/** Rows of conversation lists: title, last message, unread count, time. */

import { plainText } from "./rendered_content.js";
import { isInChannel, isResolved, keyOf, titleOf } from "../state/conversations.js";
import { get } from "../core/api.js";
import { srOnly, h, icon } from "../core/html.js";
import { badge, channelDot, avatar, avatarStack } from "./avatars.js";
import { channelName } from "../state/channels.js";
import { myId } from "../state/session.js";
import { findMessage, storeMessage } from "../state/messages.js";
import { conversationHash, termsForApi } from "../state/narrow.js";
import { shortName } from "../state/people.js";
import { formatShortTime } from "./time.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { mentionsIn, unreadCount } from "../state/unread.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/conversations.js").Conversation} Conversation */

/** Fetch the messages that rows quote.
 * @param {number[]} ids */
export async function fetchMessages(ids) {
  const missing = ids.filter((id) => !findMessage(id)).slice(0, 400);
  if (!missing.length) return;
  const response = await get("/messages", { message_ids: missing, narrow: termsForApi([]), apply_markdown: true, client_gravatar: false, allow_empty_topic_name: true });
  for (const message of response.messages) storeMessage(message);
}

/** A row of two lines; the second quotes a message.
 * @param {Conversation} conversation
 * @param {{newest: number, count: number, isMention?: boolean, lead?: Node | false, senders?: number[]}} shown
 * @returns {HTMLElement} */
export function conversationItem(conversation, { newest, count, isMention = false, lead, senders }) {
  const message = findMessage(newest);
  const mark = lead ?? statusIcon(conversation);
  return h("li", {}, h("a", { class: `item ${rowState(conversation, count)}`, href: conversationHash(conversation), "data-key": keyOf(conversation) },
    mark && h("span", { class: "lead" }, mark),
    rowTitle(conversation), badge(count, { isMention, word: isMention && isInChannel(conversation) ? "mentions" : "unread" }),
    message && h("time", {}, formatShortTime(message.timestamp)),
    message && h("span", { class: "say cut" }, h("bdi", {}, senderPrefix(conversation, message), messageSummary(message))),
    senders && avatarStack(senders)));
}

/** A row of one line, for tables.
 * @param {Conversation} conversation
 * @param {{newest: number, senders: number[]}} shown */
export function conversationRow(conversation, { newest, senders }) {
  const message = findMessage(newest);
  const count = unreadCount(conversation);
  const [lead, placeName] = isInChannel(conversation)
    ? [channelDot(conversation.channel), channelName(conversation.channel)]
    : [icon("chat", "s"), t("talk.direct-short")];
  return h("li", {}, h("a", { class: `item trow ${rowState(conversation, count)}`, href: conversationHash(conversation), "data-key": keyOf(conversation) },
    h("span", { class: "lead" }, lead), h("span", { class: "ch cut" }, placeName), rowTitle(conversation), avatarStack(senders),
    badge(count, { isMention: mentionsIn(conversation) > 0 }), message && h("time", {}, formatShortTime(message.timestamp, true))));
}

/** A person's avatar or a channel's dot.
 * @param {Conversation} conversation */
export function conversationIcon(conversation) {
  return isInChannel(conversation) ? channelDot(conversation.channel) : avatar(conversation.people[0], { presence: conversation.people.length === 1 });
}

/** @param {import("../state/messages.js").Message} message */
export function messageSummary(message) {
  const text = plainText(message.content);
  if (text) return text;
  return t(message.content.includes("<img") ? "content.picture" : "content.something");
}

/** @param {Conversation} conversation */
function rowTitle(conversation) {
  const isDone = isInChannel(conversation) && isResolved(conversation.topic);
  return h("span", { class: "t" }, isDone && icon("check", "s"), h("span", { class: "cut" }, h("bdi", {}, titleOf(conversation))), isDone && srOnly(` ${t("talk.resolved")}`));
}

/** @param {Conversation} conversation
 * @param {import("../state/messages.js").Message} message */
function senderPrefix(conversation, message) {
  const isObvious = !isInChannel(conversation) && conversation.people.length === 1 && message.sender_id !== myId();
  return !isObvious && h("b", {}, h("bdi", {}, message.sender_id === myId() ? t("people.you-said") : shortName(message.sender_id)), " ");
}

/** @param {Conversation} conversation
 * @returns {Node | false} */
function statusIcon(conversation) {
  if (!isInChannel(conversation)) return avatar(conversation.people[0], { presence: conversation.people.length === 1 });
  if (isTopicMuted(conversation.channel, conversation.topic)) return icon("mute", "s");
  return isFollowed(conversation.channel, conversation.topic) && icon("bell", "s");
}

/** @param {Conversation} conversation
 * @param {number} count */
function rowState(conversation, count) {
  const isQuiet = isInChannel(conversation) && (isTopicMuted(conversation.channel, conversation.topic) || (isResolved(conversation.topic) && !count));
  return isQuiet ? "muted" : count ? "unread" : "";
}
