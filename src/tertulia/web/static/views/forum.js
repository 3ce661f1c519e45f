/** The view of a channel as a forum: its topics, each with its opening message. Nothing that is read here is marked as
 * read. Topics that begin meanwhile are shown when the person asks for them, so that nothing moves by itself. */

import { get } from "../core/api.js";
import { h, icon, srOnly } from "../core/html.js";
import { formatNumber, t, textWith } from "../core/i18n.js";
import { nextFrame } from "../core/signals.js";
import { channelName } from "../state/channels.js";
import { isResolved, titleOf, topicKey } from "../state/conversations.js";
import { findMessage } from "../state/messages.js";
import { conversationHash } from "../state/narrow.js";
import { nameOf, shortName } from "../state/people.js";
import { isSpectator, myId } from "../state/session.js";
import { fetchTopics, topicsOf } from "../state/topics.js";
import { mentionsIn, unreadCount } from "../state/unread.js";
import { closedReason } from "../state/write_access.js";
import { avatar, avatarData, avatarStack, badge } from "./avatars.js";
import { currentComposeBox, showComposeBox, showComposeOrReason } from "./compose.js";
import { fetchMessages } from "./conversation_rows.js";
import { keepFocus, setKeyedChildren } from "./keyed_children.js";
import { emptyState, failedState, resetBody, resetFooter } from "./layout.js";
import { fillText, reactionList, rowSignature } from "./message_row.js";
import { formatAgo, formatShortTime } from "./time.js";
import { drawHeader, viewSwitch } from "./topic_list.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["ForumTopic"]} ForumTopic */
/** @typedef {import("../core/scope.js").Scope} Scope */
/** @typedef {import("./keyed_children.js").KeyedChild} KeyedChild */

const PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100; // of the API
const MAX_COUNTED = 1000; // as in features/forum.py
const ORDERS = ["latest", "newest", "unanswered"];
const MAX_ALIKE = 2;
const MIN_WORD_LENGTH = 4; // shorter words are in too many topics to be a sign of the same one
const ROW = { isMixed: false, newFrom: undefined, newCount: 0 };

/** @param {import("../state/routes.js").Route} place
 * @param {Scope} scope
 * @returns {Promise<import("../core/router.js").View>} */
export async function showForum({ channel = 0 }, scope) {
  const forum = new Forum(channel, scope);
  drawHeader(channel);
  await forum.load();
  forum.listen();
  return { focus: () => /** @type {HTMLElement | null} */ (forum.element.querySelector(".post h2 a"))?.focus() };
}

class Forum {
  #channel;
  #scope;
  #order = "latest";
  /** @type {ForumTopic[]} */
  #topics = [];
  #unanswered = 0;
  #isFetched = false;
  #hasMore = false;
  /** Topics that began since the list was fetched, by key. @type {Set<string>} */
  #fresh = new Set();
  /** First messages that are shown in full. @type {Set<number>} */
  #opened = new Set();
  /** @type {HTMLElement | undefined} */
  #newPost;
  #draw = nextFrame(() => this.#drawNow());
  element = h("div", { class: "list forum" });

