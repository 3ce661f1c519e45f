/** The inbox: unread conversations. Mentions and direct messages come first, then channels. */

import { channelName, groupedChannels } from "../state/channels.js";
import { isInChannel } from "../state/conversations.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { conversationItem, fetchMessages } from "./conversation_rows.js";
import { channelDot, dotData } from "./avatars.js";
import { isInFirstDays } from "./first_days.js";
import { isMuted } from "../state/people.js";
import { state } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { topicsHash } from "../state/narrow.js";
import { keepFocus, setKeyedChildren } from "./keyed_children.js";
import { lazy } from "../core/lazy.js";
import { nextFrame } from "../core/signals.js";
import { emptyState, isPhone, resetBody, resetFooter, setHeader, actionLink } from "./layout.js";
import { isFollowed, isTopicMuted } from "../state/topics.js";
import { allUnread, mentionsIn, unreadMentions } from "../state/unread.js";
import { withErrorToast } from "./message_actions.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/unread.js").UnreadConversation} UnreadConversation */
/** @typedef {import("./keyed_children.js").KeyedChild} KeyedChild */

/** Which conversations are shown: all, mine, or followed. */
let inboxFilter = "all";
/** The place of the card "What did I miss?", if it was asked for. It stays for this visit of the inbox.
 * @type {HTMLElement | undefined} */
let catchUpSlot;
/** The place of the card that leads to the installed app, on phones.
 * @type {HTMLElement | undefined} */
let phoneSlot;
/** @type {{draw: () => void, scope: import("../core/scope.js").Scope} | undefined} */
let openInbox;
/** @type {((redraw: () => void) => HTMLElement | null) | undefined} makes the card of the first days */
let startCard;
let wantsCatchUp = false; // it was asked for in another view

/** @param {import("../state/routes.js").Route} _route
 * @param {import("../core/scope.js").Scope} scope
 * @returns {Promise<import("../core/router.js").View>} */
export async function showInbox(_route, scope) {
  const list = h("div", { class: "list" });
  resetBody(list);
  resetFooter();
  const draw = () => {
    if (!scope.isClosed) drawInbox(list, draw);
  };
  catchUpSlot = undefined;
  openInbox = { draw, scope };
  scope.add(() => {
    if (openInbox?.draw === draw) openInbox = undefined;
  });
  await Promise.all([fetchNewest(), loadStartCard(), loadPhoneCard(scope)].map((each) => each.catch(() => {})));
  draw();
  if (wantsCatchUp && !scope.isClosed) toggleCatchUp();
  scope.on(
    ["unread", "people", "channels", "topics", "presence", "messageChanged", "realm", "reset"],
    nextFrame(() => {
      fetchNewest().then(draw, draw);
    }),
  );
  return { focus: () => /** @type {HTMLElement | null} */ (list.querySelector("a.item"))?.focus() };
}

/** Load the card of the first days, if it is shown. */
async function loadStartCard() {
  if (isInFirstDays()) startCard = await lazy("start", "startCard");
}

/** Load the card that leads to the installed app, on a phone.
 * @param {import("../core/scope.js").Scope} scope */
async function loadPhoneCard(scope) {
  phoneSlot = undefined;
  if (!isPhone() || !matchMedia("(pointer: coarse)").matches) return;
  const show = await lazy("phone", "showPhoneCard");
  phoneSlot = h("div", { class: "slot" });
  show(phoneSlot, scope);
}

/** Show or hide the card "What did I miss?". Its code is loaded when it is first asked for. */
export async function toggleCatchUp() {
  wantsCatchUp = !openInbox;
  if (!openInbox) {
    location.hash = "#inbox";
    return;
  }
  if (catchUpSlot) {
    catchUpSlot = undefined;
    return openInbox.draw();
  }
  const slot = (catchUpSlot = h("div", { "aria-busy": "true" }));
  const { draw, scope } = openInbox;
  draw();
  const isShown = await withErrorToast(lazy("catchup", "showCatchUp").then((show) => show(slot, toggleCatchUp, scope)));
  slot.removeAttribute("aria-busy");
  if (!isShown && catchUpSlot === slot) await toggleCatchUp();
}

