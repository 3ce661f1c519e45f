/** The view of a channel: its description and its topics. */

import { channelName, channels } from "../state/channels.js";
import { showComposeOrReason } from "./compose.js";
import { enhance } from "./rendered_content.js";
import { get } from "../core/api.js";
import { isResolved, keyOf } from "../state/conversations.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { conversationItem, fetchMessages } from "./conversation_rows.js";
import { keepFocus, setKeyedChildren } from "./keyed_children.js";
import { messagesQuery } from "../state/message_lists.js";
import { channelDot } from "./avatars.js";
import { isSpectator } from "../state/session.js";
import { cachedMessages, storeMessage } from "../state/messages.js";
import { channelHash } from "../state/narrow.js";
import { groupByConversation } from "./recent.js";
import { nextFrame } from "../core/signals.js";
import { emptyState, failedState, region, resetBody, resetFooter, setHeader, actionLink } from "./layout.js";
import { fetchTopics, topicsOf } from "../state/topics.js";
import { mentionsIn, unreadCount } from "../state/unread.js";
import { t } from "../core/i18n.js";
import { accountValue, setAccountValue } from "../core/account_values.js";
import { lazy } from "../core/lazy.js";
import { reloadView } from "../core/router.js";

/** Channels whose last messages were fetched, for the rows. @type {Set<number>} */
const fetchedChannels = new Set();
let unreadFirst = false;
const FORUMS = "forum-channels";

/** @param {import("../state/routes.js").Route} route
 * @param {import("../core/scope.js").Scope} scope
 * @returns {Promise<import("../core/router.js").View>} */
export async function showTopics(route, scope) {
  const { channel = 0 } = route;
  const list = h("div", { class: "list" });
  resetBody(list);
  const foot = resetFooter();
  if (!channels.has(channel)) {
    setHeader({ title: t("channel.unknown"), isHome: true });
    setChildren(
      list,
      emptyState(t("channel.unknown"), t("channel.unknown-text"), actionLink("#inbox", t("view.inbox"), "inbox")),
    );
    return {};
  }
  if (isForum(channel)) return (await lazy("forum", "showForum"))(route, scope);
  let isFetched = false;
  const load = async () => {
    try {
      await Promise.all([topicsOf(channel) ?? fetchTopics(channel), fetchRecentMessages(channel)]);
      isFetched = true;
      await fetchMessages((topicsOf(channel) ?? []).map((topic) => topic.max_id));
    } catch {
      // Without a connection, the page shows what it has.
    }
  };
  const retry = async () => {
    await load();
    draw();
  };
  const draw = () => {
    if (isFetched || topicsOf(channel)?.length) drawTopics(list, channel, draw);
    else setKeyedChildren(list, [{ key: "failed", build: () => failedState(t("talk.no-answer"), retry) }]);
  };
  drawHeader(channel);
  if (!isSpectator()) showComposeOrReason(foot, { channel, topic: null });
  await retry();
  scope.on(["messageArrived", "unread", "topics", "people", "messageChanged", "reset"], nextFrame(draw));
  scope.on("channels", () => drawHeader(channel));
  scope.on("connection", (state) => {
    if (state === "live" && !isFetched) retry();
  });
  scope.on("topics", (changed) => {
    if (changed === channel && !topicsOf(channel)) fetchTopics(channel).catch(() => {});
  });
  return { focus: () => /** @type {HTMLElement | null} */ (list.querySelector("a.item"))?.focus() };
}

/** Whether the person reads the channel as a forum.
 * @param {number} channel */
export function isForum(channel) {
  return forums().includes(channel);
}

/** @returns {number[]} */
function forums() {
  return accountValue(FORUMS) ?? [];
}

/** The switch between the list of topics and the forum, which the browser keeps for each channel.
 * @param {number} channel */
export function viewSwitch(channel) {
  const isOn = isForum(channel);
  const choose = async (/** @type {boolean} */ forum) => {
    if (forum === isForum(channel)) return;
    const others = forums().filter((each) => each !== channel);
    setAccountValue(FORUMS, forum ? [...others, channel] : others);
    await reloadView();
    const chosen = region(".main > .scroll").querySelector('.segments [aria-checked="true"]');
    /** @type {HTMLElement | null} */ (chosen)?.focus();
  };
  const choice = (/** @type {"list" | "forum"} */ name, /** @type {string} */ sign) => {
    const isChosen = (name === "forum") === isOn;
    const attributes = { type: "button", role: "radio", "aria-checked": String(isChosen), tabindex: isChosen ? 0 : -1 };
    return h("button", { ...attributes, onclick: () => choose(name === "forum") }, icon(sign, "s"), t(`forum.${name}`));
  };
  const onkeydown = (/** @type {KeyboardEvent} */ event) => {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    choose(!isOn);
  };
  const attributes = { class: "segments", role: "radiogroup", "aria-label": t("forum.view"), onkeydown };
  return h("div", attributes, choice("list", "list"), choice("forum", "cards"));
}

