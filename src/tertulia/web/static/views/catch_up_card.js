/** The card "What did I miss?" of the inbox: the sentences of unread messages that matter most, as they were
 * written. Each is a link to its message. In the card a person answers, votes, ticks, and marks as read. */

import { get } from "../core/api.js";
import { h, icon, iconButton, setChildren } from "../core/html.js";
import { formatLabel, t } from "../core/i18n.js";
import { channelName } from "../state/channels.js";
import { directWith, keyOf, titleOf } from "../state/conversations.js";
import { findMessage } from "../state/messages.js";
import { conversationHash } from "../state/narrow.js";
import { nameOf } from "../state/people.js";
import { myId } from "../state/session.js";
import { unreadIds, unreadWithoutMuted } from "../state/unread.js";
import { closedReason } from "../state/write_access.js";
import { enqueue } from "../sync/outbox.js";
import { markRead, markUnread } from "../sync/read_flags.js";
import { avatar } from "./avatars.js";
import { conversationIcon, fetchMessages } from "./conversation_rows.js";
import { areShortcutsOff } from "./keys.js";
import { toast } from "./layout.js";
import { offerUndo } from "./message_actions.js";
import { formatShortTime } from "./time.js";
import { widgetSlot } from "./widget_slots.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["CatchUp"]} CatchUp */
/** @typedef {import("../core/scope.js").Scope} Scope */
/** @typedef {CatchUp["conversations"][number]} CaughtUpConversation */
/** @typedef {CaughtUpConversation["sentences"][number]} QuotedSentence */

const MAX_SENTENCES = 8;
/** @type {Record<string, string>} the icon of each reason */
const ICONS = {
  question_to_you: "at",
  mention: "at",
  decision: "check",
  date_change: "later",
  poll: "poll",
  to_do: "check",
  question: "help",
  reactions: "smile",
  link: "link",
};
const CALLS = new Set(["question_to_you", "mention"]);
const WIDGETS = new Set(["poll", "to_do"]);

/** Fetch what the reader has missed and show it.
 * @param {HTMLElement} slot the card is its content
 * @param {() => void} close removes the card
 * @param {Scope} scope of the card */
export async function showCatchUp(slot, close, scope) {
  const found = await get("/messages/catch_up", { allow_empty_topic_name: true });
  const quoted = found.conversations.flatMap((each) => each.sentences);
  await fetchMessages(quoted.filter((each) => WIDGETS.has(each.reason)).map((each) => each.message_id));
  let of = "";
  let drawn = scope.child();
  const draw = () => {
    drawn.close();
    drawn = scope.child();
    const shown = mostImportant(found.conversations.filter((each) => isAbout(each, of)));
    setChildren(slot, card(found, shown, { of, choose, remove, close, scope: drawn }));
  };
  const choose = (/** @type {string} */ value) => {
    of = value;
    draw();
    slot.querySelector("select")?.focus();
  };
  const remove = (/** @type {CaughtUpConversation} */ conversation) => {
    const at = [...slot.querySelectorAll(".miss")].findIndex((each) => each.contains(document.activeElement));
    found.conversations = found.conversations.filter((each) => each.sentences[0] !== conversation.sentences[0]);
    draw();
    const sections = slot.querySelectorAll(".miss");
    const next = sections[Math.min(Math.max(at, 0), sections.length - 1)];
    /** @type {HTMLElement | null} */ (next?.querySelector("a.said") ?? slot.querySelector("button"))?.focus();
  };
  draw();
  /** @type {HTMLElement | null} */ (slot.querySelector("a.said") ?? slot.querySelector("button"))?.focus();
  return true;
}

/** Whether a conversation belongs to the chosen channel, "c12", or has a sentence of the chosen person, "p7".
 * @param {CaughtUpConversation} conversation
 * @param {string} of everything, if it is empty */
function isAbout({ stream_id: channel, sentences }, of) {
  const id = Number(of.slice(1));
  if (!of) return true;
  return of.startsWith("c") ? channel === id : sentences.some((each) => each.sender_id === id);
}

/** The first sentences, by conversation; conversations without one are left out.
 * @param {CaughtUpConversation[]} conversations */
