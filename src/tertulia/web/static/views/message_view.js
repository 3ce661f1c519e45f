/** The message view: a conversation, a channel, or messages of several conversations. */

import { NetworkError } from "../core/api.js";
import { isComposeMovedTo, leaveComposeBox, offerReply, showComposeOrReason, showShutLine } from "./compose.js";
import { conversationOf, keyOf } from "../state/conversations.js";
import { plainText } from "./rendered_content.js";
import { viewHeader, emptyView, isUnknownChannel } from "./view_header.js";
import { setChildren, h, icon } from "../core/html.js";
import { VirtualList } from "./virtual_list.js";
import { closeList, messageListOf, openList } from "../state/message_lists.js";
import { isSpectator, myId } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { conversationHash, termsForApi, operandOf } from "../state/narrow.js";
import { nameOf } from "../state/people.js";
import { closedReason } from "../state/write_access.js";
import { marksReadOnView, Reader } from "./reader.js";
import { clipHighMessages, toggleExpanded } from "./long_content.js";
import { drawRow, rowSignature, showFullTime } from "./message_row.js";
import { nextFrame } from "../core/signals.js";
import { announce, failedState, region, resetBody, resetFooter, setHeader } from "./layout.js";
import { typingText } from "../state/typing.js";
import { isUnread, unreadIds } from "../state/unread.js";
import { showPendingMessages } from "./pending_messages.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Route} Route */
/** @typedef {import("../core/router.js").ScrollPosition} ScrollPosition */
/** @typedef {import("../core/scope.js").Scope} Scope */

const RETRY_MS = 3000; // after a fetch that failed

/** The message view that is open. @type {MessageView | null} */
let openView = null;

export function currentMessageView() {
  return openView;
}

/** @param {Route} route
 * @param {Scope} scope
 * @param {ScrollPosition | null | undefined} saved the scroll position of the last visit
 * @returns {Promise<MessageView>} */
export async function showMessageView(route, scope, saved) {
  const view = new MessageView(route, scope);
  openView = view;
  openList(view.messages, () => view.list.isAtEnd);
  await view.open(saved);
  return view;
}

export class MessageView {
  #scope;
  #context;
  #isOpen = true; // whether the person can write here
  #failed = false; // whether fetching the messages has failed
  /** @type {number} the message that has or had the focus last */
  focusedId = 0;

