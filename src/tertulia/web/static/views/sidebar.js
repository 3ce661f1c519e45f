/** The sidebar: views, the filter, direct messages, channels with the topics of the open one.
 *
 * It is drawn after every message, so rows are keyed: only rows that look different are built again. */

import { channels, groupedChannels } from "../state/channels.js";
import { isInChannel, isResolved, keyOf, topicKey, topicTitle } from "../state/conversations.js";
import { recentDirectMessages } from "../state/direct_messages.js";
import { allDrafts } from "../state/drafts.js";
import { accountValue, setAccountValue } from "../core/account_values.js";
import { srOnly, setChildren, h, icon, iconButton } from "../core/html.js";
import { badge, channelDot, avatar, avatarData, dotData, presenceText, statusEmoji } from "./avatars.js";
import { isSpectator, state, myId, realm, setting } from "../state/session.js";
import { channelHash, conversationHash, topicsHash } from "../state/narrow.js";
import { isMuted, namesOf, nameOf } from "../state/people.js";
import { pageScope } from "../core/scope.js";
import { emit } from "../core/signals.js";
import { runCommand } from "./commands.js";
import { keepFocus, setKeyedChildren, updateKeyedChild } from "./keyed_children.js";
import { isPhone, region } from "./layout.js";
import { filterField, filterSections, isFiltering } from "./sidebar_filter.js";
import { drawUnreadIcon } from "./unread_icon.js";
import { fetchTopics, isTopicMuted, topicsOf } from "../state/topics.js";
import { channelTotals, mentionsIn, unreadCount, unreadTotals } from "../state/unread.js";
import { hasChannelsToJoin } from "../state/write_access.js";
import { formatNumber, t } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Route} Route */
/** @typedef {import("../state/channels.js").Channel} Channel */
/** @typedef {import("./keyed_children.js").KeyedChild} KeyedChild */
/** @typedef {import("./avatars.js").BadgeOptions} BadgeOptions */
/** @typedef {{number: number, isUnread?: boolean} & BadgeOptions} Count of a row, whether its name is bold, and how its
 *   badge looks */
/** @typedef {{key: string, title: string, isClosed?: boolean, add?: () => Element, sums: () => {mentions: number,
 *   unread: number}, rows: () => (KeyedChild | false)[]}} Section `isClosed` at first; `add` builds the button beside
 *   the title */

const TOPICS_SHOWN = 8;
const DIRECTS_SHOWN = 6;
const CHANNELS_SHOWN = 80; // of a group; a button shows the others
const DRAW_DELAY_MS = 120; // in a busy organization, redraw less often
const OPEN_DRAW_DELAY_MS = 700; // a new message of the open conversation is read at once, most of the time
const HIDDEN_DRAW_DELAY_MS = 1500; // on phones, where the sidebar is hidden most of the time
// the width of a name that fits into the narrowest sidebar, beside a count and the button of the menu
const FITTING_EM = 7.5;
const SECTIONS = "sections"; // of the account values: which sections are open

/** @type {Route | null} */
let route = null;
let showsAllDirects = false;
/** @type {Set<string>} groups of which all channels are shown */
const expandedGroups = new Set();
/** @type {ReturnType<typeof groupedChannels> | undefined} sorting them takes longer than drawing */
let groups;
/** @type {number | undefined} */
let drawTimer;
let drawAt = 0; // when it ends
/** @type {Set<number> | undefined} the channels whose counts are all that has changed since the last drawing */
let changedChannels;