function mostImportant(conversations) {
  let left = MAX_SENTENCES;
  const shown = [];
  for (const each of conversations) {
    const sentences = each.sentences.filter((sentence) => sentence.reason !== "other").slice(0, left);
    left -= sentences.length;
    if (sentences.length) shown.push({ ...each, sentences });
  }
  return shown;
}

/** @typedef {{of: string, choose: (of: string) => void, remove: (conversation: CaughtUpConversation) => void, close:
 *   () => void, scope: Scope}} Actions `scope` ends when the card is drawn again */

/** @param {CatchUp} found
 * @param {CaughtUpConversation[]} shown
 * @param {Actions} actions */
function card(found, shown, { of, choose, remove, close, scope }) {
  const sentences = shown.reduce((sum, each) => sum + each.sentences.length, 0);
  const others = of ? 0 : found.conversation_count - shown.length;
  const unread = unreadWithoutMuted();
  const since = t("catchup.since", {
    when: found.since ? formatShortTime(found.since, true) : "",
    messages: t("catchup.messages", { count: found.message_count }),
    conversations: t("inbox.conversations", { count: found.conversation_count, number: found.conversation_count }),
  });
  const notes = [
    others > 0 && t("catchup.others", { count: others }),
    found.older_left_out && t("catchup.older"),
    t("catchup.quoted"),
  ];
  const closeByKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
  return h(
    "section",
    { class: "catch", "aria-labelledby": "catch-up-title", onkeydown: closeByKey },
    h(
      "header",
      {},
      h("h2", { id: "catch-up-title" }, t("inbox.catch-up")),
      h("p", {}, since, " ", sentences ? t("catchup.sentences", { count: sentences }) : t("catchup.nothing")),
      iconButton("close", t("catchup.close"), { onclick: close, "data-key": "catch-up-close" }),
    ),
    sourceField(found, of, choose),
    ...shown.map((each) => conversationSection(each, () => remove(each), scope)),
    h(
      "footer",
      {},
      h("span", {}, notes.filter(Boolean).join(" ")),
      h(
        "button",
        { class: "b", type: "button", "data-key": "catch-up-read", onclick: () => markAllRead(unread, close) },
        t("catchup.mark-all", { count: unread.length }),
      ),
      h("a", { class: "b", href: "#recent" }, t("catchup.show-others")),
    ),
  );
}

/** The choice of a channel or a person, if there are several.
 * @param {CatchUp} found
 * @param {string} of
 * @param {(of: string) => void} choose */
function sourceField({ conversations }, of, choose) {
  const channels = new Set(conversations.map((each) => each.stream_id).filter((each) => each !== null));
  const people = new Set(conversations.flatMap((each) => each.sentences.map((sentence) => sentence.sender_id)));
  if (!of && channels.size < 2 && people.size < 2) return null;
  const option = (/** @type {string} */ value, /** @type {string} */ text) =>
    h("option", { value, selected: value === of }, text);
  const select = h(
    "select",
    { class: "f", "aria-label": t("catchup.of"), onchange: () => choose(select.value) },
    option("", t("catchup.of-all")),
    h("optgroup", { label: t("view.channels") }, ...[...channels].map((id) => option(`c${id}`, channelName(id)))),
    h("optgroup", { label: t("head.people") }, ...[...people].map((id) => option(`p${id}`, nameOf(id)))),
  );
  return h("div", { class: "of" }, select);
}

/** Mark all that the card is about as read; it is not needed any more.
 * @param {number[]} ids
 * @param {() => void} close */
function markAllRead(ids, close) {
  markRead(ids);
  close();
  offerUndo("check", t("undo.read", { count: ids.length }), () => markUnread(ids));
}

/** @param {CaughtUpConversation} found
 * @param {() => void} remove
 * @param {Scope} scope */