  /** @param {number} channel
   * @param {Scope} scope */
  constructor(channel, scope) {
    this.#channel = channel;
    this.#scope = scope;
    resetBody(this.element);
    const foot = resetFooter();
    const target = { channel, topic: null };
    if (closedReason(target)) showComposeOrReason(foot, target);
    else if (!isSpectator()) this.#closePost();
    this.element.addEventListener("click", (event) => this.#onClick(/** @type {Element} */ (event.target)));
  }

  listen() {
    const scope = this.#scope;
    scope.on(["unread", "people", "reset"], this.#draw);
    scope.on("channels", () => drawHeader(this.#channel));
    scope.on("messageChanged", (id) => {
      if (this.#topics.some((topic) => topic.first_id === id)) this.#draw();
    });
    scope.on("messageArrived", (message) => {
      if (message.stream_id === this.#channel) this.#add(message);
    });
    scope.on("messagesMoved", (ids) => {
      if (ids.some((id) => findMessage(id)?.stream_id === this.#channel || this.#shows(id))) this.load();
    });
    scope.on("messagesDeleted", (ids) => {
      this.#topics = this.#topics.filter((topic) => topic.reply_count || !ids.includes(topic.first_id));
      this.#draw();
    });
    scope.on("connection", (state) => {
      if (state === "live" && !this.#isFetched) this.load();
    });
    scope.listen(window, "resize", () => this.#measure());
  }

  /** Fetch as many topics as are shown, at least one page. */
  async load() {
    const limit = Math.min(MAX_PAGE_SIZE, Math.max(PAGE_SIZE, this.#topics.length));
    try {
      this.#topics = await this.#fetch(0, limit);
      this.#isFetched = true;
      this.#fresh.clear();
    } catch {
      // Without a connection, the view says so, or shows what it has.
    }
    this.#drawNow();
  }

  /** @param {number} offset
   * @param {number} limit
   * @returns {Promise<ForumTopic[]>} */
  async #fetch(offset, limit) {
    const found = await get(`/streams/${this.#channel}/forum`, {
      order: this.#order,
      offset,
      limit,
      allow_empty_topic_name: true,
    });
    await fetchMessages(found.topics.flatMap((topic) => [topic.first_id, topic.max_id]));
    this.#unanswered = found.unanswered_count;
    this.#hasMore = !found.found_last;
    return found.topics;
  }

  async #loadMore() {
    const known = new Set(this.#topics.map((topic) => topic.first_id));
    const more = await this.#fetch(this.#topics.length, PAGE_SIZE).catch(() => []);
    this.#topics.push(...more.filter((topic) => !known.has(topic.first_id)));
    this.#drawNow();
  }

  /** Count a new message, or the topic that it begins.
   * @param {import("../state/messages.js").Message} message */
  #add(message) {
    const key = topicKey(this.#channel, message.subject);
    const topic = this.#topics.find((each) => topicKey(this.#channel, each.name) === key);
    if (topic) {
      if (topic.reply_count === 0) this.#unanswered -= 1;
      topic.max_id = message.id;
      topic.reply_count += 1;
      topic.last_authors = [message.sender_id, ...topic.last_authors.filter((id) => id !== message.sender_id)].slice(
        0,
        3,
      );
    } else if (message.sender_id === myId()) {
      this.#closePost();
      this.load();
      return;
    } else this.#fresh.add(key);
    this.#draw();
  }

  /** @param {number} id */
  #shows(id) {
    return this.#topics.some((topic) => topic.first_id === id || topic.max_id === id);
  }

  /** @param {Element} target */
  #onClick(target) {
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-forum]"));
    if (!button) return;
    const { forum, value = "" } = button.dataset;
    if (forum === "order") this.#order = value;
    if (forum === "order" || forum === "fresh") this.load();
    if (forum === "more") this.#loadMore();
    if (forum === "write") this.#openPost();
    if (forum === "cancel") this.#closePost(true);
    if (forum !== "read") return;
    this.#opened.add(Number(value));
    this.#drawNow();
    const title = /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-id="${value}"] h2 a`));
    title?.focus({ preventScroll: true });
  }

  #drawNow() {
    if (this.#scope.isClosed) return;
    keepFocus(this.element, () =>
      setKeyedChildren(this.element, [
        this.#bar(),
        this.#newPost && { key: "write", build: () => /** @type {HTMLElement} */ (this.#newPost) },
        this.#fresh.size > 0 && freshLine(this.#fresh.size),
        ...(this.#topics.length ? this.#topics.map((topic) => this.#post(topic)) : [this.#empty()]),
        this.#hasMore && {
          key: "more",
          build: () => h("button", { class: "b", type: "button", "data-forum": "more" }, t("forum.more")),
        },
      ]),
    );
    this.#measure();
  }

  /** Offer to read all of the messages that are cut. */
  #measure() {
    const bodies = [...this.element.querySelectorAll(".opening.short")];
    const cut = bodies.map((body) => body.scrollHeight > body.clientHeight + 1);
    bodies.forEach((body, at) => {
      if (body.nextElementSibling instanceof HTMLElement) body.nextElementSibling.hidden = !cut[at];
    });
  }

  /** @returns {KeyedChild} */
  #bar() {
    const chip = (/** @type {string} */ order) =>
      h(
        "button",
        {
          class: "chip",
          type: "button",
          "aria-pressed": String(order === this.#order),
          "data-forum": "order",
          "data-value": order,
        },
        t(`forum.${order}`),
        order === "unanswered" && this.#unanswered > 0 && h("b", {}, ` ${formatNumber(this.#unanswered)}`),
      );
    const chips = {
      key: "orders",
      data: [this.#order, this.#unanswered],
      build: () => h("span", { class: "orders" }, ...ORDERS.map(chip)),
    };
    return {
      key: "bar",
      build: () => h("div", { class: "sub" }),
      update: (bar) => setKeyedChildren(bar, [{ key: "view", build: () => viewSwitch(this.#channel) }, chips]),
    };
  }

  /** @param {ForumTopic} topic
   * @returns {KeyedChild} */
  #post(topic) {
    const conversation = { channel: this.#channel, topic: topic.name };
    const opening = findMessage(topic.first_id);
    const newest = findMessage(topic.max_id);
    const count = unreadCount(conversation);
    const isMention = mentionsIn(conversation) > 0;
    const isOpen = this.#opened.has(topic.first_id);
    const when = newest && formatAgo(newest.timestamp);
    const time = opening && formatShortTime(opening.timestamp, true);
    const build = () => {
      const isDone = isResolved(topic.name);
      const title = titleOf(conversation);
      const link = h(
        "a",
        { href: conversationHash(conversation), "data-key": `post-${topic.first_id}` },
        h("bdi", {}, title),
      );
      return h(
        "article",
        {
          class: `post${count ? " unread" : ""}${isDone ? " done" : ""}`,
          "aria-label": title,
          "data-id": topic.first_id,
        },
        h(
          "header",
          {},
          h("h2", {}, link),
          isDone && icon("check", "s"),
          isDone && srOnly(t("talk.resolved")),
          isMention ? badge(count, { isMention }) : count > 0 && h("span", { class: "n" }, t("talk.new", { count })),
        ),
        opening && byline(opening.sender_id, time ?? ""),
        ...this.#body(topic, opening, isOpen),
        h(
          "footer",
          {},
          opening && !isSpectator() && reactionList(opening),
          h(
            "a",
            { class: "replies", href: conversationHash(conversation) },
            ...repliesText(topic, newest?.sender_id, when),
          ),
        ),
      );
    };
    const data = [
      topic.name,
      count,
      isMention,
      isOpen,
      topic.reply_count,
      when,
      time,
      opening && rowSignature(topic.first_id, undefined, ROW),
      ...(opening ? avatarData(opening.sender_id) : []),
      ...topic.last_authors.flatMap(avatarData),
    ];
    return { key: `post-${topic.first_id}`, data, build };
  }

  /** @param {ForumTopic} topic
   * @param {import("../state/messages.js").Message | undefined} opening
   * @param {boolean} isOpen */
  #body(topic, opening, isOpen) {
    const body = h("div", { class: `what opening${isOpen ? "" : " short"}`, dir: "auto" });
    if (!opening) {
      body.append(h("p", { class: "quiet" }, t("forum.gone", { count: topic.reply_count })));
      return [body];
    }
    fillText(body, opening, false);
    const more = {
      class: "read-all",
      type: "button",
      "data-forum": "read",
      "data-value": topic.first_id,
      hidden: true,
    };
    return [body, !isOpen && h("button", more, t("forum.read-all"))];
  }

  /** @returns {KeyedChild} */
  #empty() {
    const { element } = this;
    if (!this.#isFetched)
      return { key: "failed", build: () => failedState(t("talk.no-answer"), () => element.isConnected && this.load()) };
    if (this.#order !== "unanswered")
      return { key: "empty", build: () => emptyState(t("empty.channel"), t("empty.topic-text")) };
    const text = t("forum.all-answered-text", { channel: channelName(this.#channel) });
    return { key: "answered", build: () => emptyState(t("forum.all-answered"), text) };
  }

  /** Show the closed box, which opens a compose box.
   * @param {boolean} [isCancelled] the person has pressed Cancel */
  #closePost(isCancelled = false) {
    const box = currentComposeBox();
    if (box && this.#newPost?.contains(box.element)) {
      box.saveDraft();
      box.scope.close();
    }
    const button = h(
      "button",
      { class: "box closed", type: "button", "data-forum": "write" },
      h("span", { class: "cut" }, t("forum.write")),
      h("kbd", { class: "not-phone", "aria-hidden": "true" }, "C"),
    );
    this.#setPost(h("div", { class: "new-post" }, avatar(myId()), button));
    if (isCancelled) button.focus();
  }

  /** The title comes first, and the key that sends is a button that says what it does. */
  #openPost() {
    const place = h("div", { class: "new-post write" });
    this.#setPost(place);
    showComposeBox(place, { channel: this.#channel, topic: null });
    const box = currentComposeBox();
    if (!box?.topic) return;
    const send = place.querySelector('[data-do="send"]');
    if (send) send.textContent = t("forum.start");
    place
      .querySelector(".send")
      ?.before(h("button", { class: "b bare", type: "button", "data-forum": "cancel" }, t("dialog.cancel")));
    const alike = h("p", { class: "alike", hidden: true, "aria-live": "polite" });
    box.box.after(alike);
    box.topic.addEventListener("input", () => this.#showAlike(alike, box.topic?.value ?? ""));
    if (!topicsOf(this.#channel)) fetchTopics(this.#channel).catch(() => {}); // offline: none are offered
    box.topic.focus();
  }

  /** @param {HTMLElement} place */
  #setPost(place) {
    this.#newPost?.replaceWith(place);
    this.#newPost = place;
  }

  /** Offer topics that have words in common with a title.
   * @param {HTMLElement} line
   * @param {string} title */
  #showAlike(line, title) {
    const found = topicsAlike(
      title,
      (topicsOf(this.#channel) ?? []).map(({ name }) => name),
    );
    const links = found.map((topic) => {
      const conversation = { channel: this.#channel, topic };
      return h(
        "span",
        {},
        h("a", { href: conversationHash(conversation) }, h("bdi", {}, titleOf(conversation))),
        isResolved(topic) && ` (${t("talk.resolved")})`,
      );
    });
    line.hidden = !links.length;
    line.replaceChildren(icon("help", "s"), h("span", {}, t("forum.same")), ...links);
  }
}

/** The topics that share most words with a title, best first.
 * @param {string} title
 * @param {string[]} topics
 * @returns {string[]} */
export function topicsAlike(title, topics) {
  const wanted = wordsOf(title);
  return topics
    .map((topic) => ({ topic, shared: [...wordsOf(topic)].filter((word) => wanted.has(word)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, MAX_ALIKE)
    .map(({ topic }) => topic);
}

/** @param {string} text */
function wordsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH || /[^\p{ASCII}]/u.test(word)));
}

/** @param {number} count
 * @returns {KeyedChild} */
function freshLine(count) {
  return {
    key: "fresh",
    data: [count],
    build: () =>
      h("button", { class: "fresh b bare", type: "button", "data-forum": "fresh" }, t("forum.new-topics", { count })),
  };
}

/** @param {number} author
 * @param {string} time */
function byline(author, time) {
  const name = { class: "name", type: "button", "data-do": "profile", "data-person": author };
  return h(
    "p",
    { class: "byline" },
    avatar(author),
    h("button", name, h("bdi", {}, nameOf(author))),
    h("time", {}, time),
  );
}

/** @param {ForumTopic} topic
 * @param {number | undefined} author of the last message, if it is known
 * @param {string | undefined} when
 * @returns {(Node | string)[]} */
function repliesText({ reply_count: count, last_authors: authors }, author, when) {
  if (!count) return [h("span", {}, h("b", {}, t("forum.no-reply")), " ", t("forum.be-first"))];
  const replies = h(
    "b",
    {},
    count < MAX_COUNTED ? t("forum.replies", { count }) : t("forum.many-replies", { most: MAX_COUNTED }),
  );
  const last = author ?? authors[0];
  const parts = { replies: [replies], name: [h("bdi", {}, shortName(last))], when: [when ?? ""] };
  return [avatarStack(authors), h("span", {}, ...textWith("forum.last-by", parts))];
}