/** @param {Route | null} shown */
export function startSidebar(shown) {
  route = shown;
  region(".side .top").append(switcherButton());
  drawFrame();
  if (shown) scheduleDraw();
  pageScope.on("route", (shown) => {
    route = shown;
    closeSidebar();
    if (isPhone())
      scheduleDraw(); // it is hidden, and the messages come first
    else drawSidebar();
  });
  pageScope.on(["channels", "folders", "reset"], () => (groups = undefined));
  pageScope.on(["people", "presence", "channels", "folders", "settings", "realm", "drafts", "reset"], () =>
    scheduleDraw(),
  );
  pageScope.on("topics", (channel) => {
    if (isFiltering()) scheduleDraw(OPEN_DRAW_DELAY_MS);
    else if (channel === openChannel()) scheduleChannel(channel, OPEN_DRAW_DELAY_MS);
  });
  pageScope.on("unread", scheduleCounts);
  pageScope.on(["people", "settings", "realm", "reset"], drawFrame);
  const nav = region(".side nav");
  nav.addEventListener("keydown", handleKey);
  nav.addEventListener("toggle", rememberSection, { capture: true });
  if (!isSpectator()) nav.addEventListener("contextmenu", openRowMenu);
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
  /** @type {HTMLElement | null} */ (side.querySelector(".row"))?.focus();
  emit("covered", { isOpen: () => side.classList.contains("open"), close: closeSidebar });
}

/** Show the sidebar and focus its filter. */
export function focusFilter() {
  openSidebar();
  /** @type {HTMLInputElement | null} */ (document.querySelector(".filter input"))?.select();
}

export function closeSidebar() {
  region(".side").classList.remove("open");
  region(".shade").hidden = true;
}

/** Draw everything after a delay, or when an earlier call wants it.
 * @param {number} [delayMs] */
function scheduleDraw(delayMs = DRAW_DELAY_MS) {
  changedChannels = undefined;
  startTimer(delayMs);
}

/** Draw what has changed since unread messages have.
 * @param {import("../state/conversations.js").Conversation | undefined} conversation whose unread messages have
 *   changed */
function scheduleCounts(conversation) {
  if (!conversation || !isInChannel(conversation)) return scheduleDraw();
  const { channel } = conversation;
  const isOpen = channel === openChannel();
  if (!isOpen && !channelTotals().get(channel)?.unread) return scheduleDraw(); // a long group may show it no longer
  return scheduleChannel(
    channel,
    isOpen && route?.conversation && keyOf(route.conversation) === keyOf(conversation)
      ? OPEN_DRAW_DELAY_MS
      : DRAW_DELAY_MS,
  );
}

/** Draw the row of a channel, with its topics, and the views.
 * @param {number} channel
 * @param {number} delayMs */
function scheduleChannel(channel, delayMs) {
  if (!drawTimer) changedChannels = new Set();
  changedChannels?.add(channel);
  startTimer(delayMs);
}

/** @param {number} delayMs */
function startTimer(delayMs) {
  const delay = isPhone() ? HIDDEN_DRAW_DELAY_MS : delayMs;
  if (drawTimer && drawAt <= performance.now() + delay) return;
  clearTimeout(drawTimer);
  drawAt = performance.now() + delay;
  drawTimer = window.setTimeout(() => {
    if (!changedChannels || !drawCounts(changedChannels)) drawSidebar();
    drawUnreadIcon();
  }, delay);
}

function switcherButton() {
  return h(
    "button",
    {
      class: "find",
      type: "button",
      "data-do": "switcher",
      "aria-haspopup": "dialog",
      "aria-keyshortcuts": "Control+K",
    },
    icon("search", "s"),
    h("span", {}, t("search.or-go-to")),
    h("kbd", { class: "not-phone", "aria-hidden": "true" }, "Ctrl K"),
  );
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
  const sign = statusEmoji(myId());
  const line =
    sign || status?.status_text ? [sign, sign && " ", status?.status_text] : state.is_owner ? [t("side.owner")] : null;
  const me = h(
    "button",
    { class: "me", type: "button", "data-do": "my-menu", "aria-haspopup": "menu" },
    avatar(myId(), { presence: true }),
    h("span", { class: "cut" }, nameOf(myId()), line && h("small", { class: "cut" }, ...line)),
  );
  const help = iconButton("help", t("keys.title"), { "data-do": "keyboard-help", class: "not-phone" });
  const settings = iconButton("gear", t("view.settings"), { "data-do": "settings" });
  return setChildren(region(".foot"), me, help, settings);
}

/** Draw the rows of some channels and the views, without comparing all others.
 * @param {Set<number>} ids
 * @returns {boolean} whether that was enough */
