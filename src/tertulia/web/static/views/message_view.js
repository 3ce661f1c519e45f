/** The view of messages: a conversation, a channel, or several of them mixed. */

import { Unreachable } from "../core/api.js";
import { composeFor } from "./compose.js";
import { conversationOf, keyOf } from "../state/conversations.js";
import { plainText } from "./rendered_content.js";
import { headingOf, nothingHere } from "./view_header.js";
import { fill, h, icon } from "../core/html.js";
import { MessageList } from "./virtual_list.js";
import { listingOf } from "../state/message_lists.js";
import { isSpectator, myId } from "../state/session.js";
import { messageOf } from "../state/messages.js";
import { conversationHash, forServer, operandOf } from "../state/narrow.js";
import { nameOf } from "../state/people.js";
import { Reader, readsAsSeen } from "./reading.js";
import { drawRow, rowSignature, tellTimeInFull } from "./message_row.js";
import { on, soon } from "../core/signals.js";
import { announce, emptiness, freshBody, freshFoot, setHead } from "./layout.js";
import { typingWords } from "../state/typing.js";
import { isUnread, unreadIn } from "../state/unread.js";
import { showWaiting } from "./pending_messages.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Place} Place */
/** @typedef {{close(): void, focus?(): void}} View */
/** @typedef {{id?: number, top: number, stays?: boolean}} Kept a message and where it stood; without one, the end */

const RETRY_MS = 3000; // where the server could not be heard

/** The view that is open, for those who act on it. @type {Talk | null} */
let current = null;

export function openTalk() {
  return current;
}

/** @param {Place} place
 * @param {Kept | null | undefined} kept where one was when one left it last
 * @returns {Promise<Talk>} */
export async function showTalk(place, kept) {
  const talk = new Talk(place);
  current = talk;
  await talk.open(kept);
  return talk;
}

export class Talk {
  #stops = /** @type {(() => void)[]} */ ([]);
  #where;
  #isClosed = false;
  #failed = false; // whether its messages could not be fetched
  /** @type {number} the message that has, or last had, the focus */
  chosen = 0;

