/** Rows of conversation lists: title, last message, unread count, time. */

import { plainText } from "./rendered_content.js";
import { isInChannel, isResolved, keyOf, titleOf } from "../state/conversations.js";
import { get } from "../core/api.js";
import { srOnly, h, icon } from "../core/html.js";
import { avatar, avatarData, avatarStack, badge, channelDot, dotData } from "./avatars.js";
import { channelName } from "../state/channels.js";
import { myId } from "../state/session.js";
import { findMessage, storeMessage } from "../state/messages.js";
import { conversationHash, termsForApi } from "../state/narrow.js";
import { shortName } from "../state/people.js";
import { presenceOf } from "../state/presence.js";
import { formatShortTime } from "./time.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { mentionsIn, unreadCount } from "../state/unread.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/conversations.js").Conversation} Conversation */
/** @typedef {import("./keyed_children.js").KeyedChild} KeyedChild */

/** Fetch the messages that rows quote.
 * @param {number[]} ids */
export async function fetchMessages(ids) {
  const missing = ids.filter((id) => !findMessage(id)).slice(0, 400);
  if (!missing.length) return;
  const response = await get("/messages", {
    message_ids: missing,
    narrow: termsForApi([]),
    apply_markdown: true,
    client_gravatar: false,
    allow_empty_topic_name: true,
  });
  for (const message of response.messages) storeMessage(message);
}

/** A row of two lines; the second quotes a message.
 * @param {Conversation} conversation
 * @param {{newest: number, count: number, isMention?: boolean, lead?: "place" | "check", senders?: number[]}} shown
 *   `lead`: what it begins with, in place of a topic's mark
 * @returns {KeyedChild} */
export function conversationItem(conversation, { newest, count, isMention = false, lead, senders }) {
  const message = findMessage(newest);
  const sender = message && senderPrefix(conversation, message);
  const state = rowState(conversation, count);
  const time = message && formatShortTime(message.timestamp);
  const key = keyOf(conversation);
  const build = () => {
    const mark =
      lead === "place"
        ? conversationIcon(conversation)
        : lead === "check"
          ? icon("check", "s")
          : statusIcon(conversation);
    return h(
      "li",
      {},
      h(
        "a",
        { class: `item ${state}`, href: conversationHash(conversation), "data-key": key },
        mark && h("span", { class: "lead" }, mark),
        rowTitle(conversation),
        badge(count, { isMention, word: isMention && isInChannel(conversation) ? "mentions" : "unread" }),
        time && h("time", {}, time),
        message &&
          h(
            "span",
            { class: "say cut" },
            h("bdi", {}, sender && h("b", {}, h("bdi", {}, sender), " "), messageSummary(message)),
          ),
        senders && avatarStack(senders),
      ),
    );
  };
  const data = [
    titleOf(conversation),
    state,
    count,
    isMention,
    ...markData(conversation),
    sender,
    message?.content,
    time,
    ...(senders ?? []).flatMap(avatarData),
  ];
  return { key, data, build };
}

/** A row of one line, for tables.
 * @param {Conversation} conversation
 * @param {{newest: number, senders: number[]}} shown
 * @returns {KeyedChild} */
export function conversationRow(conversation, { newest, senders }) {
  const message = findMessage(newest);
  const count = unreadCount(conversation);
  const isMention = mentionsIn(conversation) > 0;
  const state = rowState(conversation, count);
  const time = message && formatShortTime(message.timestamp, true);
  const place = isInChannel(conversation) ? channelName(conversation.channel) : t("talk.direct-short");
  const key = keyOf(conversation);
  const build = () =>
    h(
      "li",
      {},
      h(
        "a",
        { class: `item trow ${state}`, href: conversationHash(conversation), "data-key": key },
        h("span", { class: "lead" }, isInChannel(conversation) ? channelDot(conversation.channel) : icon("chat", "s")),
        h("span", { class: "ch cut" }, place),
        rowTitle(conversation),
        avatarStack(senders),
        badge(count, { isMention }),
        time && h("time", {}, time),
      ),
    );
  return {
    key,
    data: [
      titleOf(conversation),
      place,
      state,
      count,
      isMention,
      ...markData(conversation),
      time,
      ...senders.flatMap(avatarData),
    ],
    build,
  };
}

/** A person's avatar or a channel's dot.
 * @param {Conversation} conversation */
export function conversationIcon(conversation) {
  return isInChannel(conversation)
    ? channelDot(conversation.channel)
    : avatar(conversation.people[0], { presence: conversation.people.length === 1 });
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
  return h(
    "span",
    { class: "t" },
    isDone && icon("check", "s"),
    h("span", { class: "cut" }, h("bdi", {}, titleOf(conversation))),
    isDone && srOnly(` ${t("talk.resolved")}`),
  );
}

/** Who has said what a row quotes, unless that is obvious.
 * @param {Conversation} conversation
 * @param {import("../state/messages.js").Message} message */
function senderPrefix(conversation, message) {
  const isObvious = !isInChannel(conversation) && conversation.people.length === 1 && message.sender_id !== myId();
  return !isObvious && (message.sender_id === myId() ? t("people.you-said") : shortName(message.sender_id));
}

/** What the mark at the begin of a row shows.
 * @param {Conversation} conversation */
function markData(conversation) {
  if (!isInChannel(conversation)) return [...avatarData(conversation.people[0]), presenceOf(conversation.people[0])];
  return [
    ...dotData(conversation.channel),
    isResolved(conversation.topic),
    isTopicMuted(conversation.channel, conversation.topic),
    isFollowed(conversation.channel, conversation.topic),
  ];
}

/** @param {Conversation} conversation
 * @returns {Node | false} */
function statusIcon(conversation) {
  if (!isInChannel(conversation)) return conversationIcon(conversation);
  if (isTopicMuted(conversation.channel, conversation.topic)) return icon("mute", "s");
  return isFollowed(conversation.channel, conversation.topic) && icon("bell", "s");
}

/** @param {Conversation} conversation
 * @param {number} count */
function rowState(conversation, count) {
  const isQuiet =
    isInChannel(conversation) &&
    (isTopicMuted(conversation.channel, conversation.topic) || (isResolved(conversation.topic) && !count));
  return isQuiet ? "muted" : count ? "unread" : "";
}