function conversationSection(found, remove, scope) {
  const conversation =
    found.stream_id === null
      ? directWith(found.user_ids.filter((id) => id !== myId()))
      : { channel: found.stream_id, topic: found.topic };
  const title = titleOf(conversation);
  const place = found.stream_id === null ? t("talk.direct-short") : channelName(found.stream_id);
  const read = () => {
    const ids = [...unreadIds(conversation)];
    markRead(ids);
    remove();
    offerUndo("check", t("undo.read", { count: ids.length }), () => markUnread(ids));
  };
  const answer = () => {
    if (!section.querySelector("form")) section.append(answerForm(conversation, read));
    section.querySelector("input")?.focus();
  };
  const canAnswer = !closedReason(conversation);
  const onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const isText = /** @type {Element} */ (event.target).matches("input, select");
    const act = { e: read, r: canAnswer && answer }[event.key];
    if (!act || isText || areShortcutsOff() || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const section = h(
    "section",
    { class: "miss", "aria-label": t("catchup.in", { topic: title, place }), onkeydown },
    h(
      "h3",
      {},
      conversationIcon(conversation),
      h("a", { href: conversationHash(conversation) }, h("bdi", {}, title)),
      h("small", {}, h("bdi", {}, place), " · ", t("catchup.messages", { count: found.message_count })),
      h("span", { class: "end" }),
      canAnswer && sectionButton(t("menu.reply"), title, "R", answer),
      sectionButton(t("catchup.mark-read"), title, "E", read),
    ),
    h(
      "ul",
      { class: "plain" },
      ...found.sentences.map((sentence) =>
        h("li", {}, sentenceLink(sentence, keyOf(conversation)), liveWidget(sentence, scope)),
      ),
    ),
  );
  return section;
}

/** @param {string} text
 * @param {string} title of the conversation
 * @param {string} key
 * @param {() => void} onclick */
function sectionButton(text, title, key, onclick) {
  const attributes = { "aria-label": formatLabel(text, title), "aria-keyshortcuts": key, title: `${text} (${key})` };
  return h("button", { class: "b bare", type: "button", onclick, ...attributes }, text);
}

/** The field of an answer. What was answered is read.
 * @param {import("../state/conversations.js").Conversation} conversation
 * @param {() => void} read */
function answerForm(conversation, read) {
  const field = h("input", {
    class: "f",
    dir: "auto",
    "aria-label": t("catchup.answer"),
    placeholder: t("catchup.answer"),
  });
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    await enqueue(conversation, text);
    read();
    toast(t("share.done", { name: titleOf(conversation) }));
  };
  const cancel = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    const section = form.closest(".miss");
    form.remove();
    /** @type {HTMLElement | null | undefined} */ (section?.querySelector("a.said"))?.focus();
  };
  const form = h(
    "form",
    { class: "answer", onsubmit: send, onkeydown: cancel },
    field,
    h("button", { class: "b go" }, t("compose.send")),
  );
  return form;
}

/** A poll to vote in, or a list to tick, as in the message; it follows the votes of others.
 * @param {QuotedSentence} sentence
 * @param {Scope} scope */
function liveWidget({ message_id: id, reason }, scope) {
  if (!WIDGETS.has(reason) || !findMessage(id)) return null;
  const slot = h("div", { class: "here" });
  const draw = () => {
    const message = findMessage(id);
    if (message) setChildren(slot, widgetSlot(message));
  };
  scope.on("messageChanged", (changed) => {
    if (changed === id) draw();
  });
  draw();
  return slot;
}

/** @param {QuotedSentence} sentence
 * @param {string} key */
function sentenceLink(sentence, key) {
  const reason =
    sentence.reason === "reactions"
      ? t("catchup.reactions", { count: sentence.reaction_count })
      : t(`catchup.reason.${sentence.reason}`);
  return h(
    "a",
    {
      class: "said",
      href: sentence.message_link,
      "data-key": `catch-up-${key}-${sentence.message_id}-${sentence.text.length}`,
    },
    avatar(sentence.sender_id),
    h(
      "span",
      { class: "x" },
      h("b", {}, h("bdi", {}, sentence.sender_full_name)),
      " ",
      h("q", {}, h("bdi", {}, sentence.text)),
    ),
    h(
      "span",
      { class: `why ${CALLS.has(sentence.reason) ? "call" : ""}`.trim() },
      icon(ICONS[sentence.reason] ?? "chat", "s"),
      reason,
    ),
  );
}
