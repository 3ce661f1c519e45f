/** The sidebar: views, channels with the topics of the open one, direct messages. */

import { groupedChannels } from "../state/channels.js";
import { isInChannel, isResolved, keyOf, topicKey, topicTitle } from "../state/conversations.js";
import { glyph } from "./rendered_content.js";
import { recentDirectMessages } from "../state/direct_messages.js";
import { allDrafts } from "../state/drafts.js";
import { srOnly, setChildren, h, icon, iconButton } from "../core/html.js";
import { badge, channelDot, avatar, presenceText } from "./avatars.js";
import { isSpectator, state, myId, realm, setting } from "../state/session.js";
import { channelHash, conversationHash, topicsHash } from "../state/narrow.js";
import { namesOf, nameOf } from "../state/people.js";
import { on } from "../core/signals.js";
import { isPhone, region } from "./layout.js";
import { fetchTopics, isTopicMuted, topicsOf } from "../state/topics.js";
import { mentionsIn, unreadCount, mutedUnread, unreadTotals } from "../state/unread.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Route} Route */

const TOPICS_SHOWN = 8;
const DIRECTS_SHOWN = 12;
const CHANNELS_SHOWN = 80; // of a group; a button shows the others
const DRAW_DELAY_MS = 120; // in a busy organization, redraw less often
const HIDDEN_DRAW_DELAY_MS = 1500; // on phones, where the sidebar is hidden most of the time

/** @type {Route | null} */
let route = null;
let showsAllDirects = false;
/** @type {Set<string>} groups of which all channels are shown */
const expandedGroups = new Set();
/** @type {number | undefined} */
let drawTimer;

/** @param {Route | null} shown */
export function startSidebar(shown) {
  route = shown;
  drawFrame();
  if (shown) scheduleDraw();
  on("route", (shown) => {
    route = shown;
    closeSidebar();
    if (isPhone()) scheduleDraw(); // it is hidden, and the messages come first
    else drawSidebar();
  });
  on(["people", "presence", "channels", "folders", "topics", "unread", "settings", "realm", "drafts", "reset"], scheduleDraw);
  on(["people", "settings", "realm", "reset"], drawFrame);
}

export function toggleAllDirects() {
  showsAllDirects = !showsAllDirects;
  drawSidebar();
}

/** @param {string} group */
export function toggleAllChannels(group) {
  if (!expandedGroups.delete(group)) expandedGroups.add(group);
  drawSidebar();
}

/** Show the sidebar: on phones it slides over the page. */
export function openSidebar() {
  if (drawTimer) drawSidebar();
  const side = region(".side");
  side.classList.add("open");
  region(".shade").hidden = false;
  side.querySelector("a, button, input") instanceof HTMLElement && /** @type {HTMLElement} */ (side.querySelector(".row")).focus();
}

export function closeSidebar() {
  region(".side").classList.remove("open");
  region(".shade").hidden = true;
}

function scheduleDraw() {
  drawTimer ??= window.setTimeout(drawSidebar, isPhone() ? HIDDEN_DRAW_DELAY_MS : DRAW_DELAY_MS);
}

/** Draw the parts that messages do not change. */
function drawFrame() {
  region(".side").setAttribute("aria-label", t("side.sidebar"));
  region(".side nav").setAttribute("aria-label", t("side.nav"));
  region(".shade").setAttribute("aria-label", t("side.close"));
  region(".skip").textContent = t("side.skip");
  const logo = /** @type {SVGElement} */ (icon("none", "none"));
  logo.setAttribute("class", "logo");
  logo.firstElementChild?.setAttribute("href", "#logo");
  setChildren(region(".org"), logo, h("span", { class: "name cut" }, realm("name") ?? ""), icon("down", "s"));
  if (isSpectator()) {
    return setChildren(region(".foot"), h("a", { class: "b go wide", href: "/login/" }, t("spectator.log-in")));
  }
  const status = state.user_status?.[myId()];
  const sign = status?.reaction_type === "unicode_emoji" ? glyph(status.emoji_code ?? "") : "";
  const said = [sign && h("span", { class: "emoji", "aria-hidden": "true" }, sign), sign ? " " : "", status?.status_text];
  const mood = sign || status?.status_text ? h("small", { class: "cut" }, ...said) : null;
  const me = h("button", { class: "me", type: "button", "data-do": "my-menu", "aria-haspopup": "menu" },
    avatar(myId(), { presence: true }), h("span", { class: "cut" }, nameOf(myId()), mood));
  const help = iconButton("help", t("side.keys"), { "data-do": "keyboard-help", class: "not-phone" });
  const settings = iconButton("gear", t("side.settings"), { "data-do": "settings" });
  return setChildren(region(".foot"), me, help, settings);
}

