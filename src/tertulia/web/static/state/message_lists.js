/** Message lists: for each narrow the loaded ids, oldest first and without gaps. A list also knows whether it
 * has the oldest and the newest message. */

import { get } from "../core/api.js";
import { findMessage, storeMessage, trimMessages } from "./messages.js";
import { termsForApi, hashOf, matchesTerms } from "./narrow.js";
import { on, emit } from "../core/signals.js";

/** @typedef {import("./narrow.js").Term} Term */
/** @typedef {import("./messages.js").Message} Message */

const FIRST_FETCH_SIZE = 60;
const FETCH_SIZE = 100;
const MAX_LISTS = 12;
const MAX_LIST_LENGTH = 2000;

/** @type {Map<string, MessageList>} by narrow, most recently used last */
const lists = new Map();
/** @type {{list: MessageList, isAtEnd(): boolean} | null} */
let onScreen = null;

export class MessageList {
  /** @type {number[]} */
  ids = [];
  hasOldest = false;
  hasNewest = false;
  isLoaded = false; // whether its first messages are loaded
  /** @type {Promise<void> | null} */
  #older = null;
  /** @type {Promise<void> | null} */
  #newer = null;
  #pendingFetches = 0; // under way
  #generation = 0; // increases with every load: responses to earlier requests are dropped
  /** @type {Set<number>} removed during a fetch; its response may still contain them */
  #removed = new Set();
  /** @type {Message[]} arrived during a fetch; its response may not contain them */
  #arrived = [];

  /** @param {Term[]} terms */
  constructor(terms) {
    this.terms = terms.filter((term) => term.operator !== "near");
  }

  /** Fetch the messages around an anchor, and replace the list with them.
   * @param {number | "newest" | "first_unread"} anchor
   * @returns {Promise<number | undefined>} the message at the anchor */
  async load(anchor) {
    const isNewest = anchor === "newest";
    const generation = ++this.#generation;
    const response = await this.#fetch(
      anchor,
      isNewest ? FIRST_FETCH_SIZE : FIRST_FETCH_SIZE / 2,
      isNewest ? 0 : FIRST_FETCH_SIZE / 2,
    );
    if (generation !== this.#generation) return this.nearest(/** @type {number} */ (response.anchor));
    this.ids = response.messages.map((message) => message.id);
    this.hasOldest = response.found_oldest;
    this.hasNewest = response.found_newest || isNewest;
    this.isLoaded = true;
    this.#insertArrived();
    return this.nearest(/** @type {number} */ (response.anchor));
  }

  /** The first message with this id or a later one, else the last message.
   * @param {number} id
   * @returns {number | undefined} */
  nearest(id) {
    return this.ids[Math.min(sortedIndex(this.ids, id), this.ids.length - 1)];
  }