function drawCounts(ids) {
  const nav = region(".side nav");
  const items = [...ids].map((id) => nav.querySelector(`[data-key="c${id}"]`)?.closest("li"));
  if (isFiltering() || items.includes(undefined)) return false; // a closed section shows their sum
  drawTimer = undefined;
  keepFocus(nav, () => {
    [...ids].forEach((id, at) => {
      const channel = channels.get(id);
      if (channel) updateKeyedChild(/** @type {Element} */ (items[at]), channelRow(channel));
    });
    updateKeyedChild(/** @type {Element} */ (nav.firstElementChild), viewList());
  });
  return true;
}

function drawSidebar() {
  clearTimeout(drawTimer);
  drawTimer = undefined;
  const nav = region(".side nav");
  const filter = { key: "filter", build: () => filterField(drawSidebar) };
  keepFocus(nav, () => {
    setKeyedChildren(
      nav,
      isFiltering()
        ? [filter, ...filterSections()]
        : [viewList(), !isSpectator() && filter, ...sections().map(sectionChild), !isSpectator() && findChannels()],
    );
  });
}

/** Arrow keys move from row to row, Shift+F10 opens the menu of a row.
 * @param {KeyboardEvent} event */
function handleKey(event) {
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
    const row = /** @type {Element} */ (event.target).closest(".has-more")?.querySelector(".row");
    if (!(row instanceof HTMLElement) || isSpectator()) return;
    event.preventDefault();
    runCommand("row-menu", row, event);
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.ctrlKey || event.altKey) return;
  const rows = /** @type {HTMLElement[]} */ (
    [...region(".side nav").querySelectorAll(".row, summary, .filter input")].filter(
      (row) => /** @type {HTMLElement} */ (row).offsetParent,
    )
  );
  const at = rows.findIndex(
    (row) => row === document.activeElement || row.nextElementSibling === document.activeElement,
  );
  const next = rows[at + step];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

/** A right click, a long press, the menu key or Shift+F10 on a row.
 * @param {MouseEvent} event */
function openRowMenu(event) {
  const item = /** @type {Element} */ (event.target).closest(".has-more");
  const row = item?.querySelector(".row");
  if (!(row instanceof HTMLElement) || !runCommand("row-menu", row, event)) return;
  event.preventDefault();
}

/** @param {Event} event */
function rememberSection({ target }) {
  const details = /** @type {HTMLDetailsElement} */ (target);
  const key = details.dataset.section;
  if (!key || details.open === isSectionOpen(key, details.dataset.closed !== undefined)) return;
  setAccountValue(SECTIONS, { ...accountValue(SECTIONS), [key]: details.open });
  drawSidebar();
}

/** @param {string} key
 * @param {boolean} [isClosed] whether it is closed at first
 * @returns {boolean} */
function isSectionOpen(key, isClosed = false) {
  return accountValue(SECTIONS)?.[key] ?? !isClosed;
}

/** @returns {KeyedChild} */
function viewList() {
  const sums = unreadTotals();
  const drafts = allDrafts().length;
  const starred = setting("starred_message_counts") ? (state.starred_messages ?? []).length : 0;
  const rows = isSpectator()
    ? [viewRow("#recent", "clock", t("view.recent")), viewRow("#feed", "list", t("view.feed"))]
    : [
        viewRow("#inbox", "inbox", t("view.inbox"), sums.all),
        viewRow("#recent", "clock", t("view.recent")),
        viewRow("#feed", "list", t("view.feed")),
        viewRow("#narrow/is/mentioned", "at", t("view.mentioned"), sums.mentions, {
          isMention: true,
          word: "mentions",
        }),
        viewRow("#narrow/is/starred", "star", t("view.starred"), starred, { soft: true, word: "starred" }),
        viewRow("#narrow/is/followed", "bell", t("view.followed")),
        viewRow("#drafts", "draft", t("view.drafts"), drafts, { soft: true, word: "drafts" }),
      ];
  return { key: "views", build: () => h("ul"), update: (list) => setKeyedChildren(list, rows) };
}

