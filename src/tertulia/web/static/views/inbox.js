/** The inbox: unread conversations. Mentions and direct messages come first, then channels. */

import { channelName, groupedChannels } from "../state/channels.js";
import { isInChannel } from "../state/conversations.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { conversationItem, fetchMessages, conversationIcon } from "./conversation_rows.js";
import { channelDot } from "./avatars.js";
import { isInFirstDays } from "./first_days.js";
import { isMuted } from "../state/people.js";
import { state } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { topicsHash } from "../state/narrow.js";
import { lazy } from "../core/lazy.js";
import { on, nextFrame } from "../core/signals.js";
import { emptyState, resetBody, resetFooter, setHeader, actionLink } from "./layout.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { allUnread, mentionsIn, unreadMentions } from "../state/unread.js";
import { withErrorToast } from "./message_actions.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/unread.js").UnreadConversation} UnreadConversation */

/** Which conversations are shown: all, mine, or followed. */
let inboxFilter = "all";
/** The place of the card "What did I miss?", if it was asked for. It stays for this visit of the inbox.
 * @type {HTMLElement | undefined} */
let catchUpSlot;
/** @type {(() => void) | undefined} draws the inbox that is open */
let redrawInbox;
/** @type {((redraw: () => void) => HTMLElement | null) | undefined} makes the card of the first days */
let startCard;
let wantsCatchUp = false; // it was asked for in another view

/** @returns {Promise<import("../core/router.js").View>} */
export async function showInbox() {
  const list = h("div", { class: "list" });
  resetBody(list);
  resetFooter();
  const draw = () => drawInbox(list, draw);
  catchUpSlot = undefined;
  redrawInbox = draw;
  const redraw = nextFrame(() => {
    fetchNewest().then(draw, draw);
  });
  await Promise.all([fetchNewest(), loadStartCard()].map((each) => each.catch(() => {})));
  draw();
  if (wantsCatchUp) toggleCatchUp();
  const stop = on(["unread", "people", "channels", "topics", "presence", "messageChanged", "realm", "reset"], redraw);
  const close = () => { stop(); redrawInbox = undefined; };
  return { close, focus: () => /** @type {HTMLElement | null} */ (list.querySelector("a.item"))?.focus() };
}

/** Load the card of the first days, if it is shown. */
async function loadStartCard() {
  if (isInFirstDays()) startCard = await lazy("start", "startCard");
}

/** Show or hide the card "What did I miss?". Its code is loaded when it is first asked for. */
export async function toggleCatchUp() {
  wantsCatchUp = !redrawInbox;
  if (!redrawInbox) {
    location.hash = "#inbox";
    return;
  }
  if (catchUpSlot) {
    catchUpSlot = undefined;
    return redrawInbox();
  }
  const slot = catchUpSlot = h("div", { "aria-busy": "true" });
  redrawInbox();
  const isShown = await withErrorToast(lazy("catchup", "showCatchUp").then((show) => show(slot, toggleCatchUp)));
  slot.removeAttribute("aria-busy");
  if (!isShown && catchUpSlot === slot) await toggleCatchUp();
}

/** @param {HTMLElement} list
 * @param {() => void} again */
function drawInbox(list, again) {
  const unread = filteredUnread();
  const markAll = h("button", { class: "b not-phone", type: "button", "data-do": "mark-all-read" }, t("inbox.mark-all"));
  const more = iconButton("more", t("head.more"), { "data-do": "view-menu", "data-key": "more", "aria-haspopup": "menu" });
  setHeader({ title: t("view.inbox"), tools: unread.length ? [markAll, more] : [], isHome: true });
  if (!unread.length && inboxFilter === "all") {
    const card = startCard?.(again);
    const isNew = card && state.max_message_id === -1;
    return setChildren(list, card, isNew ? h("p", { class: "sub" }, t("inbox.nothing-yet")) : emptyState(t("inbox.empty"), t("inbox.empty-text"), actionLink("#recent", t("inbox.recent"), "clock"), actionLink("#feed", t("view.feed"))));
  }
  const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
  setChildren(list, startCard?.(again), summaryLine(unread, again), catchUpSlot, ...(inboxFilter === "followed" ? [] : [mentionSection(unread)]), ...(inboxFilter === "mine" ? [] : channelSections(unread)));
  if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
  return undefined;
}

/** How many messages wait, and how many of them call the reader.
 * @param {UnreadConversation[]} unread */
