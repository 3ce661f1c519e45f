/** Lines of lists of conversations: what it is called, who said what last, how much waits, when. */

import { plainText } from "./rendered_content.js";
import { isInChannel, isResolved, keyOf, titleOf } from "../state/conversations.js";
import { get } from "../core/api.js";
import { aside, h, icon } from "../core/html.js";
import { badge, drop, face, faces } from "./avatars.js";
import { channelName } from "../state/channels.js";
import { myId } from "../state/session.js";
import { messageOf, takeMessage } from "../state/messages.js";
import { conversationHash, forServer } from "../state/narrow.js";
import { shortName } from "../state/people.js";
import { shortTime } from "./time.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { callsIn, countIn } from "../state/unread.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/conversations.js").Conversation} Conversation */

/** Fetch messages that lists want to show a line of.
 * @param {number[]} ids */
export async function fetchMessages(ids) {
  const missing = ids.filter((id) => !messageOf(id)).slice(0, 400);
  if (!missing.length) return;
  const answer = await get("/messages", { message_ids: missing, narrow: forServer([]), apply_markdown: true, client_gravatar: false, allow_empty_topic_name: true });
  for (const message of answer.messages) takeMessage(message);
}

/** A line with a second one below it, that quotes a message.
 * @param {Conversation} conversation
 * @param {{newest: number, count: number, calls?: boolean, lead?: Node | false, senders?: number[]}} shown
 * @returns {HTMLElement} */
export function conversationItem(conversation, { newest, count, calls = false, lead, senders }) {
  const message = messageOf(newest);
  const mark = lead ?? mildLead(conversation);
  return h("li", {}, h("a", { class: `item ${stateOf(conversation, count)}`, href: conversationHash(conversation), "data-key": keyOf(conversation) },
    mark && h("span", { class: "lead" }, mark),
    title(conversation), badge(count, { calls, word: calls && isInChannel(conversation) ? "mentions" : "unread" }),
    message && h("time", {}, shortTime(message.timestamp)),
    message && h("span", { class: "say cut" }, h("bdi", {}, sayer(conversation, message), summary(message))),
    senders && faces(senders)));
}

/** A line of one row: for tables of conversations.
 * @param {Conversation} conversation
 * @param {{newest: number, senders: number[]}} shown */
export function conversationRow(conversation, { newest, senders }) {
  const message = messageOf(newest);
  const count = countIn(conversation);
  const [lead, place] = isInChannel(conversation)
    ? [drop(conversation.channel), channelName(conversation.channel)]
    : [icon("chat", "s"), say("talk.direct-short")];
  return h("li", {}, h("a", { class: `item trow ${stateOf(conversation, count)}`, href: conversationHash(conversation), "data-key": keyOf(conversation) },
    h("span", { class: "lead" }, lead), h("span", { class: "ch cut" }, place), title(conversation), faces(senders),
    badge(count, { calls: callsIn(conversation) > 0 }), message && h("time", {}, shortTime(message.timestamp, true))));
}

/** A person's face or a channel's drop.
 * @param {Conversation} conversation */
export function strongLead(conversation) {
  return isInChannel(conversation) ? drop(conversation.channel) : face(conversation.people[0], { presence: conversation.people.length === 1 });
}

/** @param {import("../state/messages.js").Message} message */
export function summary(message) {
  const text = plainText(message.content);
  if (text) return text;
  return say(message.content.includes("<img") ? "content.picture" : "content.something");
}

/** @param {Conversation} conversation */
function title(conversation) {
  const isDone = isInChannel(conversation) && isResolved(conversation.topic);
  return h("span", { class: "t" }, isDone && icon("check", "s"), h("span", { class: "cut" }, h("bdi", {}, titleOf(conversation))), isDone && aside(` ${say("talk.resolved")}`));
}

/** @param {Conversation} conversation
 * @param {import("../state/messages.js").Message} message */
function sayer(conversation, message) {
  const isObvious = !isInChannel(conversation) && conversation.people.length === 1 && message.sender_id !== myId();
  return !isObvious && h("b", {}, message.sender_id === myId() ? say("people.you-said") : shortName(message.sender_id), " ");
}

/** @param {Conversation} conversation
 * @returns {Node | false} */
function mildLead(conversation) {
  if (!isInChannel(conversation)) return face(conversation.people[0], { presence: conversation.people.length === 1 });
  if (isTopicMuted(conversation.channel, conversation.topic)) return icon("mute", "s");
  return isFollowed(conversation.channel, conversation.topic) && icon("bell", "s");
}

/** @param {Conversation} conversation
 * @param {number} count */
function stateOf(conversation, count) {
  const isQuiet = isInChannel(conversation) && (isTopicMuted(conversation.channel, conversation.topic) || (isResolved(conversation.topic) && !count));
  return isQuiet ? "muted" : count ? "unread" : "";
}