/** @param {string} href
 * @param {string} iconName
 * @param {string} name
 * @param {number} [count]
 * @param {BadgeOptions} [badgeOptions] of the count
 * @returns {KeyedChild} */
function viewRow(href, iconName, name, count = 0, badgeOptions) {
  const current = ariaCurrent(href);
  const build = () =>
    h(
      "li",
      {},
      h(
        "a",
        { class: "row", href, "data-key": href, "aria-current": current },
        icon(iconName),
        h("span", { class: nameClass(name) }, name),
      ),
    );
  const update = (/** @type {Element} */ item) =>
    drawCount(/** @type {Element} */ (item.firstElementChild), count, badgeOptions);
  return { key: href, data: [name, current], build, contents: [count], update };
}

/** Draw the count at the end of a row. Counts change more often than rows, so they are only a number: what it counts is
 * in the label of the row, as hidden text would be one more layer of the page.
 * @param {Element} row
 * @param {number} count
 * @param {BadgeOptions} [options] */
function drawCount(row, count, { isMention, soft, word = "unread" } = {}) {
  const present = row.querySelector(":scope > .n");
  if (!count) {
    present?.remove();
    row.removeAttribute("aria-label");
    return;
  }
  const shown = present ?? h("span", {}, "");
  const [name, text] = [isMention ? "n call" : soft ? "n soft" : "n", formatNumber(count)];
  if (shown.className !== name) shown.className = name;
  if (shown.firstChild) shown.firstChild.nodeValue = text;
  else shown.append(text);
  if (!present) row.append(shown);
  const hidden = [...row.querySelectorAll(".hidden")].map((part) => part.textContent).join("");
  row.setAttribute(
    "aria-label",
    `${[...row.children]
      .filter((child) => child !== shown)
      .map(spokenText)
      .join("")} ${text} ${t(`badge.${word}`, { count })}${hidden}`,
  );
}

/** The visible text of a part of a row as assistive technology reads it: a name begins with what is seen, so that
 * people who speak to their computer can say it.
 * @param {Node} node
 * @returns {string} */
function spokenText(node) {
  if (!(node instanceof Element)) return node.nodeValue ?? "";
  if (node.ariaHidden === "true" || node.classList.contains("hidden")) return "";
  return node.ariaLabel ?? node.getAttribute("alt") ?? [...node.childNodes].map(spokenText).join("");
}

/** The classes of a name. One that may be too long is cut: where a count appears beside it, its clip gets a new size,
 * and the browser divides the whole page into layers again. So names that surely fit are not cut.
 * @param {string} name */
function nameClass(name) {
  let width = 0;
  for (const character of name)
    width += /[MWmw@%&]/.test(character)
      ? 1
      : /[A-Z]/.test(character)
        ? 0.8
        : /[ -~\u00df-\u00ff]/.test(character)
          ? 0.65
          : 1.5;
  return width > FITTING_EM ? "t cut" : "t";
}

/** @returns {Section[]} */
function sections() {
  groups ??= groupedChannels();
  const hasFolders = groups.some((group) => group.folder && group.key !== "others");
  /** @type {Section[]} */
  const found = groups.map(({ key, folder, channels }) => {
    const title =
      key === "pinned"
        ? t("side.pinned")
        : key === "inactive"
          ? t("side.inactive")
          : folder && key !== "others"
            ? folder.name
            : t(hasFolders ? "side.others" : "view.channels");
    return {
      key,
      title,
      isClosed: key === "inactive",
      sums: () => channelSums(channels),
      rows: () => channelRows(key, channels),
    };
  });
  if (isSpectator()) return found;
  const directs = recentDirectMessages();
  const add = () =>
    iconButton("plus", t("side.new-direct"), { class: "sa", "data-do": "new-direct", "data-key": "new-direct" });
  const directSums = () => ({ mentions: unreadTotals().direct, unread: 0 });
  return [{ key: "directs", title: t("view.dm"), add, sums: directSums, rows: () => directRows(directs) }, ...found];
}

/** @param {Section} section
 * @returns {KeyedChild} */