function drawSidebar() {
  clearTimeout(drawTimer);
  drawTimer = undefined;
  const nav = region(".side nav");
  const focused = nav.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
  const top = nav.childElementCount ? nav.scrollTop : 0;
  setChildren(nav, viewRows(), ...groups(), ...(isSpectator() ? [] : directRows()));
  if (top) nav.scrollTop = top;
  if (focused) /** @type {HTMLElement | null} */ (nav.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus({ preventScroll: true });
}

function viewRows() {
  const sums = unreadTotals();
  const drafts = allDrafts().length;
  const starred = setting("starred_message_counts") ? (state.starred_messages ?? []).length : 0;
  const rows = isSpectator() ? [viewRow("#recent", "clock", t("view.recent"), false), viewRow("#feed", "list", t("view.feed"), false)] : [
    viewRow("#inbox", "inbox", t("view.inbox"), badge(sums.all)),
    viewRow("#recent", "clock", t("view.recent"), false),
    viewRow("#feed", "list", t("view.feed"), false),
    viewRow("#narrow/is/mentioned", "at", t("view.mentioned"), badge(sums.mentions, { calls: true, word: "mentions" })),
    viewRow("#narrow/is/starred", "star", t("view.starred"), badge(starred, { soft: true, word: "starred" })),
    viewRow("#narrow/is/followed", "bell", t("view.followed"), false),
    viewRow("#drafts", "draft", t("view.drafts"), badge(drafts, { soft: true, word: "drafts" })),
  ];
  return h("ul", {}, ...rows);
}

/** @param {string} href
 * @param {string} iconName
 * @param {string} name
 * @param {Node | false} count */
function viewRow(href, iconName, name, count) {
  return h("li", {}, h("a", { class: "row", href, "data-key": href, "aria-current": ariaCurrent(href) }, icon(iconName), h("span", { class: "t cut" }, name), count));
}

function groups() {
  const sorted = groupedChannels();
  const isPlain = sorted.length === 1;
  const drawn = sorted.map((group) => {
    const title = group.key === "pinned" ? t("side.pinned") : group.folder && group.key !== "others" ? group.folder.name : t(isPlain || !sorted.some((each) => each.folder) ? "side.channels" : "side.others");
    const key = `tertulia-closed-${group.key}`;
    const details = h("details", { open: localStorage.getItem(key) === null },
      h("summary", { "data-key": key }, icon("down", "s"), h("bdi", {}, title)),
      h("ul", {}, ...channelItems(group)));
    details.addEventListener("toggle", () => (details.open ? localStorage.removeItem(key) : localStorage.setItem(key, "1")));
    return details;
  });
  return isSpectator() ? drawn : [...drawn, findChannels()];
}

/** @param {{key: string, channels: import("../state/channels.js").Channel[]}} group */
function channelItems({ key, channels }) {
  const sums = unreadTotals().channels;
  const isShort = channels.length > CHANNELS_SHOWN && !expandedGroups.has(key);
  const shown = isShort ? channels.filter((channel, at) => at < CHANNELS_SHOWN || (sums.get(channel.stream_id) && !channel.is_muted) || openChannel() === channel.stream_id) : channels;
  const items = shown.map(channelItem);
  if (channels.length > CHANNELS_SHOWN) {
    const text = t(isShort ? "side.all-channels" : "side.fewer", { count: channels.length });
    items.push(h("li", {}, h("button", { class: "row muted", type: "button", "data-do": "all-channels", "data-group": key, "data-key": `all-${key}` }, h("span", { class: "t cut" }, text))));
  }
  return items;
}

function findChannels() {
  const row = h("a", { class: "row muted", href: "#channels/available", "data-key": "channels" }, icon("plus", "s"), h("span", { class: "t cut" }, t("side.find-channels")));
  return h("ul", { class: "more-channels" }, h("li", {}, row));
}

/** @param {import("../state/channels.js").Channel} channel */
function channelItem(channel) {
  const id = channel.stream_id;
  const count = unreadTotals().channels.get(id) ?? 0;
  const isOpen = openChannel() === id;
  const href = isSpectator() || setting("web_channel_default_view") === 2 ? channelHash(id) : topicsHash(id);
  const here = route?.channel === id && !route.conversation;
  const state = channel.is_muted ? "muted" : count ? "unread" : "";
  const quiet = mutedUnread(id);
  const row = h("a", { class: `row ${state}`, href, "data-key": `c${id}`, "data-channel": id, "aria-current": here && "page" },
    channelDot(id), h("span", { class: "t cut" }, h("bdi", {}, channel.name)),
    channel.is_muted && [icon("mute", "s"), srOnly(` ${t("side.muted")}`)].at(0),
    isOpen ? false : count ? badge(count, { soft: channel.is_muted }) : quiet > 0 && channel.is_muted && badge(quiet, { soft: true }));
  return h("li", {}, row, isOpen && topicList(id));
}

/** The topics of the open channel: unread ones, then the newest.
 * @param {number} channel */
function topicList(channel) {
  const all = topicsOf(channel);
  if (!all) {
    fetchTopics(channel).catch(() => {});
    return false;
  }
  const open = route?.conversation && isInChannel(route.conversation) ? keyOf(route.conversation) : "";
  const ranked = all.map((topic, at) => ({ topic, at, unread: unreadCount({ channel, topic: topic.name }) }));
  const isWanted = (/** @type {typeof ranked[0]} */ each) => topicKey(channel, each.topic.name) === open || (each.unread > 0 && !isTopicMuted(channel, each.topic.name));
  const shown = [...ranked.filter(isWanted), ...ranked.filter((each) => !isWanted(each))].slice(0, Math.max(TOPICS_SHOWN, 1)).sort((a, b) => a.at - b.at);
  const rows = shown.map(({ topic }) => topicRow(channel, topic.name, open));
  if (all.length > shown.length) {
    rows.push(h("li", {}, h("a", { class: "row muted", href: topicsHash(channel), "data-key": `all${channel}` }, h("span", { class: "t cut" }, t("side.all-topics", { count: all.length })))));
  }
  return h("ul", { class: "topics" }, ...rows);
}

/** @param {number} channel
 * @param {string} topic
 * @param {string} open */
function topicRow(channel, topic, open) {
  const conversation = { channel, topic };
  const count = unreadCount(conversation);
  const isQuiet = isTopicMuted(channel, topic);
  const state = isQuiet ? "muted" : isResolved(topic) ? "done" : "";
  const isOpen = keyOf(conversation) === open;
  return h("li", {}, h("a", { class: `row ${state} ${count && !isQuiet ? "unread" : ""}`, href: conversationHash(conversation), "data-key": keyOf(conversation), "aria-current": isOpen && "page" },
    h("span", { class: "t cut" }, h("bdi", {}, topicTitle(topic))),
    isResolved(topic) && icon("check", "s"), isResolved(topic) && srOnly(` ${t("talk.resolved")}`),
    isQuiet && icon("mute", "s"),
    badge(count, { calls: mentionsIn(conversation) > 0, soft: isQuiet })));
}

function directRows() {
  const all = recentDirectMessages();
  const open = route?.conversation ? keyOf(route.conversation) : "";
  const shown = showsAllDirects ? all : all.filter((each, at) => at < DIRECTS_SHOWN || unreadCount(each.conversation) || keyOf(each.conversation) === open);
  const rows = shown.map(({ conversation }) => directRow(conversation, open));
  if (all.length > shown.length || showsAllDirects) {
    const more = h("button", { class: "row muted", type: "button", "data-do": "all-directs", "data-key": "all-directs" }, h("span", { class: "t cut" }, t(showsAllDirects ? "side.fewer" : "side.all-directs", { count: all.length })));
    rows.push(h("li", {}, more));
  }
  const add = iconButton("plus", t("side.new-direct"), { "data-do": "new-direct", "data-key": "new-direct" });
  return [h("h2", {}, t("side.directs"), add), h("ul", {}, ...rows)];
}

/** @param {import("../state/conversations.js").Direct} conversation
 * @param {string} open */
function directRow(conversation, open) {
  const { people } = conversation;
  const isAlone = people.length === 1;
  const count = unreadCount(conversation);
  return h("li", {}, h("a", { class: `row ${count ? "unread" : ""}`, href: conversationHash(conversation), "data-key": keyOf(conversation), "aria-current": keyOf(conversation) === open && "page" },
    avatar(people[0], { presence: isAlone }),
    h("span", { class: "t cut" }, h("bdi", {}, namesOf(people)), isAlone && srOnly(`, ${presenceText(people[0])}`)),
    badge(count, { calls: true })));
}

/** The channel whose topics are listed. */
function openChannel() {
  if (route?.conversation && isInChannel(route.conversation)) return route.conversation.channel;
  return route?.channel;
}

/** @param {string} href */
function ariaCurrent(href) {
  return route?.hash === href || (route && href === "#feed" && route.hash === "#all_messages") ? "page" : false;
}