/** @param {HTMLElement} list
 * @param {() => void} again */
function drawInbox(list, again) {
  const unread = filteredUnread();
  const start = startCardChild(again);
  const [phone, slot] = [phoneSlot, catchUpSlot];
  const phoneCard = phone && { key: "phone", build: () => phone };
  const markAll = h(
    "button",
    { class: "b not-phone", type: "button", "data-do": "mark-all-read" },
    t("inbox.mark-all"),
  );
  const more = iconButton("more", t("head.more"), {
    "data-do": "view-menu",
    "data-key": "more",
    "aria-haspopup": "menu",
  });
  setHeader({ title: t("view.inbox"), tools: unread.length ? [markAll, more] : [], isHome: true });
  if (!unread.length && inboxFilter === "all") {
    const isNew = start && state.max_message_id === -1;
    const build = () =>
      isNew
        ? h("p", { class: "sub" }, t("inbox.nothing-yet"))
        : emptyState(
            t("inbox.empty"),
            t("inbox.empty-text"),
            actionLink("#recent", t("inbox.recent"), "clock"),
            actionLink("#feed", t("view.feed")),
          );
    return keepFocus(list, () =>
      setKeyedChildren(list, [phoneCard, start, { key: isNew ? "nothing-yet" : "empty", build }]),
    );
  }
  return keepFocus(list, () =>
    setKeyedChildren(list, [
      phoneCard,
      start,
      summaryLine(unread),
      slot && { key: "catch-up", build: () => slot },
      inboxFilter !== "followed" && mentionSection(unread),
      ...(inboxFilter === "mine" ? [] : channelSections(unread)),
    ]),
  );
}

/** The card of the first days, which has fields of its own.
 * @param {() => void} again
 * @returns {KeyedChild | undefined} */
function startCardChild(again) {
  const card = startCard?.(again);
  return card
    ? {
        key: "start",
        build: () => /** @type {Element} */ (card.cloneNode()),
        update: (place) => place.replaceChildren(...card.childNodes),
      }
    : undefined;
}

/** How many messages wait, and how many of them call the reader.
 * @param {UnreadConversation[]} unread */
function waitingText(unread) {
  const messages = unread.reduce((sum, each) => sum + each.ids.size, 0);
  const mine = unread.reduce((sum, each) => sum + mentionsIn(each.conversation), 0);
  if (!messages) return t("inbox.none-of-these");
  const waiting =
    messages === 1
      ? counted("inbox.messages", 1)
      : t("inbox.waiting", {
          messages: counted("inbox.messages", messages),
          conversations: counted("inbox.conversations", unread.length),
        });
  const forMe = mine > 0 ? counted(mine === messages ? "inbox.all-for-you" : "inbox.for-you", mine) : "";
  return [waiting, forMe]
    .filter(Boolean)
    .map((each) => each[0].toLocaleUpperCase() + each.slice(1))
    .join(" ");
}

/** A text with a number: below ten in words, if the language writes them so.
 * @param {`inbox.${string}`} key
 * @param {number} count */
function counted(key, count) {
  return t(key, { count, number: t("inbox.numbers").split(" ")[count - 1] || count });
}

/** How many messages wait, and which of them are shown.
 * @param {UnreadConversation[]} unread
 * @returns {KeyedChild} */
