/** A channel: what it is for, and its topics. */

import { channelName, channels } from "../state/channels.js";
import { composeFor } from "./compose.js";
import { alive } from "./rendered_content.js";
import { get } from "../core/api.js";
import { isResolved, topicKey } from "../state/conversations.js";
import { fill, h, icon, iconButton } from "../core/html.js";
import { conversationItem, fetchMessages } from "./conversation_rows.js";
import { messagesAsked } from "../state/message_lists.js";
import { drop } from "./avatars.js";
import { isSpectator } from "../state/session.js";
import { heldMessages, takeMessage } from "../state/messages.js";
import { channelHash } from "../state/narrow.js";
import { conversationsAmong } from "./recent.js";
import { on, soon } from "../core/signals.js";
import { emptiness, freshBody, freshFoot, setHead, wayOn } from "./layout.js";
import { fetchTopics, topicsOf } from "../state/topics.js";
import { callsIn, countIn } from "../state/unread.js";
import { say } from "../core/i18n.js";

/** Channels whose last messages we have, for faces and last words. @type {Set<number>} */
const looked = new Set();
let unreadFirst = false;

/** @param {import("../state/routes.js").Place} place
 * @returns {Promise<import("./message_view.js").View>} */
export async function showTopics({ channel = 0 }) {
  const list = h("div", { class: "list" });
  freshBody(list);
  const foot = freshFoot();
  if (!channels.has(channel)) {
    setHead({ title: say("channel.unknown"), isHome: true });
    fill(list, emptiness(say("channel.unknown"), say("channel.unknown-text"), wayOn("#inbox", say("view.inbox"), "inbox")));
    return { close() {} };
  }
  const draw = () => drawTopics(list, channel, draw);
  drawHead(channel);
  const isMember = channels.get(channel)?.subscribed;
  if (!isSpectator()) composeFor(foot, { channel, topic: null });
  await Promise.all([topicsOf(channel) ?? fetchTopics(channel), lookAt(channel)]).catch(() => {});
  await fetchMessages((topicsOf(channel) ?? []).map((topic) => topic.max_id)).catch(() => {});
  draw();
  const redraw = soon(draw);
  const stops = [on("arrived unread topics people message replaced", redraw), on("channels", () => drawHead(channel)),
    on("topics", (changed) => { if (changed === channel && !topicsOf(channel)) fetchTopics(channel).catch(() => {}); })];
  return { close: () => stops.forEach((stop) => stop()), focus: () => /** @type {HTMLElement | null} */ (list.querySelector("a.item") ?? (isMember ? null : null))?.focus() };
}

/** @param {number} id */
function drawHead(id) {
  const channel = channels.get(id);
  if (!channel) return;
  const over = [drop(id), h("span", {}, say("channel.over", { count: channel.subscriber_count ?? 0 }))];
  const fresh = h("button", { class: "b go not-phone", type: "button", "data-do": "new-topic" }, icon("plus", "s"), say("channel.new-topic"));
  const join = h("button", { class: "b go", type: "button", "data-do": "join-channel", "data-channel": id }, say("channel.join"));
  const feed = iconButton("chat", say("channel.feed"), { "data-do": "channel-feed", "data-channel": id });
  const people = iconButton("people", say("head.people"), { "data-do": "channel-people", "data-channel": id, class: "not-phone" });
  const settings = iconButton("gear", say("head.channel-settings"), { "data-do": "channel-settings", "data-channel": id });
  const more = iconButton("more", say("head.more"), { "data-do": "view-menu", "aria-haspopup": "menu" });
  setHead({ title: channelName(id), over, tools: isSpectator() ? [feed] : [channel.subscribed ? fresh : join, feed, people, settings, more], isHome: true });
}

/** @param {HTMLElement} list
 * @param {number} channel
 * @param {() => void} again */
function drawTopics(list, channel, again) {
  const about = channels.get(channel);
  const chips = [false, true].map((first) => h("button", { class: "chip", type: "button", "aria-pressed": String(unreadFirst === first), onclick: () => { unreadFirst = first; again(); } }, say(first ? "channel.unread-first" : "channel.newest-first")));
  const description = h("div", { class: "about" });
  if (about?.rendered_description) description.append(alive(about.rendered_description));
  const line = h("div", { class: "sub" }, description, h("span", { class: "end" }), ...chips);
  const topics = [...(topicsOf(channel) ?? [])];
  const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
  if (unreadFirst) topics.sort((a, b) => Number(countIn({ channel, topic: b.name }) > 0) - Number(countIn({ channel, topic: a.name }) > 0));
  const senders = new Map(conversationsAmong(heldMessages()).map((each) => ["channel" in each.conversation ? topicKey(each.conversation.channel, each.conversation.topic) : "", each.senders]));
  const items = topics.map((topic) => {
    const conversation = { channel, topic: topic.name };
    const lead = isResolved(topic.name) ? /** @type {Node} */ (icon("check", "s")) : undefined;
    return conversationItem(conversation, { newest: topic.max_id, count: countIn(conversation), calls: callsIn(conversation) > 0, senders: senders.get(topicKey(channel, topic.name)) ?? [], ...(lead && { lead }) });
  });
  if (items.length) fill(list, line, h("ul", { class: "plain" }, ...items));
  else fill(list, line, emptiness(say("empty.channel"), say("empty.topic-text"), wayOn(channelHash(channel), say("channel.feed"))));
  if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
}

/** @param {number} channel */
async function lookAt(channel) {
  if (looked.has(channel)) return;
  const answer = await get("/messages", messagesAsked([{ operator: "channel", operand: channel }], "newest", 200, 0));
  for (const message of answer.messages) takeMessage(message);
  looked.add(channel);
}
