/** Marks messages as read while they are seen: a message is read when its end was in view for a moment, in
 * a page that has the focus. */

import { Scope } from "../core/scope.js";
import { isSpectator, setting } from "../state/session.js";
import { isUnread } from "../state/unread.js";
import { markRead } from "../sync/read_flags.js";

const VISIBLE_MS = 300;
const ALWAYS = 1;
const IN_CONVERSATIONS = 2;

/** Whether a view of this route marks messages as read, as the person has set it.
 * @param {import("../state/routes.js").Route} route */
export function marksReadOnView(route) {
  if (isSpectator() || route.near || route.view !== "talk") return false;
  if (route.terms.some((term) => term.operator === "is" && term.operand !== "dm")) return false;
  const policy = setting("web_mark_read_on_scroll_policy") ?? ALWAYS;
  return policy === ALWAYS || (policy === IN_CONVERSATIONS && route.conversation !== undefined);
}

/** Watches which unread rows of a list are in view. */
export class Reader {
  #scroller;
  #list;
  /** @type {Map<number, number>} since when each message is in view */
  #seen = new Map();
  /** @type {number | undefined} */
  #timer;
  #firstId = 0;
  #scope = new Scope();

  /** @param {HTMLElement} scroller
   * @param {import("./virtual_list.js").VirtualList} list
   * @param {boolean} isOn */
  constructor(scroller, list, isOn) {
    this.#scroller = scroller;
    this.#list = list;
    this.isOn = isOn;
    this.update = this.update.bind(this);
    this.#scope.listen(window, "focus", this.update);
    this.#scope.listen(document, "visibilitychange", this.update);
  }

  /** Ignore messages before the one at which the view was opened: the person has not seen them.
   * @param {number} id */
  startAt(id) {
    this.#firstId = id;
  }

  /** The list has scrolled or changed: check soon. */
  update() {
    if (!this.isOn || this.#timer !== undefined) return;
    this.#checkIn(VISIBLE_MS / 2);
  }

  /** @param {number} delayMs */
  #checkIn(delayMs) {
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      this.#check();
    }, delayMs);
  }

  close() {
    this.#scope.close();
    clearTimeout(this.#timer);
    this.isOn = false;
  }

  #check() {
    if (document.hidden || !document.hasFocus()) return this.#seen.clear();
    if (this.#scroller.closest(".silent")) return this.#checkIn(1000); // a call covers it
    const view = this.#scroller.getBoundingClientRect();
    const now = performance.now();
    /** @type {Map<number, number>} */
    const seen = new Map();
    for (const id of this.#list.drawn.reverse()) {
      if (id < this.#firstId || !isUnread(id)) continue;
      const row = this.#list.articleOf(id)?.getBoundingClientRect();
      if (!row?.height) continue;
      if (row.bottom <= view.top) break; // all others are above it
      if (row.bottom <= view.bottom + 2) seen.set(id, this.#seen.get(id) ?? now);
    }
    this.#seen = seen;
    markRead([...seen].filter(([, since]) => now - since >= VISIBLE_MS).map(([id]) => id));
    const waiting = [...seen.values()].filter((since) => now - since < VISIBLE_MS);
    if (waiting.length) this.#checkIn(VISIBLE_MS - (now - Math.min(...waiting)));
    return undefined;
  }
}
