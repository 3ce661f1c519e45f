/** The switcher (Ctrl+K): finds people, channels, topics, views and commands by some letters of their names; Enter opens
 * or runs the first. */

import { composeAt } from "./compose_commands.js";
import { avatar, badge, channelDot, presenceText } from "./avatars.js";
import { fetchMessages, messageSummary } from "./conversation_rows.js";
import { runCommand } from "./commands.js";
import { isPhone, region } from "./layout.js";
import { dayKey, dayKeyBefore, formatShortTime, preferredLocale } from "./time.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { currentRoute } from "../core/router.js";
import { Scope } from "../core/scope.js";
import { emit } from "../core/signals.js";
import { t } from "../core/i18n.js";
import { channelName, channels, myChannels } from "../state/channels.js";
import { isResolved, keyOf } from "../state/conversations.js";
import {
  destinationHash,
  findDestinations,
  matchedPieces,
  recentDestinations,
  viewDestinations,
  waitingDestinations,
} from "../state/destinations.js";
import { recentDirectMessages } from "../state/direct_messages.js";
import { findMessage } from "../state/messages.js";
import { hashOf } from "../state/narrow.js";
import { parseSearch } from "../state/search_terms.js";
import { getPerson } from "../state/people.js";
import { isSpectator, state } from "../state/session.js";
import { fetchTopics, isTopicMuted, topicsOf } from "../state/topics.js";
import { channelTotals, mentionsIn, unreadCount, unreadIds, unreadTotals } from "../state/unread.js";

/** @typedef {import("../state/destinations.js").Destination} Destination */
/** @typedef {{element: HTMLElement, hash: string, composes: boolean}} Hit */

const MAX_WAITING = 5;
const MAX_RECENT = 6;
const MAX_VIEWS = 3;
const FETCH_DELAY_MS = 200; // after the last key
const TOPICS_FETCHED = 12; // channels whose topics are fetched when the switcher opens

/** Open the switcher, or close it. */
export function toggleSwitcher() {
  const open = document.querySelector(".switcher");
  if (open instanceof HTMLDialogElement) return open.close();
  return new Switcher().open();
}