function waitingText(unread) {
  const messages = unread.reduce((sum, each) => sum + each.ids.size, 0);
  const mine = unread.reduce((sum, each) => sum + mentionsIn(each.conversation), 0);
  if (!messages) return t("inbox.none-of-these");
  const waiting = messages === 1 ? counted("inbox.messages", 1) : t("inbox.waiting", { messages: counted("inbox.messages", messages), conversations: counted("inbox.conversations", unread.length) });
  const forMe = mine > 0 ? counted(mine === messages ? "inbox.all-for-you" : "inbox.for-you", mine) : "";
  return [waiting, forMe].filter(Boolean).map((each) => each[0].toLocaleUpperCase() + each.slice(1)).join(" ");
}

/** A text with a number: below ten in words, if the language writes them so.
 * @param {`inbox.${string}`} key
 * @param {number} count */
function counted(key, count) {
  return t(key, { count, number: t("inbox.numbers").split(" ")[count - 1] || count });
}

/** @param {UnreadConversation[]} unread
 * @param {() => void} again */
function summaryLine(unread, again) {
  const messages = unread.reduce((sum, each) => sum + each.ids.size, 0);
  const chips = ["all", "mine", "followed"].map((each) => h("button", {
    class: "chip", type: "button", "aria-pressed": String(inboxFilter === each),
    onclick: () => { inboxFilter = each; again(); },
  }, t(`inbox.${each}`)));
  const catchUp = h("button", { class: "chip", type: "button", "data-do": "catch-up", "data-key": "catch-up", "aria-expanded": String(Boolean(catchUpSlot)) }, t("inbox.catch-up"));
  return h("div", { class: "sub" }, h("span", {}, waitingText(unread)), h("span", { class: "end" }), messages > 1 && catchUp, ...chips);
}

/** @param {UnreadConversation[]} unread */
function mentionSection(unread) {
  const mentioned = unread.filter(({ conversation }) => mentionsIn(conversation) > 0);
  if (!mentioned.length) return null;
  const items = mentioned.map(({ conversation, ids }) => {
    const newest = isInChannel(conversation) ? Math.max(...[...ids].filter((id) => unreadMentions().includes(id))) : Math.max(...ids);
    return conversationItem(conversation, { newest, count: mentionsIn(conversation), isMention: true, lead: /** @type {Node} */ (conversationIcon(conversation)) });
  });
  return h("section", { class: "group", "aria-label": t("inbox.for-you-title") },
    h("h2", {}, icon("at", "s"), h("span", {}, t("inbox.for-you-title"))), h("ul", { class: "plain" }, ...items));
}

/** @param {UnreadConversation[]} unread */
function channelSections(unread) {
  const order = groupedChannels().flatMap((group) => group.channels.map((channel) => channel.stream_id));
  const inChannels = unread.flatMap(({ conversation, ids }) => (isInChannel(conversation) ? [{ conversation, ids }] : []));
  const ids = [...new Set(inChannels.map(({ conversation }) => conversation.channel))];
  ids.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return ids.map((id) => {
    const rest = inChannels.filter(({ conversation }) => conversation.channel === id);
    const items = rest.flatMap(({ conversation, ids: unread }) => {
      const mentions = mentionsIn(conversation);
      const plain = unread.size - mentions;
      return plain > 0 ? [conversationItem(conversation, { newest: Math.max(...unread), count: plain })] : [];
    });
    if (!items.length) return null;
    const name = channelName(id);
    return h("section", { class: "group", "aria-label": name }, h("h2", {}, /** @type {Node} */ (channelDot(id)), h("a", { href: topicsHash(id) }, h("bdi", {}, name))), h("ul", { class: "plain" }, ...items));
  });
}

/** @returns {UnreadConversation[]} without muted ones */
function filteredUnread() {
  return allUnread().filter(({ conversation }) => {
    if (!isInChannel(conversation)) return inboxFilter !== "followed" && !(conversation.people.length === 1 && isMuted(conversation.people[0]));
    if (inboxFilter === "mine") return mentionsIn(conversation) > 0;
    if (inboxFilter === "followed") return isFollowed(conversation.channel, conversation.topic);
    return !isTopicMuted(conversation.channel, conversation.topic) || mentionsIn(conversation) > 0;
  });
}

async function fetchNewest() {
  const wantedIds = allUnread().map(({ ids }) => Math.max(...ids)).concat(unreadMentions());
  await fetchMessages(wantedIds.filter((id) => !findMessage(id)));
}