/** @param {number} id */
export function drawHeader(id) {
  const channel = channels.get(id);
  if (!channel) return;
  const over = [channelDot(id), h("span", {}, t("channel.over", { count: channel.subscriber_count ?? 0 }))];
  const fresh = h(
    "button",
    { class: "b go not-phone", type: "button", "data-do": "new-topic" },
    icon("plus", "s"),
    t("channel.new-topic"),
  );
  const join = h(
    "button",
    { class: "b go", type: "button", "data-do": "join-channel", "data-channel": id },
    t("channel.join"),
  );
  const feed = iconButton("chat", t("channel.feed"), { "data-do": "channel-feed", "data-channel": id });
  const people = iconButton("people", t("head.people"), {
    "data-do": "channel-people",
    "data-channel": id,
    class: "not-phone",
  });
  const settings = iconButton("gear", t("head.channel-settings"), {
    "data-do": "channel-settings",
    "data-channel": id,
  });
  const more = iconButton("more", t("head.more"), { "data-do": "view-menu", "aria-haspopup": "menu" });
  setHeader({
    title: channelName(id),
    over,
    tools: isSpectator() ? [feed] : [channel.subscribed ? fresh : join, feed, people, settings, more],
    isHome: true,
  });
}

/** @param {HTMLElement} list
 * @param {number} id
 * @param {() => void} again */
function drawTopics(list, id, again) {
  const channel = channels.get(id);
  const about = channel?.rendered_description;
  const line = () => {
    const chips = [false, true].map((first) =>
      h(
        "button",
        {
          class: "chip",
          type: "button",
          "data-first": String(first),
          onclick: () => {
            unreadFirst = first;
            again();
          },
        },
        t(first ? "channel.unread-first" : "channel.newest-first"),
      ),
    );
    return h(
      "div",
      { class: "sub" },
      viewSwitch(id),
      h("div", { class: "about" }),
      h("span", { class: "end" }),
      ...chips,
    );
  };
  const describe = (/** @type {Element} */ place) =>
    setChildren(/** @type {Element} */ (place.querySelector(".about")), about && enhance(about));
  const press = (/** @type {Element} */ place) => {
    for (const chip of place.querySelectorAll(".chip"))
      chip.setAttribute(
        "aria-pressed",
        String(/** @type {HTMLElement} */ (chip).dataset.first === String(unreadFirst)),
      );
  };
  const topics = [...(topicsOf(id) ?? [])];
  if (unreadFirst)
    topics.sort(
      (a, b) =>
        Number(unreadCount({ channel: id, topic: b.name }) > 0) -
        Number(unreadCount({ channel: id, topic: a.name }) > 0),
    );
  const senders = new Map(
    groupByConversation(cachedMessages()).map((each) => [keyOf(each.conversation), each.senders]),
  );
  const rows = topics.map((topic) => {
    const conversation = { channel: id, topic: topic.name };
    return conversationItem(conversation, {
      newest: topic.max_id,
      count: unreadCount(conversation),
      isMention: mentionsIn(conversation) > 0,
      senders: senders.get(keyOf(conversation)) ?? [],
      ...(isResolved(topic.name) && { lead: "check" }),
    });
  });
  const head = {
    key: "line",
    build: line,
    contents: [about, unreadFirst],
    update: (/** @type {Element} */ place) => {
      describe(place);
      press(place);
    },
  };
  const empty = {
    key: "empty",
    build: () => emptyState(t("empty.channel"), t("empty.topic-text"), actionLink(channelHash(id), t("channel.feed"))),
  };
  const found = {
    key: "topics",
    build: () => h("ul", { class: "plain" }),
    update: (/** @type {Element} */ ul) => setKeyedChildren(ul, rows),
  };
  keepFocus(list, () => setKeyedChildren(list, [head, rows.length ? found : empty]));
}

/** @param {number} channel */
async function fetchRecentMessages(channel) {
  if (fetchedChannels.has(channel)) return;
  const response = await get("/messages", messagesQuery([{ operator: "channel", operand: channel }], "newest", 200, 0));
  for (const message of response.messages) storeMessage(message);
  fetchedChannels.add(channel);
}