class Switcher {
  #input = h("input", {
    type: "text",
    role: "combobox",
    "aria-label": t("switcher.field"),
    "aria-expanded": "true",
    "aria-controls": "hits",
    "aria-autocomplete": "list",
    placeholder: t("switcher.placeholder"),
    autocomplete: "off",
    spellcheck: "false",
    enterkeyhint: "go",
    autofocus: true,
  });
  #list = h("div", { class: "hits", role: "listbox", id: "hits", "aria-label": t("switcher.results"), tabindex: -1 });
  #dialog = h("dialog", { class: "pop switcher", "aria-label": t("switcher.title") });
  /** @type {Hit[]} */
  #hits = [];
  #chosen = 0;
  #scope = new Scope();
  /** @type {number[]} the newest messages of the rows, for their times */
  #newest = [];
  /** @type {Set<number>} those that were fetched, or could not be */
  #asked = new Set();
  /** @type {number | undefined} */
  #fetchTimer;

  open() {
    const close = iconButton("close", t("dialog.close"), { onclick: () => this.#dialog.close() });
    close.classList.add("only-phone");
    setChildren(
      this.#dialog,
      h(
        "div",
        { class: "ask" },
        icon("search"),
        this.#input,
        close,
        h("kbd", { class: "not-phone", "aria-hidden": "true" }, "Esc"),
      ),
      this.#list,
      switcherKeys(),
    );
    this.#input.addEventListener("input", () => this.#draw());
    this.#dialog.addEventListener("keydown", (event) => this.#onKey(event));
    this.#list.addEventListener("click", (event) => this.#onClick(event));
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    this.#scope.on(["topics", "people", "presence"], () => this.#draw(this.#chosen));
    this.#dialog.addEventListener("close", () => this.#close());
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    emit("covered", { isOpen: () => this.#dialog.open, close: () => this.#dialog.close() });
    this.#draw();
    fetchRecentTopics();
  }

  #close() {
    this.#scope.close();
    clearTimeout(this.#fetchTimer);
    this.#dialog.close();
    this.#dialog.remove();
  }

  /** @param {number} [chosen] the row that is chosen */
  #draw(chosen = 0) {
    const text = this.#input.value.trim();
    this.#hits = [];
    this.#newest = [];
    setChildren(this.#list, ...(text ? this.#found(text) : this.#suggested()));
    this.#choose(Math.min(chosen, this.#hits.length - 1));
    clearTimeout(this.#fetchTimer);
    if (this.#newest.some((id) => !findMessage(id) && !this.#asked.has(id)))
      this.#fetchTimer = window.setTimeout(() => this.#fetchNewest(), FETCH_DELAY_MS);
  }

  /** Fetch the messages whose times the rows show. The rows do not wait for them. */
  async #fetchNewest() {
    const ids = this.#newest;
    for (const id of ids) this.#asked.add(id);
    await fetchMessages(ids).catch(() => {});
    if (ids === this.#newest && this.#dialog.open) this.#draw(this.#chosen);
  }

  /** @param {string} text */
  #found(text) {
    const rows = findDestinations(text).map((destination) => this.#row(destination, text));
    const search = this.#add(hashOf(parseSearch(text)), false, "", icon("search"), t("switcher.search", { text }), []);
    return [...rows, rows.length > 0 && h("hr", { "aria-hidden": "true" }), search];
  }

  #suggested() {
    const here = currentRoute()?.hash;
    const waiting = isSpectator() ? [] : waitingDestinations().slice(0, MAX_WAITING);
    const recent = recentDestinations()
      .filter(
        ({ destination }) =>
          !waiting.includes(destination) && !destination.isLast && destinationHash(destination) !== here,
      )
      .slice(0, MAX_RECENT);
    return [
      this.#group(
        "waiting",
        waiting.map((each) => this.#row(each, "")),
      ),
      this.#group(
        "recent",
        recent.map(({ destination, at }) => this.#row(destination, "", at)),
      ),
      this.#group(
        "views",
        viewDestinations()
          .slice(0, MAX_VIEWS)
          .map((each) => this.#row(each, "")),
      ),
    ];
  }

  /** @param {string} name
   * @param {HTMLElement[]} rows */
  #group(name, rows) {
    const title = t(`switcher.${name}`);
    return (
      rows.length > 0 &&
      h(
        "div",
        { role: "group", "aria-label": title },
        h("div", { class: "lab", "aria-hidden": "true" }, title),
        ...rows,
      )
    );
  }

  /** @param {Destination} destination
   * @param {string} text what was typed
   * @param {number} [at] when it was last opened */
  #row(destination, text, at) {
    const pieces = text
      ? matchedPieces(destination.name, text).map((piece, each) => (each % 2 ? h("b", { class: "m" }, piece) : piece))
      : destination.name;
    const { count, isMention } = unreadOf(destination);
    const conversation = conversationIn(destination);
    const unread = conversation && findMessage(unreadIds(conversation).at(-1) ?? 0);
    const end =
      keysOf(destination) ||
      badge(count, { isMention }) ||
      ((!text || destination.kind !== "person") && this.#time(destination, at));
    const isUnread = count && destination.kind !== "view";
    const classes = `${destination.kind === "topic" ? "topic" : ""} ${isUnread ? "unread" : ""}`;
    return this.#add(
      destinationHash(destination),
      !["view", "channel", "command"].includes(destination.kind),
      classes,
      destinationIcon(destination),
      pieces,
      [destinationHint(destination, text ? undefined : unread)],
      end,
    );
  }

  /** When a destination was last opened; else when something was last said there.
   * @param {Destination} destination
   * @param {number | undefined} at */
  #time(destination, at) {
    if (at !== undefined) return h("time", {}, formatAge(at));
    const id = newestIn(destination);
    if (id) this.#newest.push(id);
    const message = findMessage(id);
    return message && h("time", {}, formatShortTime(message.timestamp));
  }

  /** @param {string} hash
   * @param {boolean} composes whether the compose box gets the focus there
   * @param {string} classes
   * @param {Element} lead
   * @param {string | (string | HTMLElement)[]} name
   * @param {import("../core/html.js").Child[]} hints
   * @param {import("../core/html.js").Child} [end] */
  #add(hash, composes, classes, lead, name, hints, end) {
    const at = this.#hits.length;
    const element = hitRow({ id: `hit-${at}`, "data-at": at }, classes, lead, [name].flat(), hints, end ?? "");
    this.#hits.push({ element, hash, composes });
    return element;
  }

  /** @param {number} at */
  #choose(at) {
    this.#hits[this.#chosen]?.element.setAttribute("aria-selected", "false");
    this.#chosen = at;
    const { element } = this.#hits[at];
    element.setAttribute("aria-selected", "true");
    element.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", element.id);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.isComposing) return;
    const count = this.#hits.length;
    const isControl = event.ctrlKey || event.metaKey;
    if (event.key === "ArrowDown") this.#choose((this.#chosen + 1) % count);
    else if (event.key === "ArrowUp") this.#choose((this.#chosen + count - 1) % count);
    else if (event.key === "Enter") this.#go(this.#hits[this.#chosen], event);
    else if (isControl && event.key === "k") this.#dialog.close();
    else return;
    event.preventDefault();
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const row = /** @type {Element} */ (event.target).closest(".hit");
    if (row instanceof HTMLElement) this.#go(this.#hits[Number(row.dataset.at)], event);
  }

  /** @param {Hit} hit
   * @param {KeyboardEvent | MouseEvent} event */
  #go({ hash, composes }, event) {
    const inNewTab = event.ctrlKey || event.metaKey;
    this.#close(); // at once: a tab in the background gets the event later
    if (!hash.startsWith("#")) runCommand(hash, region(".main"), event);
    else if (inNewTab) window.open(hash, "_blank");
    else if (composes && !isPhone() && !isSpectator())
      composeAt(hash, ""); // what is typed next is a message, not a command
    else location.hash = hash;
  }
}

