/** Read as seen: a message is read when its end has been in view for a moment, in a page that is
 * looked at. What is read is told in bundles, and kept while there is no connection. */

import { post, Refused } from "../core/api.js";
import { isSpectator, myId, setting } from "../state/session.js";
import { setFlag } from "../state/messages.js";
import { isUnread, noteRead } from "../state/unread.js";

const MOMENT = 300;
const BUNDLE = 100;
const ALWAYS = 1;
const IN_CONVERSATIONS = 2;

/** @type {Set<number>} read here, and not told yet */
const untold = new Set();
let telling = false;
/** @type {number | undefined} */
let timer;

/** Whether a view of this kind marks as read, as the person has set it.
 * @param {import("../state/routes.js").Place} place */
export function readsAsSeen(place) {
  if (isSpectator() || place.near || place.view !== "talk") return false;
  if (place.terms.some((term) => term.operator === "is" && term.operand !== "dm")) return false;
  const policy = setting("web_mark_read_on_scroll_policy") ?? ALWAYS;
  return policy === ALWAYS || (policy === IN_CONVERSATIONS && place.conversation !== undefined);
}

/** Looks at which unread rows are in view. */
export class Reader {
  #scroller;
  #list;
  /** @type {Map<number, number>} since when each is in view */
  #seen = new Map();
  /** @type {number | undefined} */
  #timer;
  #from = 0;

  /** @param {HTMLElement} scroller
   * @param {import("./virtual_list.js").MessageList} list
   * @param {boolean} isOn */
  constructor(scroller, list, isOn) {
    this.#scroller = scroller;
    this.#list = list;
    this.isOn = isOn;
    this.look = this.look.bind(this);
    addEventListener("focus", this.look);
    document.addEventListener("visibilitychange", this.look);
  }

  /** Messages above the place where one landed have not been seen.
   * @param {number} id */
  startAt(id) {
    this.#from = id;
  }

  look() {
    if (!this.isOn || this.#timer !== undefined) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, MOMENT / 2);
  }

  close() {
    removeEventListener("focus", this.look);
    document.removeEventListener("visibilitychange", this.look);
    clearTimeout(this.#timer);
    this.isOn = false;
  }

  #check() {
    if (document.hidden || !document.hasFocus()) return this.#seen.clear();
    const view = this.#scroller.getBoundingClientRect();
    const now = performance.now();
    const inView = new Set();
    for (const id of this.#list.drawn) {
      if (id < this.#from || !isUnread(id)) continue;
      const end = this.#list.articleOf(id)?.getBoundingClientRect().bottom ?? 0;
      if (end > view.bottom + 2) break;
      if (end > view.top) inView.add(id);
    }
    const read = [...inView].filter((id) => now - (this.#seen.get(id) ?? now) >= MOMENT);
    this.#seen = new Map([...inView].map((id) => [id, this.#seen.get(id) ?? now]));
    markRead(read);
    if (inView.size > read.length) this.look();
    return undefined;
  }
}

/** @param {number[]} ids */
export function markRead(ids) {
  const were = noteRead(ids);
  for (const id of were) {
    untold.add(id);
    setFlag(id, "read", true);
  }
  if (were.length) tellSoon();
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
export function tellWhatIsLeft() {
  const left = JSON.parse(localStorage.getItem(storageKey()) ?? "[]");
  for (const id of left) untold.add(id);
  noteRead(left);
  if (untold.size) tellSoon();
}

function tellSoon() {
  localStorage.setItem(storageKey(), JSON.stringify([...untold]));
  if (untold.size >= BUNDLE) tellNow();
  else timer ??= window.setTimeout(tellNow, 1000);
}

async function tellNow() {
  clearTimeout(timer);
  timer = undefined;
  if (telling || !untold.size) return;
  telling = true;
  const ids = [...untold];
  try {
    await post("/messages/flags", { messages: ids, op: "add", flag: "read" });
    for (const id of ids) untold.delete(id);
  } catch (error) {
    if (error instanceof Refused) for (const id of ids) untold.delete(id);
    else timer = window.setTimeout(tellNow, 5000);
  } finally {
    telling = false;
    localStorage.setItem(storageKey(), JSON.stringify([...untold]));
    if (untold.size) timer ??= window.setTimeout(tellNow, 1000);
  }
}

function storageKey() {
  return `tertulia-read-${myId()}`;
}