function sectionChild({ key, title, isClosed = false, add, sums, rows }) {
  const isOpen = isSectionOpen(key, isClosed);
  const hidden = isOpen ? { mentions: 0, unread: 0 } : sums();
  const build = () =>
    h(
      "div",
      { class: "sect" },
      add?.(),
      h(
        "details",
        { "data-section": key, "data-closed": isClosed },
        h("summary", { "data-key": `section-${key}` }),
        h("ul"),
      ),
    );
  const heading = () =>
    h(
      "span",
      { class: "heading" },
      icon("down", "s"),
      h("bdi", { class: "cut" }, title),
      badge(hidden.mentions, { isMention: true }),
      badge(hidden.unread),
    );
  const update = (/** @type {Element} */ element) => {
    const details = /** @type {HTMLDetailsElement} */ (element.querySelector("details"));
    if (details.open !== isOpen) details.open = isOpen;
    setKeyedChildren(/** @type {Element} */ (details.firstElementChild), [
      { key, data: [title, hidden.mentions, hidden.unread], build: heading },
    ]);
    setKeyedChildren(/** @type {Element} */ (details.lastElementChild), isOpen ? rows() : []);
  };
  return { key: `section-${key}`, build, update };
}

/** What a closed section hides, without what is muted.
 * @param {Channel[]} channels */
function channelSums(channels) {
  const totals = channelTotals();
  let [mentions, unread] = [0, 0];
  for (const channel of channels) {
    const sums = totals.get(channel.stream_id);
    if (!sums || channel.is_muted) continue;
    mentions += sums.mentions;
    unread += sums.unread - sums.mentions;
  }
  return { mentions, unread: Math.max(0, unread) };
}

/** @param {string} group
 * @param {Channel[]} channels */
function channelRows(group, channels) {
  const totals = channelTotals();
  const isShort = channels.length > CHANNELS_SHOWN && !expandedGroups.has(group);
  const shown = isShort
    ? channels.filter(
        (channel, at) =>
          at < CHANNELS_SHOWN ||
          (totals.get(channel.stream_id)?.unread && !channel.is_muted) ||
          openChannel() === channel.stream_id,
      )
    : channels;
  const rows = shown.map(channelRow);
  if (channels.length > CHANNELS_SHOWN) {
    const text = t(isShort ? "side.all-channels" : "side.fewer", { count: channels.length });
    rows.push(
      moreRow(`all-${group}`, text, () =>
        h("button", {
          class: "row muted",
          type: "button",
          "data-do": "all-channels",
          "data-group": group,
          "data-key": `all-${group}`,
        }),
      ),
    );
  }
  return rows;
}

/** A row that leads to more rows.
 * @param {string} key
 * @param {string} text
 * @param {() => HTMLElement} build
 * @returns {KeyedChild} */
function moreRow(key, text, build) {
  return {
    key,
    data: [text],
    build: () => {
      const row = build();
      row.append(h("span", { class: "t cut" }, text));
      return h("li", {}, row);
    },
  };
}

/** A way to channels to join; a way to make one if there are none.
 * @returns {KeyedChild | false} */
function findChannels() {
  const joins = hasChannelsToJoin();
  const makes = !joins && state.can_create_streams !== false && !state.is_guest;
  if (!joins && !makes) return false;
  const build = () =>
    h(
      "a",
      { class: "row muted", href: makes ? "#channels/new" : "#channels/available", "data-key": "channels" },
      icon("plus", "s"),
    );
  const row = moreRow("channels", t(makes ? "channels.new" : "side.find-channels"), build);
  return {
    key: "find-channels",
    build: () => h("ul", { class: "more-channels" }),
    update: (list) => setKeyedChildren(list, [row]),
  };
}

/** An item with a row, its count, the button of its menu, and perhaps a list below it.
 * @param {string} key
 * @param {string} name
 * @param {import("./keyed_children.js").Data} data of the row
 * @param {() => Element} build builds the row
 * @param {Count} count
 * @param {KeyedChild | false} [below]
 * @returns {KeyedChild} */