/** The conversation of a destination, if it is one.
 * @param {Destination} destination
 * @returns {import("../state/conversations.js").Conversation | undefined} */
function conversationIn({ people, channel, topic }) {
  if (people) return { people };
  return channel !== undefined && topic !== undefined ? { channel, topic } : undefined;
}

/** The newest message of a conversation.
 * @param {Destination} destination
 * @returns {number} 0 if it is not known */
function newestIn({ kind, key, channel = 0, topic = "" }) {
  if (kind === "group" || kind === "person")
    return recentDirectMessages().find(({ conversation }) => keyOf(conversation) === key)?.newest ?? 0;
  return kind === "topic"
    ? (topicsOf(channel)?.find(({ name }) => keyOf({ channel, topic: name }) === keyOf({ channel, topic }))?.max_id ??
        0)
    : 0;
}

/** How long ago, in few letters: 5 min, 1 hr, Yesterday.
 * @param {number} seconds */
function formatAge(seconds) {
  const now = Date.now() / 1000;
  const minutes = Math.max(1, Math.floor((now - seconds) / 60));
  const inUnit = (/** @type {number} */ count, /** @type {string} */ unit) =>
    new Intl.NumberFormat(preferredLocale(), { style: "unit", unit, unitDisplay: "short" }).format(count);
  if (minutes < 60) return inUnit(minutes, "minute");
  if (dayKey(seconds) === dayKey(now)) return inUnit(Math.floor(minutes / 60), "hour");
  if (dayKey(seconds) !== dayKeyBefore(now)) return formatShortTime(seconds);
  const yesterday = new Intl.RelativeTimeFormat(preferredLocale(), { numeric: "auto" }).format(-1, "day");
  return yesterday.charAt(0).toUpperCase() + yesterday.slice(1);
}

/** @param {Destination} destination
 * @returns {{count: number, isMention: boolean}} */
function unreadOf(destination) {
  const conversation = conversationIn(destination);
  if (conversation) {
    const mentions = mentionsIn(conversation);
    return { count: mentions || unreadCount(conversation), isMention: mentions > 0 };
  }
  if (destination.channel !== undefined)
    return { count: channelTotals().get(destination.channel)?.unread ?? 0, isMention: false };
  const totals = unreadTotals();
  if (destination.hash === "#inbox") return { count: totals.all, isMention: false };
  return { count: destination.hash === "#narrow/is/mentioned" ? totals.mentions : 0, isMention: true };
}

/** The keys of a command.
 * @param {Destination} destination */
function keysOf({ keys }) {
  return keys?.length ? h("span", {}, ...keys.map((key) => h("kbd", {}, key))) : false;
}

/** @param {Destination} destination */
export function destinationIcon({ kind, people, channel, icon: name }) {
  if (people) return avatar(people[0], { presence: kind === "person" });
  return channel === undefined ? icon(name ?? "right") : channelDot(channel);
}

