/** Lists of messages: for each narrow the ids that we hold, oldest first and without gaps. Whether
 * the first and the last of all are among them is known too, so that a list knows what to ask for. */

import { get } from "../core/api.js";
import { messageOf, takeMessage, trimMessages } from "./messages.js";
import { forServer, hashOf, passes } from "./narrow.js";
import { on, tell } from "../core/signals.js";

/** @typedef {import("./narrow.js").Term} Term */
/** @typedef {import("./messages.js").Message} Message */

const FIRST_FETCH = 60;
const PAGE = 100;
const KEPT_LISTS = 12;
const LONGEST_LIST = 2000;

/** @type {Map<string, Listing>} by address; the one used last at the end */
const listings = new Map();

export class Listing {
  /** @type {number[]} */
  ids = [];
  foundOldest = false;
  foundNewest = false;
  isOpen = false; // whether its first messages have come
  /** @type {Promise<void> | null} */
  #older = null;
  /** @type {Promise<void> | null} */
  #newer = null;
  #fetches = 0; // under way
  #place = 0; // counts how often it was put elsewhere: what was asked before does not fit any more
  /** @type {Set<number>} what has gone meanwhile, which their answers may still hold */
  #gone = new Set();
  /** @type {Message[]} what has come meanwhile, of which their answers may not know */
  #meanwhile = [];

  /** @param {Term[]} terms */
  constructor(terms) {
    this.terms = terms.filter((term) => term.operator !== "near");
  }