function withMenu(key, name, data, build, count, below = false) {
  const button = () => {
    const more = iconButton("more", t("side.more-for", { name }), {
      class: "rm",
      "data-do": "row-menu",
      "aria-haspopup": "menu",
      "data-key": `more-${key}`,
    });
    more.removeAttribute("title");
    return more;
  };
  const { number, isUnread = false, ...options } = count;
  const counted = number ? [isUnread, number, options.isMention, options.soft] : [isUnread];
  const update = (/** @type {Element} */ row) => {
    row.classList.toggle("unread", isUnread);
    drawCount(row, number, options);
  };
  const children = () => [
    { key: "row", data, build, contents: counted, update },
    !isSpectator() && { key: "more", data: [name], build: button },
    below,
  ];
  const contents = below ? undefined : [name, ...data, ...counted];
  return {
    key,
    contents,
    build: () => h("li", { class: !isSpectator() && "has-more" }),
    update: (item) => {
      setKeyedChildren(item, children());
    },
  };
}

/** @param {Channel} channel
 * @returns {KeyedChild} */
function channelRow(channel) {
  const id = channel.stream_id;
  const { unread = 0, muted = 0, mentions = 0 } = channelTotals().get(id) ?? {};
  const isOpen = openChannel() === id;
  const isHere = route?.channel === id && !route.conversation;
  const opensFeed = isSpectator() || setting("web_channel_default_view") === 2;
  const build = () => {
    return h(
      "a",
      {
        class: `row ${channel.is_muted ? "muted" : ""}`,
        href: opensFeed ? channelHash(id) : topicsHash(id),
        "data-key": `c${id}`,
        "data-channel": id,
        "aria-current": isHere && "page",
      },
      channelDot(id),
      h("span", { class: channel.is_muted ? "t cut" : nameClass(channel.name) }, h("bdi", {}, channel.name)),
      channel.is_muted && icon("mute", "s"),
      channel.is_muted && srOnly(` ${t("side.muted")}`),
    );
  };
  const data = [channel.name, ...dotData(id), channel.is_muted, isHere, opensFeed];
  const isUnread = unread > 0 && !channel.is_muted;
  const count = isOpen
    ? { number: 0, isUnread }
    : mentions
      ? { number: mentions, isUnread, isMention: true, word: "mentions" }
      : { number: unread || (channel.is_muted ? muted : 0), isUnread, soft: channel.is_muted };
  return withMenu(`c${id}`, channel.name, data, build, count, isOpen && topicList(id));
}

/** The topics of the open channel: unread ones, then the newest.
 * @param {number} channel
 * @returns {KeyedChild | false} false until they are fetched */
function topicList(channel) {
  const all = topicsOf(channel);
  if (!all) {
    fetchTopics(channel).catch(() => {});
    return false;
  }
  const open = route?.conversation && isInChannel(route.conversation) ? keyOf(route.conversation) : "";
  const ranked = all.map((topic, at) => ({ topic, at, unread: unreadCount({ channel, topic: topic.name }) }));
  const isWanted = (/** @type {typeof ranked[0]} */ each) =>
    topicKey(channel, each.topic.name) === open || (each.unread > 0 && !isTopicMuted(channel, each.topic.name));
  const shown = [...ranked.filter(isWanted), ...ranked.filter((each) => !isWanted(each))]
    .slice(0, TOPICS_SHOWN)
    .sort((a, b) => a.at - b.at);
  const rows = shown.map(({ topic }) => topicRow(channel, topic.name, open));
  if (!isSpectator()) {
    const key = `new${channel}`;
    rows.push({
      key,
      build: () =>
        h(
          "li",
          {},
          h(
            "button",
            {
              class: "row muted add",
              type: "button",
              "data-do": "new-topic-in",
              "data-channel": channel,
              "data-key": key,
            },
            icon("plus", "s"),
            h("span", { class: "t cut" }, t("channel.new-topic")),
          ),
        ),
    });
  }
  if (all.length > shown.length) {
    rows.push(
      moreRow(`all${channel}`, t("side.all-topics", { count: all.length }), () =>
        h("a", { class: "row muted", href: topicsHash(channel), "data-key": `all${channel}` }),
      ),
    );
  }
  return {
    key: "topics",
    build: () => h("ul", { class: "topics" }),
    update: (list) => {
      setKeyedChildren(list, rows);
    },
  };
}

