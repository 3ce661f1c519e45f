/** The inbox: everything that waits, what calls the person first, then by channel. */

import { channelName, groupedChannels } from "../state/channels.js";
import { isInChannel } from "../state/conversations.js";
import { fill, h, icon, iconButton } from "../core/html.js";
import { conversationItem, fetchMessages, strongLead } from "./conversation_rows.js";
import { drop } from "./avatars.js";
import { isMuted } from "../state/people.js";
import { messageOf } from "../state/messages.js";
import { topicsHash } from "../state/narrow.js";
import { on, soon } from "../core/signals.js";
import { emptiness, freshBody, freshFoot, setHead, wayOn } from "./layout.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { allWaiting, callsIn, unreadMentions } from "../state/unread.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/unread.js").Waiting} Waiting */

/** Which of it is shown: all, mine, or followed. */
let choice = "all";

/** @returns {Promise<import("./message_view.js").View>} */
export async function showInbox() {
  const list = h("div", { class: "list" });
  freshBody(list);
  freshFoot();
  const draw = () => drawInbox(list, draw);
  const redraw = soon(() => {
    fetchNewest().then(draw, draw);
  });
  await fetchNewest().catch(() => {});
  draw();
  const stop = on("unread people channels topics presence message replaced", redraw);
  return { close: stop, focus: () => /** @type {HTMLElement | null} */ (list.querySelector("a.item"))?.focus() };
}

/** @param {HTMLElement} list
 * @param {() => void} again */
function drawInbox(list, again) {
  const waiting = wanted();
  const markAll = h("button", { class: "b not-phone", type: "button", "data-do": "mark-all-read" }, say("inbox.mark-all"));
  const more = iconButton("more", say("head.more"), { "data-do": "view-menu", "data-key": "more", class: "only-phone", "aria-haspopup": "menu" });
  setHead({ title: say("view.inbox"), tools: waiting.length ? [markAll, more] : [], isHome: true });
  if (!waiting.length && choice === "all") {
    return fill(list, emptiness(say("inbox.empty"), say("inbox.empty-text"), wayOn("#recent", say("inbox.recent"), "clock"), wayOn("#feed", say("view.feed"))));
  }
  const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
  fill(list, summaryLine(waiting, again), ...(choice === "followed" ? [] : [forYou(waiting)]), ...(choice === "mine" ? [] : byChannel(waiting)));
  if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
  return undefined;
}

/** @param {Waiting[]} waiting
 * @param {() => void} again */
function summaryLine(waiting, again) {
  const messages = waiting.reduce((sum, each) => sum + each.ids.size, 0);
  const mine = waiting.reduce((sum, each) => sum + callsIn(each.conversation), 0);
  const text = messages ? `${say("inbox.waiting", { count: messages })} ${say("inbox.in", { count: waiting.length })}${mine ? ` ${say("inbox.for-you", { count: mine })}` : ""}` : say("inbox.none-of-these");
  const chips = ["all", "mine", "followed"].map((each) => h("button", {
    class: "chip", type: "button", "aria-pressed": String(choice === each),
    onclick: () => { choice = each; again(); },
  }, say(`inbox.${each}`)));
  return h("div", { class: "sub" }, h("span", {}, text), h("span", { class: "end" }), ...chips);
}

/** @param {Waiting[]} waiting */
function forYou(waiting) {
  const calling = waiting.filter(({ conversation }) => callsIn(conversation) > 0);
  if (!calling.length) return null;
  const items = calling.map(({ conversation, ids }) => {
    const newest = isInChannel(conversation) ? Math.max(...[...ids].filter((id) => unreadMentions().includes(id))) : Math.max(...ids);
    return conversationItem(conversation, { newest, count: callsIn(conversation), calls: true, lead: /** @type {Node} */ (strongLead(conversation)) });
  });
  return h("section", { class: "group", "aria-label": say("inbox.for-you-title") },
    h("h2", {}, icon("at", "s"), h("span", {}, say("inbox.for-you-title"))), h("ul", { class: "plain" }, ...items));
}

/** @param {Waiting[]} waiting */
function byChannel(waiting) {
  const order = groupedChannels().flatMap((group) => group.channels.map((channel) => channel.stream_id));
  const inChannels = waiting.filter(({ conversation }) => isInChannel(conversation));
  const ids = [...new Set(inChannels.map(({ conversation }) => /** @type {any} */ (conversation).channel))];
  ids.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return ids.map((id) => {
    const rest = inChannels.filter(({ conversation }) => /** @type {any} */ (conversation).channel === id);
    const items = rest.flatMap(({ conversation, ids: unread }) => {
      const called = callsIn(conversation);
      const plain = unread.size - called;
      return plain > 0 ? [conversationItem(conversation, { newest: Math.max(...unread), count: plain })] : [];
    });
    if (!items.length) return null;
    const name = channelName(id);
    return h("section", { class: "group", "aria-label": name }, h("h2", {}, /** @type {Node} */ (drop(id)), h("a", { href: topicsHash(id) }, h("bdi", {}, name))), h("ul", { class: "plain" }, ...items));
  });
}

/** @returns {Waiting[]} without what is muted */
function wanted() {
  return allWaiting().filter(({ conversation }) => {
    if (!isInChannel(conversation)) return choice !== "followed" && !(conversation.people.length === 1 && isMuted(conversation.people[0]));
    if (choice === "mine") return callsIn(conversation) > 0;
    if (choice === "followed") return isFollowed(conversation.channel, conversation.topic);
    return !isTopicMuted(conversation.channel, conversation.topic) || callsIn(conversation) > 0;
  });
}

async function fetchNewest() {
  const wantedIds = allWaiting().map(({ ids }) => Math.max(...ids)).concat(unreadMentions());
  await fetchMessages(wantedIds.filter((id) => !messageOf(id)));
}
