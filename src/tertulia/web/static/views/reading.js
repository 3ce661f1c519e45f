/** Read as seen: a message is read when its end has been in view for a moment, in a page that is
 * looked at. What is read is told in bundles, and kept while there is no connection. */

import { post, ApiError } from "../core/api.js";
import { isSpectator, myId, setting } from "../state/session.js";
import { setFlag } from "../state/messages.js";
import { isUnread, removeUnread } from "../state/unread.js";

const VISIBLE_MS = 300;
const MAX_BATCH = 100;
const ALWAYS = 1;
const IN_CONVERSATIONS = 2;

/** @type {Set<number>} read here, and not told yet */
const pendingIds = new Set();
let isFlushing = false;
/** @type {number | undefined} */
let flushTimer;

/** Whether a view of this kind marks as read, as the person has set it.
 * @param {import("../state/routes.js").Route} route */
export function marksReadOnView(route) {
  if (isSpectator() || route.near || route.view !== "talk") return false;
  if (route.terms.some((term) => term.operator === "is" && term.operand !== "dm")) return false;
  const policy = setting("web_mark_read_on_scroll_policy") ?? ALWAYS;
  return policy === ALWAYS || (policy === IN_CONVERSATIONS && route.conversation !== undefined);
}

/** Looks at which unread rows are in view. */
export class Reader {
  #scroller;
  #list;
  /** @type {Map<number, number>} since when each is in view */
  #seen = new Map();
  /** @type {number | undefined} */
  #timer;
  #firstId = 0;

  /** @param {HTMLElement} scroller
   * @param {import("./virtual_list.js").VirtualList} list
   * @param {boolean} isOn */
  constructor(scroller, list, isOn) {
    this.#scroller = scroller;
    this.#list = list;
    this.isOn = isOn;
    this.look = this.update.bind(this);
    addEventListener("focus", this.update);
    document.addEventListener("visibilitychange", this.update);
  }

  /** Messages above the place where one landed have not been seen.
   * @param {number} id */
  startAt(id) {
    this.#firstId = id;
  }

  update() {
    if (!this.isOn || this.#timer !== undefined) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, VISIBLE_MS / 2);
  }

  close() {
    removeEventListener("focus", this.update);
    document.removeEventListener("visibilitychange", this.update);
    clearTimeout(this.#timer);
    this.isOn = false;
  }

  #check() {
    if (document.hidden || !document.hasFocus()) return this.#seen.clear();
    const view = this.#scroller.getBoundingClientRect();
    const now = performance.now();
    const inView = new Set();
    for (const id of this.#list.drawn) {
      if (id < this.#firstId || !isUnread(id)) continue;
      const end = this.#list.articleOf(id)?.getBoundingClientRect().bottom ?? 0;
      if (end > view.bottom + 2) break;
      if (end > view.top) inView.add(id);
    }
    const read = [...inView].filter((id) => now - (this.#seen.get(id) ?? now) >= VISIBLE_MS);
    this.#seen = new Map([...inView].map((id) => [id, this.#seen.get(id) ?? now]));
    markRead(read);
    if (inView.size > read.length) this.update();
    return undefined;
  }
}

/** @param {number[]} ids */
export function markRead(ids) {
  const read = removeUnread(ids);
  for (const id of read) {
    pendingIds.add(id);
    setFlag(id, "read", true);
  }
  if (read.length) scheduleFlush();
}

/** Everything from a message on, in its list, is unread again.
 * @param {number} id
 * @param {Record<string, any>[]} narrow */
export async function markUnreadFrom(id, narrow) {
  await post("/messages/flags/narrow", {
    anchor: String(id), include_anchor: true, num_before: 0, num_after: 1000, narrow, op: "remove", flag: "read",
  });
}

/** What was read in an earlier life of the page and could not be told. */
export function flushPending() {
  const left = JSON.parse(localStorage.getItem(storageKey()) ?? "[]");
  for (const id of left) pendingIds.add(id);
  removeUnread(left);
  if (pendingIds.size) scheduleFlush();
}

function scheduleFlush() {
  localStorage.setItem(storageKey(), JSON.stringify([...pendingIds]));
  if (pendingIds.size >= MAX_BATCH) flush();
  else flushTimer ??= window.setTimeout(flush, 1000);
}

async function flush() {
  clearTimeout(flushTimer);
  flushTimer = undefined;
  if (isFlushing || !pendingIds.size) return;
  isFlushing = true;
  const ids = [...pendingIds];
  try {
    await post("/messages/flags", { messages: ids, op: "add", flag: "read" });
    for (const id of ids) pendingIds.delete(id);
  } catch (error) {
    if (error instanceof ApiError) for (const id of ids) pendingIds.delete(id);
    else flushTimer = window.setTimeout(flush, 5000);
  } finally {
    isFlushing = false;
    localStorage.setItem(storageKey(), JSON.stringify([...pendingIds]));
    if (pendingIds.size) flushTimer ??= window.setTimeout(flush, 1000);
  }
}

function storageKey() {
  return `tertulia-read-${myId()}`;
}