/** @param {number} channel
 * @param {string} topic
 * @param {string} open
 * @returns {KeyedChild} */
function topicRow(channel, topic, open) {
  const conversation = { channel, topic };
  const key = keyOf(conversation);
  const count = unreadCount(conversation);
  const mentions = mentionsIn(conversation);
  const isQuiet = isTopicMuted(channel, topic);
  const isOpen = key === open;
  const build = () => {
    const stateClass = isQuiet ? "muted" : isResolved(topic) ? "done" : "";
    return h(
      "a",
      {
        class: `row ${stateClass}`,
        href: conversationHash(conversation),
        "data-key": key,
        "data-channel": channel,
        "data-topic": topic,
        "aria-current": isOpen && "page",
      },
      h(
        "span",
        { class: isResolved(topic) || isQuiet ? "t cut" : nameClass(topicTitle(topic)) },
        h("bdi", {}, topicTitle(topic)),
      ),
      isResolved(topic) && icon("check", "s"),
      isResolved(topic) && srOnly(` ${t("talk.resolved")}`),
      isQuiet && icon("mute", "s"),
    );
  };
  return withMenu(key, topicTitle(topic), [topic, isQuiet, isOpen], build, {
    number: count,
    isUnread: count > 0 && !isQuiet,
    isMention: mentions > 0,
    soft: isQuiet,
  });
}

/** Direct conversations: unread ones, then the newest.
 * @param {ReturnType<typeof recentDirectMessages>} all */
function directRows(all) {
  if (!all.length)
    return [
      moreRow("write", t("side.write"), () =>
        h(
          "button",
          { class: "row muted", type: "button", "data-do": "new-direct", "data-key": "write" },
          icon("plus", "s"),
        ),
      ),
    ];
  const open = route?.conversation ? keyOf(route.conversation) : "";
  const counted = all.map(({ conversation }) => ({
    conversation,
    isFirst: unreadCount(conversation) > 0 && !(conversation.people.length === 1 && isMuted(conversation.people[0])),
  }));
  const sorted = [...counted.filter((each) => each.isFirst), ...counted.filter((each) => !each.isFirst)];
  const shown = showsAllDirects
    ? sorted
    : sorted.filter((each, at) => at < DIRECTS_SHOWN || each.isFirst || keyOf(each.conversation) === open);
  const rows = shown.map(({ conversation }) => directRow(conversation, open));
  if (all.length > shown.length || showsAllDirects) {
    const text = t(showsAllDirects ? "side.fewer" : "side.all-directs", { count: all.length });
    rows.push(
      moreRow("all-directs", text, () =>
        h(
          "button",
          { class: "row muted", type: "button", "data-do": "all-directs", "data-key": "all-directs" },
          icon("more"),
        ),
      ),
    );
  }
  return rows;
}

/** @param {import("../state/conversations.js").Direct} conversation
 * @param {string} open
 * @returns {KeyedChild} */
function directRow(conversation, open) {
  const { people } = conversation;
  const key = keyOf(conversation);
  const isAlone = people.length === 1;
  const count = unreadCount(conversation);
  const name = namesOf(people);
  const presence = isAlone ? presenceText(people[0]) : "";
  const isOpen = key === open;
  const status = isAlone ? state.user_status?.[people[0]] : undefined;
  const build = () =>
    h(
      "a",
      {
        class: "row",
        href: conversationHash(conversation),
        "data-key": key,
        "data-people": people.join(","),
        "aria-current": isOpen && "page",
      },
      avatar(people[0], { presence: isAlone }),
      h(
        "span",
        { class: "t cut" },
        h("bdi", {}, name),
        isAlone && statusEmoji(people[0], " "),
        isAlone && srOnly(`, ${presence}`),
      ),
    );
  return withMenu(
    key,
    name,
    [name, presence, isOpen, ...avatarData(people[0]), status?.emoji_code, status?.status_text],
    build,
    { number: count, isUnread: count > 0, isMention: true },
  );
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