function summaryLine(unread) {
  const text = waitingText(unread);
  const isMany = unread.reduce((sum, each) => sum + each.ids.size, 0) > 1;
  const isOpen = Boolean(catchUpSlot);
  const build = () => {
    const chips = ["all", "mine", "followed"].map((each) =>
      h(
        "button",
        {
          class: "chip",
          type: "button",
          "data-do": "inbox-filter",
          "data-choice": each,
          "data-key": `filter-${each}`,
          "aria-pressed": String(inboxFilter === each),
        },
        t(`inbox.${each}`),
      ),
    );
    const catchUp = h(
      "button",
      { class: "chip", type: "button", "data-do": "catch-up", "data-key": "catch-up", "aria-expanded": String(isOpen) },
      t("inbox.catch-up"),
    );
    return h("div", { class: "sub" }, h("span", {}, text), h("span", { class: "end" }), isMany && catchUp, ...chips);
  };
  return { key: "summary", data: [text, isMany, isOpen, inboxFilter], build };
}

/** @param {HTMLElement} chip */
export function filterInbox(chip) {
  inboxFilter = chip.dataset.choice ?? "all";
  openInbox?.draw();
}

/** @param {UnreadConversation[]} unread
 * @returns {KeyedChild | undefined} */
function mentionSection(unread) {
  const rows = unread
    .filter(({ conversation }) => mentionsIn(conversation) > 0)
    .map(({ conversation, ids }) => {
      const newest = isInChannel(conversation)
        ? Math.max(...[...ids].filter((id) => unreadMentions().includes(id)))
        : Math.max(...ids);
      return conversationItem(conversation, {
        newest,
        count: mentionsIn(conversation),
        isMention: true,
        lead: "place",
      });
    });
  const heading = () => [icon("at", "s"), h("span", {}, t("inbox.for-you-title"))];
  return rows.length ? sectionOf("mentions", [t("inbox.for-you-title")], heading, rows) : undefined;
}

/** @param {UnreadConversation[]} unread
 * @returns {KeyedChild[]} */
function channelSections(unread) {
  /** @type {Map<number, KeyedChild[]>} */
  const rows = new Map();
  for (const { conversation, ids } of unread) {
    const plain = ids.size - mentionsIn(conversation);
    if (!isInChannel(conversation) || plain <= 0) continue;
    const item = conversationItem(conversation, { newest: Math.max(...ids), count: plain });
    rows.set(conversation.channel, [...(rows.get(conversation.channel) ?? []), item]);
  }
  const order = groupedChannels().flatMap((group) => group.channels.map((channel) => channel.stream_id));
  return [...rows]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([id, items]) => {
      const name = channelName(id);
      const heading = () => [
        /** @type {Node} */ (channelDot(id)),
        h("a", { href: topicsHash(id) }, h("bdi", {}, name)),
      ];
      return sectionOf(`channel-${id}`, [name, ...dotData(id)], heading, items);
    });
}

/** @param {string} key
 * @param {[string, ...import("./keyed_children.js").Data]} data the name, and what else the heading shows
 * @param {() => Node[]} heading
 * @param {KeyedChild[]} rows
 * @returns {KeyedChild} */
function sectionOf(key, data, heading, rows) {
  const build = () => h("section", { class: "group" });
  const update = (/** @type {Element} */ section) => {
    section.setAttribute("aria-label", data[0]);
    setKeyedChildren(section, [
      { key: "heading", data, build: () => h("h2", {}, ...heading()) },
      { key: "rows", build: () => h("ul", { class: "plain" }), update: (list) => setKeyedChildren(list, rows) },
    ]);
  };
  return { key, build, update };
}

/** @returns {UnreadConversation[]} without muted ones */
function filteredUnread() {
  return allUnread().filter(({ conversation }) => {
    if (!isInChannel(conversation))
      return inboxFilter !== "followed" && !(conversation.people.length === 1 && isMuted(conversation.people[0]));
    if (inboxFilter === "mine") return mentionsIn(conversation) > 0;
    if (inboxFilter === "followed") return isFollowed(conversation.channel, conversation.topic);
    return !isTopicMuted(conversation.channel, conversation.topic) || mentionsIn(conversation) > 0;
  });
}

async function fetchNewest() {
  const wantedIds = allUnread()
    .map(({ ids }) => Math.max(...ids))
    .concat(unreadMentions());
  await fetchMessages(wantedIds.filter((id) => !findMessage(id)));
}
