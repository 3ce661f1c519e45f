/** The card "What did I miss?" of the inbox: the sentences of unread messages that matter most, as they were
 * written. Each is a link to its message. */

import { get } from "../core/api.js";
import { h, icon, iconButton, setChildren } from "../core/html.js";
import { formatLabel, t } from "../core/i18n.js";
import { channelName } from "../state/channels.js";
import { directWith, keyOf, titleOf } from "../state/conversations.js";
import { conversationHash } from "../state/narrow.js";
import { myId } from "../state/session.js";
import { unreadIds, unreadWithoutMuted } from "../state/unread.js";
import { markRead, markUnread } from "../sync/read_flags.js";
import { avatar } from "./avatars.js";
import { conversationIcon } from "./conversation_rows.js";
import { offerUndo } from "./message_actions.js";
import { formatShortTime } from "./time.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["CatchUp"]} CatchUp */
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
  question: "help",
  reactions: "smile",
  link: "link",
};
const CALLS = new Set(["question_to_you", "mention"]);

/** Fetch what the reader has missed and show it.
 * @param {HTMLElement} slot the card is its content
 * @param {() => void} close removes the card */
export async function showCatchUp(slot, close) {
  const found = await get("/messages/catch_up", { allow_empty_topic_name: true });
  const shown = mostImportant(found.conversations);
  const draw = () => setChildren(slot, card(found, shown, draw, close));
  draw();
  /** @type {HTMLElement | null} */ (slot.querySelector("a.said") ?? slot.querySelector("button"))?.focus();
  return true;
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

/** @param {CatchUp} found
 * @param {CaughtUpConversation[]} shown
 * @param {() => void} draw
 * @param {() => void} close */
function card(found, shown, draw, close) {
  const sentences = shown.reduce((sum, each) => sum + each.sentences.length, 0);
  const others = found.conversation_count - shown.length;
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
    ...shown.map((each) =>
      conversationSection(each, () => {
        shown.splice(shown.indexOf(each), 1);
        draw();
      }),
    ),
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

/** Mark all that the card is about as read; it is not needed any more.
 * @param {number[]} ids
 * @param {() => void} close */
function markAllRead(ids, close) {
  markRead(ids);
  close();
  offerUndo("check", t("undo.read", { count: ids.length }), () => markUnread(ids));
}

/** @param {CaughtUpConversation} found
 * @param {() => void} remove */
function conversationSection(found, remove) {
  const conversation =
    found.stream_id === null
      ? directWith(found.user_ids.filter((id) => id !== myId()))
      : { channel: found.stream_id, topic: found.topic };
  const title = titleOf(conversation);
  const place = found.stream_id === null ? t("talk.direct-short") : channelName(found.stream_id);
  const read = () => {
    markRead([...unreadIds(conversation)]);
    remove();
  };
  return h(
    "section",
    { class: "miss", "aria-label": t("catchup.in", { topic: title, place }) },
    h(
      "h3",
      {},
      conversationIcon(conversation),
      h("a", { href: conversationHash(conversation) }, h("bdi", {}, title)),
      h("small", {}, h("bdi", {}, place), " · ", t("catchup.messages", { count: found.message_count })),
      h("span", { class: "end" }),
      h(
        "button",
        { class: "b bare", type: "button", onclick: read, "aria-label": formatLabel(t("catchup.mark-read"), title) },
        t("catchup.mark-read"),
      ),
    ),
    h(
      "ul",
      { class: "plain" },
      ...found.sentences.map((sentence) => h("li", {}, sentenceLink(sentence, keyOf(conversation)))),
    ),
  );
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