  /** @param {Route} route
   * @param {Scope} scope */
  constructor(route, scope) {
    this.route = route;
    this.#scope = scope;
    this.messages = messageListOf(route.terms);
    const isFound = route.view === "search";
    this.#context = {
      isMixed: !route.conversation,
      newFrom: /** @type {number | undefined} */ (undefined),
      newCount: 0,
      isFound,
    };
    this.feed = h("section", { class: "talk", role: "feed", "aria-label": t("talk.messages"), "aria-busy": "true" });
    this.top = h("div", { class: "start" });
    this.typing = h("div", { class: "typing" });
    this.waiting = h("div", { class: "talk waiting", hidden: true });
    if (route.conversation) showPendingMessages(this.waiting, route.conversation);
    this.body = resetBody(this.top, this.feed, this.waiting, this.typing);
    this.body.classList.add("talking");
    const keepsCompose = isComposeMovedTo(route.conversation);
    this.foot = keepsCompose ? region(".main > .write") : resetFooter();
    this.toEnd = h("button", { class: "b to-end", type: "button", "data-do": "to-end", hidden: true });
    this.list = new VirtualList(
      this.body,
      this.feed,
      {
        signature: (id, before) => rowSignature(id, before, this.#context),
        draw: (id, before) => drawRow(id, before, this.#context),
        clip: clipHighMessages,
      },
      {
        needOlder: () => this.#loadMore("older"),
        needNewer: () => this.#loadMore("newer"),
        scrolled: () => this.#afterScroll(),
      },
      this.#context.isMixed,
    );
    this.reader = new Reader(this.body, this.list, marksReadOnView(route));
    /** @type {Set<number> | undefined} the messages that have changed since the last drawing, if not all may have */
    let changed = new Set();
    const redraw = nextFrame(() => {
      this.#update(changed);
      changed = new Set();
    });
    scope.on("lists", redraw);
    scope.on("messageChanged", (id) => {
      changed?.add(id);
      redraw();
    });
    scope.on(["people", "channels", "reset"], () => {
      changed = undefined;
      redraw();
    });
    scope.on(["channels", "people", "realm"], () => this.#updateFooter());
    scope.on(["topicPolicy", "channels", "presence"], () => this.#updateHeader());
    scope.on("typing", () => this.#showTyping());
    scope.on(
      "outbox",
      nextFrame(() => this.#showPending()),
    );
    scope.on("messageArrived", (message) => this.#announce(message));
    scope.on("connection", (state) => state === "live" && this.#retry());
    scope.on("channels", () => this.#retry()); // one that was unknown may be visible now
    this.feed.addEventListener("focusin", (event) => this.#onFocus(event));
    this.feed.addEventListener("pointerover", showFullTime);
    this.#updateHeader();
    if (keepsCompose) this.foot.querySelector(".to-end")?.replaceWith(this.toEnd);
    else this.#fillFooter();
    scope.add(() => this.#close());
  }

  /** @param {ScrollPosition | null | undefined} saved */
  async open(saved) {
    const { route, messages } = this;
    const unread = route.conversation ? unreadIds(route.conversation) : [];
    // A reload keeps the scroll position. A new visit starts at the first unread message.
    if (!saved?.stays && (unread.length || saved?.id === undefined)) saved = null;
    const anchor = route.near ?? (saved ? saved.id : unread[0]);
    const has =
      anchor === undefined
        ? messages.hasNewest
        : messages.ids[0] <= anchor && (messages.hasNewest || anchor <= (messages.ids.at(-1) ?? 0));
    let id = /** @type {number | undefined} */ (anchor);
    if (!messages.isLoaded || !has) {
      const startsUnread =
        route.view === "talk" && !route.terms.some((term) => term.operator === "is" && term.operand !== "dm");
      try {
        id = await messages.load(
          route.near ?? saved?.id ?? (startsUnread && !saved && !isSpectator() ? "first_unread" : "newest"),
        );
      } catch (error) {
        if (this.#scope.isClosed) return;
        this.#fail(/** @type {Error} */ (error));
        return;
      }
    } else if (anchor !== undefined) {
      id = messages.nearest(anchor);
    }
    if (this.#scope.isClosed || this.#followMovedConversation()) return;
    this.#failed = false;
    this.#markNew(unread, id);
    this.#updateEmptyState();
    const isFromUnread = this.#context.newFrom !== undefined && id === this.#context.newFrom;
    if (saved && id !== undefined && id === saved.id) this.list.show(messages.ids, messages.hasNewest, id, saved.top);
    else if (route.near && id !== undefined) this.list.show(messages.ids, messages.hasNewest, id, "middle");
    else if (isFromUnread && id !== undefined) this.list.show(messages.ids, messages.hasNewest, id, 80);
    else this.list.show(messages.ids, messages.hasNewest, undefined, "end");
    this.reader.startAt(route.near ? Infinity : (id ?? 0));
    this.feed.setAttribute("aria-busy", "false");
    if (route.near) this.#highlight(route.near);
    this.#afterScroll();
    this.#offerReply();
    this.#updateTabStops();
    if (!messages.hasNewest) this.#loadMore("newer");
  }

  /** A link may name a message of its conversation (`with`): if the message was moved, go to where it is now.
   * @returns {boolean} */
  #followMovedConversation() {
    const held = findMessage(Number(operandOf(this.route.terms, "with")));
    const { conversation } = this.route;
    if (!held || !conversation || keyOf(conversationOf(held)) === keyOf(conversation)) return false;
    location.replace(conversationHash(conversationOf(held), this.route.near));
    return true;
  }

  /** Where the view is scrolled to; undefined while nothing is loaded. */
  scrollPosition() {
    return this.messages.isLoaded ? this.list.position : undefined;
  }

  focus() {
    const id = this.focusedId || this.#context.newFrom || this.lastInView();
    if (id) this.focusMessage(id);
  }

  /** Scroll a message into view and focus it.
   * @param {number} id */
  focusMessage(id) {
    const article = this.list.reveal(id);
    article?.focus({ preventScroll: true });
  }

  /** @param {number} step
   * @returns {boolean} */
  moveFocus(step) {
    const { ids } = this.messages;
    const from = ids.indexOf(
      this.focusedId && this.list.articleOf(this.focusedId) ? this.focusedId : this.lastInView(),
    );
    const id = ids[from + (this.focusedId ? step : 0)];
    if (id !== undefined) this.focusMessage(id);
    return id !== undefined;
  }

  /** Show all of a part of a message, or less again. What was above the button stays where it is.
   * @param {number} id
   * @param {string} part */
  expand(id, part) {
    const button = () =>
      /** @type {HTMLElement | null | undefined} */ (this.list.articleOf(id)?.querySelector(`[data-part="${part}"]`));
    const isClosing = button()?.ariaExpanded === "true";
    this.list.redrawAround(isClosing ? button : () => this.list.articleOf(id), () => toggleExpanded(id, part));
    if (document.activeElement?.matches("body, .expand")) button()?.focus({ preventScroll: true });
    this.#afterScroll();
  }

  async jumpToEnd() {
    if (!this.messages.hasNewest) {
      await this.messages.load("newest");
      if (this.#scope.isClosed) return;
      this.list.show(this.messages.ids, true, undefined, "end");
    }
    this.list.scrollToEnd();
    this.#afterScroll();
    const last = this.messages.ids.at(-1);
    if (last) this.focusMessage(last);
  }

  async jumpToStart() {
    while (!this.#scope.isClosed && !this.messages.hasOldest && this.messages.ids.length < 2000)
      await this.messages.loadOlder();
    if (!this.#scope.isClosed && !this.messages.hasOldest) await this.messages.load(1);
    if (this.#scope.isClosed) return;
    this.list.show(this.messages.ids, this.messages.hasNewest, this.messages.ids[0], 0);
    this.focusMessage(this.messages.ids[0]);
  }

  /** The last message whose first line is in view.
   * @returns {number} */
  lastInView() {
    const bottom = this.body.getBoundingClientRect().bottom - 16;
    const { drawn } = this.list;
    let [low, high] = [0, drawn.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.list.articleOf(drawn[middle])?.getBoundingClientRect().top ?? Infinity) < bottom) low = middle + 1;
      else high = middle;
    }
    return drawn[low - 1] ?? 0;
  }

  /** The terms of this view as the API reads them. */
  narrow() {
    return termsForApi(this.route.terms);
  }

  #close() {
    leaveComposeBox();
    this.reader.close();
    this.list.destroy();
    if (openView !== this) return; // a later view of the same list may be open
    openView = null;
    closeList(this.messages);
  }

  /** @param {Set<number>} [changed] the messages that may look different; without it, all of them */
  #update(changed) {
    if (this.#scope.isClosed || !this.messages.isLoaded) return;
    this.#updateEmptyState();
    this.list.update(this.messages.ids, this.messages.hasNewest, changed);
    this.#afterScroll();
    this.#offerReply();
  }

  /** Where the person cannot write, they can answer the last author directly. */
  #offerReply() {
    if (this.#isOpen) return;
    offerReply(
      this.foot,
      this.messages.ids.map(findMessage).findLast((message) => message && message.sender_id !== myId()),
    );
  }

  /** @param {"older" | "newer"} way */
  async #loadMore(way) {
    const isDone = way === "older" ? this.messages.hasOldest : this.messages.hasNewest;
    if (isDone || !this.messages.isLoaded || this.#scope.isClosed) return;
    this.feed.setAttribute("aria-busy", "true");
    try {
      await this.messages[way === "older" ? "loadOlder" : "loadNewer"]();
      this.#update();
    } catch {
      // No connection; scrolling tries again.
    }
    this.feed.setAttribute("aria-busy", "false");
  }

  /** @param {number[]} unread
   * @param {number | undefined} id */
  #markNew(unread, id) {
    const isShown = this.route.view === "talk" && id !== undefined && isUnread(id) && !this.route.near;
    const first = unread[0] ?? (isShown ? id : undefined);
    if (first === undefined || this.route.view === "search") return;
    this.#context.newFrom = first;
    this.#context.newCount = unread.length || this.messages.ids.filter((each) => isUnread(each)).length;
  }

  #afterScroll() {
    this.reader.update();
    const newest = this.messages.ids.at(-1) ?? 0;
    const shownTo = this.lastInView();
    const below = this.#unreadAfter(shownTo);
    const isAway = newest > shownTo && !this.list.isAtEnd;
    const isHidden = !isAway && this.messages.hasNewest;
    // even the same value makes the browser compute styles
    if (this.toEnd.hidden !== isHidden) this.toEnd.hidden = isHidden;
    const text = below ? t("talk.new", { count: below }) : t("talk.to-end");
    if (this.toEnd.textContent !== text) setChildren(this.toEnd, icon("end", "s"), text);
  }

  /** @param {number} id */
  #unreadAfter(id) {
    const { ids } = this.messages;
    let count = 0;
    for (let at = ids.length - 1; at >= 0 && ids[at] > id; at--) if (isUnread(ids[at])) count++;
    return count;
  }

  /** @param {FocusEvent} event */
  #onFocus(event) {
    const article = event.target instanceof Element ? event.target.closest("article") : null;
    if (!(article instanceof HTMLElement)) return;
    this.focusedId = Number(article.dataset.id);
    this.#updateTabStops();
    const target = /** @type {Element} */ (event.target);
    const clipped = target.closest(".what > .clipped");
    if (!clipped || target.getBoundingClientRect().bottom <= clipped.getBoundingClientRect().bottom) return;
    this.expand(this.focusedId, "all"); // the focus is on something that is hidden
    document.activeElement?.scrollIntoView({ block: "nearest" });
  }

  /** Only one message and its buttons are in the tab order. */
  #updateTabStops() {
    const id = this.focusedId || this.messages.ids.at(-1) || 0;
    for (const article of this.feed.querySelectorAll('article[tabindex="0"]')) setTabIndex(article, -1);
    const article = this.list.articleOf(id);
    if (article) setTabIndex(article, 0);
  }

  /** @param {number} id */
  #highlight(id) {
    this.list.articleOf(id)?.classList.add("highlighted");
  }

  /** @param {import("../state/messages.js").Message} message */
  #announce(message) {
    const { conversation } = this.route;
    if (!conversation || message.sender_id === myId() || keyOf(conversationOf(message)) !== keyOf(conversation)) return;
    announce(`${nameOf(message.sender_id)}: ${plainText(message.content).slice(0, 120)}`);
  }

  /** Show the pending messages of this conversation. */
  #showPending() {
    const { conversation } = this.route;
    if (this.#scope.isClosed || !conversation) return;
    const wasAtEnd = this.list.isAtEnd;
    const isNew = this.waiting.childElementCount < 1;
    const isWaiting = showPendingMessages(this.waiting, conversation);
    if (isWaiting && (wasAtEnd || isNew)) this.list.scrollToEnd();
  }

  #showTyping() {
    const text = this.route.conversation ? typingText(this.route.conversation) : "";
    if (text === this.typing.textContent) return undefined; // as after most messages
    if (!text) return setChildren(this.typing);
    const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    return setChildren(this.typing, h("span", {}, dots, text));
  }

  #fillFooter() {
    const { conversation, channel } = this.route;
    setChildren(this.foot, this.toEnd);
    if (this.route.view === "search") return;
    if (isUnknownChannel(this.route)) {
      this.#isOpen = false; // the view says why
    } else if (isSpectator()) {
      showShutLine(
        this.foot,
        "globe",
        [t("spectator.read-only")],
        h("a", { class: "b", href: "/login/" }, t("spectator.write")),
      );
    } else if (conversation) {
      this.#isOpen = showComposeOrReason(this.foot, conversation);
    } else if (channel) {
      this.#isOpen = showComposeOrReason(this.foot, { channel, topic: null });
    }
  }

  /** A channel was archived, a person has left, a permission has changed: show the box or why there is none. */
  #updateFooter() {
    const { conversation, channel } = this.route;
    const target = conversation ?? (channel && { channel });
    if (
      this.#scope.isClosed ||
      !target ||
      isSpectator() ||
      this.route.view === "search" ||
      this.#isOpen === !closedReason(target)
    )
      return;
    leaveComposeBox();
    this.#fillFooter();
    this.#offerReply();
  }

  #updateHeader() {
    if (this.#scope.isClosed || this.route.view === "search") return;
    setHeader(viewHeader(this.route));
  }

  #updateEmptyState() {
    const isEmpty = !this.messages.ids.length && this.messages.hasNewest;
    this.feed.hidden = isEmpty;
    this.body.querySelector(".empty")?.remove();
    if (isEmpty) this.top.after(emptyView(this.route));
    const isStart = this.messages.hasOldest && !isEmpty && this.route.conversation !== undefined;
    if (isStart !== this.top.hasChildNodes()) setChildren(this.top, isStart && h("p", {}, t("talk.start")));
  }

  #retry() {
    if (!this.#failed || this.#scope.isClosed) return;
    this.#failed = false;
    this.open(null);
  }

  /** @param {Error} error */
  #fail(error) {
    this.#failed = true;
    if (error instanceof NetworkError) setTimeout(() => this.#retry(), RETRY_MS);
    this.feed.setAttribute("aria-busy", "false");
    this.feed.hidden = true;
    this.body.querySelector(".empty")?.remove();
    this.top.after(
      failedState(
        error instanceof NetworkError
          ? t("talk.no-answer")
          : this.route.view === "search"
            ? t("search.not-understood")
            : isUnknownChannel(this.route)
              ? t("channel.unknown-text")
              : error.message,
        () => this.#retry(),
      ),
    );
  }
}

/** @param {Element} article
 * @param {number} index */
function setTabIndex(article, index) {
  /** @type {HTMLElement} */ (article).tabIndex = index;
  for (const button of article.querySelectorAll(".act button, button.name, a.when, button.edited")) {
    /** @type {HTMLElement} */ (button).tabIndex = index;
  }
}