/** A row of a list of destinations: icon, name and hint; the hint is below the name on phones.
 * @param {Record<string, unknown>} attributes
 * @param {string} classes
 * @param {import("../core/html.js").Child} lead
 * @param {(string | HTMLElement)[]} name
 * @param {import("../core/html.js").Child[]} hints
 * @param {import("../core/html.js").Child} [end] */
export function hitRow(attributes, classes, lead, name, hints, end) {
  return h(
    "div",
    { class: `hit ${classes}`, role: "option", "aria-selected": "false", ...attributes },
    h("span", { class: "lead" }, lead),
    h("span", { class: "t" }, h("span", { class: "cut" }, h("bdi", {}, ...name)), ...hints),
    end !== undefined && h("span", { class: "e" }, end),
  );
}

/** The words after the name.
 * @param {Destination} destination
 * @param {import("../state/messages.js").Message | undefined | false} quoted */
export function destinationHint(destination, quoted) {
  const { kind, channel: id = 0, topic = "" } = destination;
  if (kind === "view") return false;
  if (kind === "command") return h("small", { class: "cut" }, t("switcher.command"));
  if (kind === "topic") {
    const isDone = isResolved(topic);
    const words = [
      channelName(id),
      isTopicMuted(id, topic) && t("side.muted"),
      channels.get(id)?.is_archived && t("switcher.archived"),
    ]
      .filter(Boolean)
      .join(" · ");
    return h(
      "small",
      { class: "cut" },
      h("bdi", {}, words),
      isDone && h("span", { class: "tick" }, icon("check", "s"), t("talk.resolved")),
    );
  }
  if (quoted) return h("small", { class: "cut" }, h("bdi", {}, messageSummary(quoted)));
  const words =
    kind === "channel"
      ? channelHint(id)
      : kind === "group"
        ? t("switcher.group", { count: (destination.people?.length ?? 0) + 1 })
        : personHint(destination.people?.[0] ?? 0);
  return h("small", { class: "cut" }, h("bdi", {}, words));
}

/** @param {number} id */
function channelHint(id) {
  const channel = channels.get(id);
  const kind = t(channel?.invite_only ? "switcher.private-channel" : "switcher.channel");
  const size = channel?.subscriber_count !== undefined && t("channels.people", { count: channel.subscriber_count });
  const notes = [
    channel?.is_archived && t("switcher.archived"),
    channel?.is_muted && t("side.muted"),
    !channel?.subscribed && !isSpectator() && t("switcher.not-joined"),
  ];
  return [kind, size, ...notes].filter(Boolean).join(" · ");
}

/** @param {number} id */
function personHint(id) {
  const person = getPerson(id);
  if (!person.is_active) return t("switcher.deactivated");
  const presence = presenceText(id);
  const words = [person.is_guest && t("people.guest"), presence, state.user_status?.[id]?.status_text]
    .filter(Boolean)
    .join(" · ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function switcherKeys() {
  const key = (/** @type {string[]} */ keys, /** @type {PlainTextKey} */ text, isEnd = false) =>
    h("span", { class: isEnd && "end" }, ...keys.map((each) => h("kbd", {}, each)), t(text));
  return h(
    "div",
    { class: "keys", "aria-hidden": "true" },
    key(["⏎"], "switcher.open"),
    key(["Ctrl ⏎"], "switcher.new-tab"),
    key(["@"], "switcher.only-people", true),
    key(["#"], "switcher.only-channels"),
    key([">"], "switcher.only-topics"),
    key(["/"], "switcher.only-commands"),
  );
}

/** Fetch the topics of channels that were opened lately, or have something unread. The rows do not wait for them. */
export function fetchRecentTopics() {
  const recent = recentDestinations().flatMap(({ destination }) => (destination.channel ? [destination.channel] : []));
  const unread = [...channelTotals()].flatMap(([id, counts]) => (counts.unread ? [id] : []));
  const wanted = new Set([...recent, ...unread, ...myChannels().map((channel) => channel.stream_id)]);
  const missing = [...wanted].filter((id) => channels.has(id) && !topicsOf(id)).slice(0, TOPICS_FETCHED);
  for (const id of missing) fetchTopics(id).catch(() => {});
}