  /** @param {Place} place */
  constructor(place) {
    this.place = place;
    this.listing = listingOf(place.terms);
    const isFound = place.view === "search";
    this.#where = { isMixed: !place.conversation, newFrom: /** @type {number | undefined} */ (undefined), newCount: 0, isFound };
    this.feed = h("section", { class: "talk", role: "feed", "aria-label": say("talk.messages"), "aria-busy": "true" });
    this.top = h("div", { class: "start" });
    this.typing = h("div", { class: "typing" });
    this.waiting = h("div", { class: "talk waiting", hidden: true });
    this.body = freshBody(this.top, this.feed, this.waiting, this.typing);
    this.body.classList.add("talking");
    this.foot = freshFoot();
    this.toEnd = h("button", { class: "b to-end", type: "button", "data-do": "to-end", hidden: true });
    this.list = new MessageList(this.body, this.feed, {
      signature: (id, before) => rowSignature(id, before, this.#where),
      draw: (id, before) => drawRow(id, before, this.#where),
    }, {
      needOlder: () => this.#more("older"),
      needNewer: () => this.#more("newer"),
      scrolled: () => this.#afterMove(),
    }, this.#where.isMixed);
    this.reader = new Reader(this.body, this.list, readsAsSeen(place));
    const redraw = soon(() => this.#update());
    this.#stops.push(
      on("message lists people channels replaced", redraw),
      on("topics channels unread presence", () => this.#head()),
      on("typing", () => this.#typing()),
      on("outbox", soon(() => this.#wait())),
      on("arrived", (message) => this.#speak(message)),
      on("connection", (state) => state === "live" && this.#retry()),
    );
    this.feed.addEventListener("focusin", (event) => this.#choose(event));
    this.feed.addEventListener("pointerover", tellTimeInFull);
    this.#head();
    this.#foot();
  }

  /** @param {Kept | null | undefined} kept */
  async open(kept) {
    const { place, listing } = this;
    const unread = place.conversation ? unreadIn(place.conversation) : [];
    // A reload keeps the place; whoever comes back by themselves wants what is new.
    if (!kept?.stays && (unread.length || kept?.id === undefined)) kept = null;
    const wanted = place.near ?? (kept ? kept.id : unread[0]);
    const has = wanted === undefined ? listing.foundNewest : listing.ids[0] <= wanted && (listing.foundNewest || wanted <= (listing.ids.at(-1) ?? 0));
    let id = /** @type {number | undefined} */ (wanted);
    if (!listing.isOpen || !has) {
      const startsUnread = place.view === "talk" && !place.terms.some((term) => term.operator === "is" && term.operand !== "dm");
      try {
        id = await listing.open(place.near ?? kept?.id ?? (startsUnread && !kept && !isSpectator() ? "first_unread" : "newest"));
      } catch (error) {
        if (this.#isClosed) return;
        this.#fail(/** @type {Error} */ (error));
        return;
      }
    } else if (wanted !== undefined) {
      id = listing.nearest(wanted);
    }
    if (this.#isClosed || this.#isElsewhere()) return;
    this.#failed = false;
    this.#markNew(unread, id);
    this.#empty();
    const isFromUnread = this.#where.newFrom !== undefined && id === this.#where.newFrom;
    if (kept && id !== undefined && id === kept.id) this.list.show(listing.ids, listing.foundNewest, id, kept.top);
    else if (place.near && id !== undefined) this.list.show(listing.ids, listing.foundNewest, id, "middle");
    else if (isFromUnread && id !== undefined) this.list.show(listing.ids, listing.foundNewest, id, 80);
    else this.list.show(listing.ids, listing.foundNewest, undefined, "end");
    this.reader.startAt(place.near ? Infinity : (id ?? 0));
    this.feed.setAttribute("aria-busy", "false");
    if (place.near) this.#flash(place.near);
    this.#afterMove();
    this.#rove();
    if (!listing.foundNewest) this.#more("newer");
  }

  /** A link may name a message that its conversation holds: if that was moved since, we follow.
   * @returns {boolean} */
  #isElsewhere() {
    const held = messageOf(Number(operandOf(this.place.terms, "with")));
    const { conversation } = this.place;
    if (!held || !conversation || keyOf(conversationOf(held)) === keyOf(conversation)) return false;
    location.replace(conversationHash(conversationOf(held), this.place.near));
    return true;
  }

  /** Where one is, to come back to it. */
  keptPlace() {
    return this.list.place;
  }

  focus() {
    const id = this.chosen || this.#where.newFrom || this.lastInView();
    if (id) this.go(id);
  }

  /** Bring a message into view and give it the focus.
   * @param {number} id */
  go(id) {
    const article = this.list.reveal(id);
    article?.focus({ preventScroll: true });
  }

  /** @param {number} step
   * @returns {boolean} */
  move(step) {
    const { ids } = this.listing;
    const from = ids.indexOf(this.chosen && this.list.articleOf(this.chosen) ? this.chosen : this.lastInView());
    const id = ids[from + (this.chosen ? step : 0)];
    if (id !== undefined) this.go(id);
    return id !== undefined;
  }

  async jumpToEnd() {
    if (!this.listing.foundNewest) {
      await this.listing.open("newest");
      if (this.#isClosed) return;
      this.list.show(this.listing.ids, true, undefined, "end");
    }
    this.list.toEnd();
    this.#afterMove();
    const last = this.listing.ids.at(-1);
    if (last) this.go(last);
  }

  async jumpToStart() {
    while (!this.#isClosed && !this.listing.foundOldest && this.listing.ids.length < 2000) await this.listing.older();
    if (!this.#isClosed && !this.listing.foundOldest) await this.listing.open(1);
    if (this.#isClosed) return;
    this.list.show(this.listing.ids, this.listing.foundNewest, this.listing.ids[0], 0);
    this.go(this.listing.ids[0]);
  }

  /** The last message whose beginning can be seen.
   * @returns {number} */
  lastInView() {
    const bottom = this.body.getBoundingClientRect().bottom;
    const seen = this.list.drawn.filter((id) => (this.list.articleOf(id)?.getBoundingClientRect().top ?? Infinity) < bottom - 16);
    return seen.at(-1) ?? 0;
  }

  /** The terms of this view, as the server is asked. */
  narrow() {
    return forServer(this.place.terms);
  }

  close() {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.reader.close();
    this.list.destroy();
    if (current === this) current = null;
  }

  #update() {
    if (this.#isClosed || !this.listing.isOpen) return;
    this.#empty();
    this.list.update(this.listing.ids, this.listing.foundNewest);
    this.#afterMove();
  }

  /** @param {"older" | "newer"} way */
  async #more(way) {
    const isDone = way === "older" ? this.listing.foundOldest : this.listing.foundNewest;
    if (isDone || !this.listing.isOpen || this.#isClosed) return;
    this.feed.setAttribute("aria-busy", "true");
    try {
      await this.listing[way]();
      this.#update();
    } catch {
      // No connection; scrolling on asks again.
    }
    this.feed.setAttribute("aria-busy", "false");
  }

  /** @param {number[]} unread
   * @param {number | undefined} id */
  #markNew(unread, id) {
    const isShown = this.place.view === "talk" && id !== undefined && isUnread(id) && !this.place.near;
    const first = unread[0] ?? (isShown ? id : undefined);
    if (first === undefined || this.place.view === "search") return;
    this.#where.newFrom = first;
    this.#where.newCount = unread.length || this.listing.ids.filter((each) => isUnread(each)).length;
  }

  #afterMove() {
    this.reader.look();
    const newest = this.listing.ids.at(-1) ?? 0;
    const shownTo = this.lastInView();
    const below = this.listing.ids.filter((id) => id > shownTo && isUnread(id)).length;
    const isAway = newest > shownTo && !this.list.isAtEnd;
    this.toEnd.hidden = !isAway && this.listing.foundNewest;
    fill(this.toEnd, icon("end", "s"), below ? say("talk.to-new", { count: below }) : say("talk.to-end"));
  }

  /** @param {FocusEvent} event */
  #choose(event) {
    const article = event.target instanceof Element ? event.target.closest("article") : null;
    if (!(article instanceof HTMLElement)) return;
    this.chosen = Number(article.dataset.id);
    this.#rove();
  }

  /** One message at a time can be reached with Tab, and so can its tools. */
  #rove() {
    const id = this.chosen || this.listing.ids.at(-1) || 0;
    for (const article of this.feed.querySelectorAll('article[tabindex="0"]')) setReach(article, -1);
    const article = this.list.articleOf(id);
    if (article) setReach(article, 0);
  }

  /** @param {number} id */
  #flash(id) {
    this.list.articleOf(id)?.classList.add("meant");
  }

  /** @param {Record<string, any>} message */
  #speak(message) {
    const { conversation } = this.place;
    if (!conversation || message.sender_id === myId() || keyOf(conversationOf(message)) !== keyOf(conversation)) return;
    announce(`${nameOf(message.sender_id)}: ${plainText(message.content).slice(0, 120)}`);
  }

  /** What was entered here and has not arrived. */
  #wait() {
    const { conversation } = this.place;
    if (this.#isClosed || !conversation) return;
    const wasAtEnd = this.list.isAtEnd;
    const isNew = this.waiting.childElementCount < 1;
    const isWaiting = showWaiting(this.waiting, conversation);
    if (isWaiting && (wasAtEnd || isNew)) this.list.toEnd();
  }

  #typing() {
    const text = this.place.conversation ? typingWords(this.place.conversation) : "";
    if (!text) return fill(this.typing);
    const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    return fill(this.typing, h("span", {}, dots, text));
  }

  #foot() {
    const { conversation, channel } = this.place;
    fill(this.foot, this.toEnd);
    if (this.place.view === "search") return;
    if (isSpectator()) {
      this.foot.append(h("p", { class: "spectator" }, say("spectator.read-only"), " ", h("a", { href: "/login/" }, say("spectator.log-in"))));
    } else if (conversation) {
      composeFor(this.foot, conversation);
    } else if (channel) {
      composeFor(this.foot, { channel, topic: null });
    }
  }

  #head() {
    if (this.#isClosed || this.place.view === "search") return;
    setHead(headingOf(this.place));
  }

  #empty() {
    const isEmpty = !this.listing.ids.length && this.listing.foundNewest;
    this.feed.hidden = isEmpty;
    this.body.querySelector(".void")?.remove();
    if (isEmpty) this.top.after(nothingHere(this.place));
    const isStart = this.listing.foundOldest && !isEmpty && this.place.conversation;
    fill(this.top, isStart && h("p", {}, say("talk.start")));
  }

  #retry() {
    if (!this.#failed || this.#isClosed) return;
    this.#failed = false;
    this.open(null);
  }

  /** @param {Error} error */
  #fail(error) {
    this.#failed = true;
    if (error instanceof Unreachable) setTimeout(() => this.#retry(), RETRY_MS);
    this.feed.setAttribute("aria-busy", "false");
    const again = h("button", { class: "b", type: "button", onclick: () => this.#retry() }, say("talk.try-again"));
    this.body.querySelector(".void")?.remove();
    this.top.after(emptiness(say("talk.failed"), error instanceof Unreachable ? say("talk.no-answer") : error.message, again));
  }
}

/** @param {Element} article
 * @param {number} index */
function setReach(article, index) {
  /** @type {HTMLElement} */ (article).tabIndex = index;
  for (const button of article.querySelectorAll(".act button, button.name, a.when, button.edited")) {
    /** @type {HTMLElement} */ (button).tabIndex = index;
  }
}