  /** Fetch the messages around a place, in place of those that are held.
   * @param {number | "newest" | "first_unread"} anchor
   * @returns {Promise<number | undefined>} the message that was meant, if there is one */
  async open(anchor) {
    const isEnd = anchor === "newest";
    const place = ++this.#place;
    const answer = await this.#fetch(anchor, isEnd ? FIRST_FETCH : FIRST_FETCH / 2, isEnd ? 0 : FIRST_FETCH / 2);
    if (place !== this.#place) return this.nearest(/** @type {number} */ (answer.anchor));
    this.ids = answer.messages.map((message) => message.id);
    this.foundOldest = answer.found_oldest;
    this.foundNewest = answer.found_newest || isEnd;
    this.isOpen = true;
    this.#catchUp();
    return this.nearest(/** @type {number} */ (answer.anchor));
  }

  /** The first message from an id on, or the last one.
   * @param {number} id
   * @returns {number | undefined} */
  nearest(id) {
    return this.ids[Math.min(placeOf(this.ids, id), this.ids.length - 1)];
  }

  /** @returns {Promise<void>} */
  older() {
    if (this.foundOldest || !this.isOpen) return Promise.resolve();
    const place = this.#place;
    this.#older ??= this.#fetch(this.ids[0] ?? "oldest", PAGE, 0).then((answer) => {
      if (place !== this.#place) return;
      this.#merge(answer.messages);
      this.foundOldest = answer.found_oldest;
      this.#catchUp();
    }).finally(() => (this.#older = null));
    return this.#older;
  }

  /** @returns {Promise<void>} */
  newer() {
    if (this.foundNewest || !this.isOpen) return Promise.resolve();
    const place = this.#place;
    this.#newer ??= this.#fetch(this.ids.at(-1) ?? "newest", 0, PAGE).then((answer) => {
      if (place !== this.#place) return;
      this.#merge(answer.messages);
      this.foundNewest = answer.found_newest;
      this.#catchUp();
    }).finally(() => (this.#newer = null));
    return this.#newer;
  }

  get isLoadingOlder() {
    return this.#older !== null;
  }

  /** Take in a message that has just come, or come to match.
   * @param {Message} message
   * @returns {boolean} whether it belongs here */
  accept(message) {
    if (!passes(this.terms, message)) return false;
    this.#gone.delete(message.id);
    if (this.#fetches) this.#meanwhile.push(message);
    if (!this.isOpen) return false;
    const isNewest = message.id > (this.ids.at(-1) ?? 0);
    if (isNewest ? !this.foundNewest : message.id < this.ids[0] && !this.foundOldest) return false;
    this.#merge([message]);
    return true;
  }

  /** @param {Set<number>} ids
   * @returns {boolean} whether any was here */
  drop(ids) {
    if (this.#fetches) for (const id of ids) this.#gone.add(id);
    const kept = this.ids.filter((id) => !ids.has(id));
    const changed = kept.length !== this.ids.length;
    if (changed) this.ids = kept;
    return changed;
  }

  /** Hold the newest ones only.
   * @param {number} count */
  shorten(count) {
    if (this.ids.length <= count) return;
    this.ids = this.ids.slice(-count);
    this.foundOldest = false;
    this.#place++;
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

  #catchUp() {
    for (const message of this.#meanwhile.splice(0)) this.accept(message);
  }

  /** @param {number | string} anchor
   * @param {number} before
   * @param {number} after */
  async #fetch(anchor, before, after) {
    this.#fetches++;
    const answer = await get("/messages", messagesAsked(this.terms, anchor, before, after)).finally(() => this.#fetches--);
    answer.messages = answer.messages.filter((message) => !this.#gone.has(message.id));
    if (!this.#fetches) this.#gone.clear();
    const isSearch = this.terms.some((term) => term.operator === "search");
    for (const message of answer.messages) takeMessage(message, isSearch);
    trimMessages(new Set([...[...listings.values()].flatMap((listing) => listing.ids), ...answer.messages.map((message) => message.id)]));
    return answer;
  }
}

/** The parameters that ask for messages.
 * @param {Term[]} terms
 * @param {number | string} anchor
 * @param {number} before
 * @param {number} after */
export function messagesAsked(terms, anchor, before, after) {
  return {
    narrow: forServer(terms),
    anchor: String(anchor),
    num_before: before,
    num_after: after,
    apply_markdown: true,
    client_gravatar: false,
    allow_empty_topic_name: true,
  };
}

/** The list of a narrow: the one we hold, or a new one.
 * @param {Term[]} terms
 * @returns {Listing} */
export function listingOf(terms) {
  const key = hashOf(terms.filter((term) => term.operator !== "near"));
  const listing = listings.get(key) ?? new Listing(terms);
  listings.delete(key);
  listings.set(key, listing);
  for (const old of listings.keys()) {
    if (listings.size <= KEPT_LISTS) break;
    listings.delete(old);
  }
  return listing;
}

/** Forget all lists but one.
 * @param {Listing | null} [kept] */
export function forgetListings(kept = null) {
  for (const [key, listing] of listings) if (listing !== kept) listings.delete(key);
}

/** Let go of what nobody looks at, so that a day of talking does not fill the memory.
 * @param {Listing | null} open the list that is shown and not at its end: it is left alone */
export function tidyListings(open) {
  for (const listing of listings.values()) {
    if (listing === open || listing.ids.length <= LONGEST_LIST) continue;
    listing.shorten(LONGEST_LIST / 2);
  }
  trimMessages(new Set([...listings.values()].flatMap((listing) => listing.ids)));
}

/** A message has come, or was changed so that it may belong elsewhere now.
 * @param {Message} message */
export function offer(message) {
  let taken = false;
  for (const listing of listings.values()) {
    const verdict = passes(listing.terms, message);
    if (verdict) taken = listing.accept(message) || taken;
    else if (verdict === false) taken = listing.drop(new Set([message.id])) || taken;
    else askWhether(listing, message);
  }
  if (taken) tell("lists");
}

/** @param {Listing} listing
 * @param {Message} message */
async function askWhether(listing, message) {
  const answer = await get("/messages/matches_narrow", { msg_ids: [message.id], narrow: forServer(listing.terms) }).catch(() => null);
  const found = answer?.messages?.[message.id];
  if (!found || !listing.foundNewest || listing.ids.includes(message.id)) return;
  takeMessage({ ...message, ...found }, true);
  listing.ids = [...listing.ids, message.id].sort((a, b) => a - b);
  tell("lists");
}

/** Where an id stands or would stand in a sorted list.
 * @param {number[]} ids
 * @param {number} id
 * @returns {number} */
export function placeOf(ids, id) {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle] < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

on("gone", (/** @type {number[]} */ ids) => {
  const gone = new Set(ids);
  const changed = [...listings.values()].map((listing) => listing.drop(gone));
  if (changed.includes(true)) tell("lists");
});

on("moved", (/** @type {number[]} */ ids) => {
  for (const id of ids) {
    const message = messageOf(id);
    if (message) offer(message);
  }
});