  /** @returns {Promise<void>} */
  loadOlder() {
    if (this.hasOldest || !this.isLoaded) return Promise.resolve();
    const generation = this.#generation;
    this.#older ??= this.#fetch(this.ids[0] ?? "oldest", FETCH_SIZE, 0)
      .then((response) => {
        if (generation !== this.#generation) return;
        this.#merge(response.messages);
        this.hasOldest = response.found_oldest;
        this.#insertArrived();
      })
      .finally(() => (this.#older = null));
    return this.#older;
  }

  /** @returns {Promise<void>} */
  loadNewer() {
    if (this.hasNewest || !this.isLoaded) return Promise.resolve();
    const generation = this.#generation;
    this.#newer ??= this.#fetch(this.ids.at(-1) ?? "newest", 0, FETCH_SIZE)
      .then((response) => {
        if (generation !== this.#generation) return;
        this.#merge(response.messages);
        this.hasNewest = response.found_newest;
        this.#insertArrived();
      })
      .finally(() => (this.#newer = null));
    return this.#newer;
  }

  /** Insert a message that is new or matches now.
   * @param {Message} message
   * @returns {boolean} whether it was inserted */
  insert(message) {
    if (!matchesTerms(this.terms, message)) return false;
    this.#removed.delete(message.id);
    if (this.#pendingFetches) this.#arrived.push(message);
    if (!this.isLoaded) return false;
    const isNewest = message.id > (this.ids.at(-1) ?? 0);
    if (isNewest ? !this.hasNewest : message.id < this.ids[0] && !this.hasOldest) return false;
    this.#merge([message]);
    return true;
  }

  /** @param {Set<number>} ids
   * @returns {boolean} whether the list had any of them */
  remove(ids) {
    if (this.#pendingFetches) for (const id of ids) this.#removed.add(id);
    const remaining = this.ids.filter((id) => !ids.has(id));
    const changed = remaining.length !== this.ids.length;
    if (changed) this.ids = remaining;
    return changed;
  }

  /** Keep only the newest messages.
   * @param {number} count */
  truncate(count) {
    if (this.ids.length <= count) return;
    this.ids = this.ids.slice(-count);
    this.hasOldest = false;
    this.#generation++;
  }

  /** @param {{id: number}[]} messages */
  #merge(messages) {
    const last = this.ids.at(-1) ?? 0;
    if (messages.every((message, at) => message.id > (at ? messages[at - 1].id : last))) {
      this.ids = this.ids.concat(messages.map((message) => message.id));
    } else {
      this.ids = [...new Set([...this.ids, ...messages.map((message) => message.id)])].sort((a, b) => a - b);
    }
  }

  #insertArrived() {
    for (const message of this.#arrived.splice(0)) this.insert(message);
  }

  /** @param {number | string} anchor
   * @param {number} before
   * @param {number} after */
  async #fetch(anchor, before, after) {
    this.#pendingFetches++;
    const response = await get("/messages", messagesQuery(this.terms, anchor, before, after)).finally(
      () => this.#pendingFetches--,
    );
    response.messages = response.messages.filter((message) => !this.#removed.has(message.id));
    if (!this.#pendingFetches) this.#removed.clear();
    const isSearch = this.terms.some((term) => term.operator === "search");
    for (const message of response.messages) storeMessage(message, isSearch);
    trimMessages(
      new Set([...[...lists.values()].flatMap((list) => list.ids), ...response.messages.map((message) => message.id)]),
    );
    return response;
  }
}

/** The parameters of a request for messages.
 * @param {Term[]} terms
 * @param {number | string} anchor
 * @param {number} before
 * @param {number} after */
export function messagesQuery(terms, anchor, before, after) {
  return {
    narrow: termsForApi(terms),
    anchor: String(anchor),
    num_before: before,
    num_after: after,
    apply_markdown: true,
    client_gravatar: false,
    allow_empty_topic_name: true,
  };
}

/** The list of a narrow: the cached one, or a new one.
 * @param {Term[]} terms
 * @returns {MessageList} */
export function messageListOf(terms) {
  const key = hashOf(terms.filter((term) => term.operator !== "near"));
  const list = lists.get(key) ?? new MessageList(terms);
  lists.delete(key);
  lists.set(key, list);
  for (const old of lists.keys()) {
    if (lists.size <= MAX_LISTS) break;
    lists.delete(old);
  }
  return list;
}

/** Record which list is on screen: trimming and forgetting spare it.
 * @param {MessageList} list
 * @param {() => boolean} isAtEnd whether its end is in view */
export function openList(list, isAtEnd) {
  onScreen = { list, isAtEnd };
}

/** @param {MessageList} list */
export function closeList(list) {
  if (onScreen?.list === list) onScreen = null;
}

export function forgetMessageLists() {
  lists.clear();
}

/** Forget all lists but the one on screen. */
export function forgetOtherLists() {
  for (const [key, list] of lists) if (list !== onScreen?.list) lists.delete(key);
}

/** Shorten long lists, so that a day of messages does not fill the memory. The list on screen is spared
 * while the person reads earlier messages in it. */
export function trimMessageLists() {
  const spared = onScreen?.isAtEnd() ? null : onScreen?.list;
  for (const list of lists.values()) {
    if (list === spared || list.ids.length <= MAX_LIST_LENGTH) continue;
    list.truncate(MAX_LIST_LENGTH / 2);
  }
  trimMessages(new Set([...lists.values()].flatMap((list) => list.ids)));
}

/** Insert a new or changed message into the lists that it matches, and remove it from the others.
 * @param {Message} message */
export function insertIntoLists(message) {
  let isChanged = false;
  for (const list of lists.values()) {
    const matches = matchesTerms(list.terms, message);
    if (matches) isChanged = list.insert(message) || isChanged;
    else if (matches === false) isChanged = list.remove(new Set([message.id])) || isChanged;
    else matchOnServer(list, message);
  }
  if (isChanged) emit("lists");
}

/** @param {MessageList} list
 * @param {Message} message */
async function matchOnServer(list, message) {
  const response = await get("/messages/matches_narrow", {
    msg_ids: [message.id],
    narrow: termsForApi(list.terms),
  }).catch(() => null);
  const found = response?.messages?.[message.id];
  if (!found || !list.hasNewest || list.ids.includes(message.id)) return;
  storeMessage({ ...message, ...found }, true);
  list.ids = [...list.ids, message.id].sort((a, b) => a - b);
  emit("lists");
}

/** The index of an id in a sorted list, or where it would be inserted.
 * @param {number[]} ids
 * @param {number} id
 * @returns {number} */
export function sortedIndex(ids, id) {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle] < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

on("messagesDeleted", (/** @type {number[]} */ ids) => {
  const gone = new Set(ids);
  const changed = [...lists.values()].map((list) => list.remove(gone));
  if (changed.includes(true)) emit("lists");
});

on("messagesMoved", (/** @type {number[]} */ ids) => {
  for (const id of ids) {
    const message = findMessage(id);
    if (message) insertIntoLists(message);
  }
});
