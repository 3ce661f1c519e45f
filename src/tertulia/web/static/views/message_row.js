/** A row of the message list: one message, and above it the date, the line where new messages begin, or the
 * conversation, where they change. */

import { channelDot, avatar } from "./avatars.js";
import { enhance, glyph } from "./rendered_content.js";
import { channelName } from "../state/channels.js";
import { conversationOf, fullTitle, isInChannel, isResolved, keyOf, titleOf } from "../state/conversations.js";
import { editForm, isEditKept } from "./edits.js";
import { h, icon } from "../core/html.js";
import { state, myId } from "../state/session.js";
import { isMuted, nameOf, getPerson } from "../state/people.js";
import { findMessage } from "../state/messages.js";
import { channelHash, conversationHash } from "../state/narrow.js";
import { clipCode, expandButton, expandedSignature, isExpanded, MAX_REACTIONS } from "./long_content.js";
import { widgetSlot } from "./widget_slots.js";
import { formatTime, dayKey, formatDay, formatFullTime, formatShortTime } from "./time.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {{isMixed: boolean, newFrom: number | undefined, newCount: number, isFound?: boolean}} RowContext
 *   of the list: messages of several conversations or of one; the first new message; search results */

const GROUPED_SECONDS = 600;
const SURELY_SHORT = 16; // characters of a name that fit into two lines of the column in every script

/** Messages of muted people that the person has revealed. @type {Set<number>} */
const revealed = new Set();

/** @param {number} id */
export function revealMuted(id) {
  revealed.add(id);
}

/** Messages that the person has collapsed. @type {Set<number>} */
const collapsed = new Set();

/** @param {number} id */
export function toggleCollapsed(id) {
  if (!collapsed.delete(id)) collapsed.add(id);
}

/** Messages that are about to be deleted. @type {Set<number>} */
const hiddenIds = new Set();

/** @param {number} id
 * @param {boolean} isHidden */
export function setHidden(id, isHidden) {
  if (isHidden) hiddenIds.add(id);
  else hiddenIds.delete(id);
}

/** Everything that a row shows, as a string. A row is redrawn when this changes.
 * @param {number} id
 * @param {number | undefined} before
 * @param {RowContext} context
 * @returns {string} */
export function rowSignature(id, before, context) {
  const message = findMessage(id);
  const above = before === undefined ? undefined : findMessage(before);
  if (!message || hiddenIds.has(id)) return "gone";
  return [
    message.version,
    isMovedHere(message, above),
    isGrouped(message, above, context),
    above ? dayKey(above.timestamp) : "",
    context.newFrom === id,
    context.isMixed && above ? keyOf(conversationOf(above)) : "",
    revealed.has(id),
    collapsed.has(id),
    expandedSignature(id),
    isMuted(message.sender_id),
    editForm(id) !== undefined,
    isEditKept(id),
  ].join("|");
}

/** @param {number} id
 * @param {number | undefined} before
 * @param {RowContext} context
 * @returns {HTMLElement[]} the article is the last node */
export function drawRow(id, before, context) {
  const message = findMessage(id);
  if (!message || hiddenIds.has(id)) return [h("article", { hidden: true })];
  const above = before === undefined ? undefined : findMessage(before);
  const grouped = isGrouped(message, above, context);
  const nodes = [];
  if (context.newFrom === id)
    nodes.push(h("div", { class: "new" }, h("span", {}, t("talk.new", { count: context.newCount }))));
  if (!above || dayKey(above.timestamp) !== dayKey(message.timestamp)) {
    nodes.push(h("div", { class: "day" }, h("span", {}, formatDay(message.timestamp))));
  }
  const labels = nodes.map((node) => node.textContent ?? "");
  if (context.isMixed && (!above || keyOf(conversationOf(above)) !== keyOf(conversationOf(message)) || nodes.length)) {
    labels.push(conversationLabel(message));
    nodes.push(conversationBar(message));
  }
  nodes.push(messageArticle(message, grouped, context, labels, isMovedHere(message, above)));
  return nodes;
}

/** Templates of rows: cloning is cheaper than building.
 * @type {Map<boolean, HTMLElement>} */
const templates = new Map();

/** @param {boolean} grouped
 * @returns {HTMLElement} */
function rowTemplate(grouped) {
  let made = templates.get(grouped);
  if (!made) {
    const name = h("button", { class: "name", type: "button", tabindex: -1, "data-do": "profile" }, h("bdi"));
    made = h(
      "article",
      { tabindex: -1, "aria-setsize": -1 },
      h("div", { class: "who" }, !grouped && h("span", { class: "id" }, name)),
      h("div", { class: "what", dir: "auto" }),
      h("a", { class: "when", tabindex: -1 }),
      rowToolbar(),
    );
    templates.set(grouped, made);
  }
  return /** @type {HTMLElement} */ (made.cloneNode(true));
}

/** @param {Message} message
 * @param {boolean} grouped
 * @param {RowContext} context
 * @param {string[]} above labels of the lines above it, for screen readers
 * @param {boolean} isMoved whether to say that it was moved here */
function messageArticle(message, grouped, context, above, isMoved) {
  const isStarred = message.flags.includes("starred");
  const sender = senderName(message);
  const element = rowTemplate(grouped);
  const [who, words, time, act] = /** @type {HTMLElement[]} */ ([...element.children]);
  const marks = `${isMention(message) ? " call" : ""}${isStarred ? " starred" : ""}`;
  element.className = `line${grouped ? "" : " first"}${marks}`;
  element.id = `message-${message.id}`;
  element.dataset.id = String(message.id);
  element.setAttribute("aria-label", [...above, messageLabel(message, sender)].join(", "));
  if (!grouped) fillSender(who, message, sender);
  fillContent(words, message, isMoved);
  time.setAttribute("href", conversationHash(conversationOf(message), message.id));
  time.dataset.at = String(message.timestamp);
  time.textContent = context.isFound ? formatShortTime(message.timestamp) : formatTime(message.timestamp);
  if (isStarred) {
    const star = /** @type {HTMLElement} */ (act.children[2]);
    star.setAttribute("aria-pressed", "true");
    star.setAttribute("aria-label", t("row.unstar"));
    star.title = t("row.unstar");
  }
  return element;
}

/** Fill in the sender.
 * @param {HTMLElement} who
 * @param {Message} message
 * @param {string} sender */
function fillSender(who, message, sender) {
  const id = /** @type {HTMLElement} */ (who.firstElementChild);
  const name = /** @type {HTMLElement} */ (id.firstElementChild);
  name.dataset.person = String(message.sender_id);
  /** @type {HTMLElement} */ (name.firstElementChild).textContent = sender;
  name.classList.toggle("long", sender.length > SURELY_SHORT);
  const mark = senderTag(message);
  if (mark) id.append(mark);
  who.prepend(avatar(message.sender_id));
}

/** Give a time its full date as a tooltip when the pointer is over it.
 * @param {Event} event */
export function showFullTime({ target }) {
  const time = target instanceof Element ? target.closest("[data-at]") : null;
  if (time instanceof HTMLElement && !time.title) time.title = formatFullTime(Number(time.dataset.at));
}

/** @param {HTMLElement} element
 * @param {Message} message
 * @param {boolean} isMoved */
function fillContent(element, message, isMoved) {
  if (!fillText(element, message, isMoved)) return;
  if (message.reactions.length) element.append(reactionList(message));
  if (isEditKept(message.id)) element.append(keptEditLine());
}

/** Fill in what a message says, or what stands in its place.
 * @param {HTMLElement} element
 * @param {Message} message
 * @param {boolean} isMoved
 * @returns {boolean} whether its text is shown */
export function fillText(element, message, isMoved) {
  if (isMuted(message.sender_id) && !revealed.has(message.id)) {
    element.append(
      h("button", { class: "b bare covered", type: "button", "data-do": "uncover" }, t("talk.muted-person")),
    );
    return false;
  }
  if (collapsed.has(message.id)) {
    element.append(h("button", { class: "b bare covered", type: "button", "data-do": "collapse" }, t("row.folded")));
    return false;
  }
  const form = editForm(message.id);
  if (form) {
    element.append(form);
    return false;
  }
  if (message.submessages.length) element.append(widgetSlot(message));
  else element.append(enhance(message.match_content ?? message.content));
  if (message.content.includes("codehilite")) clipCode(element, message.id);
  if (message.is_me_message) showAsAction(element, senderName(message));
  const changed = editedMark(message, isMoved);
  if (changed) (lastParagraph(element) ?? element).append(changed);
  return true;
}

/** A message that begins with `/me` says what its sender does.
 * @param {HTMLElement} element
 * @param {string} sender */
function showAsAction(element, sender) {
  const first = element.querySelector("p")?.firstChild;
  if (!first?.nodeValue?.startsWith("/me ")) return;
  first.nodeValue = first.nodeValue.slice(3);
  first.before(h("bdi", {}, sender));
  element.classList.add("does");
}

/** The line of an edit that was left without saving. */
function keptEditLine() {
  return h(
    "div",
    { class: "send-state kept" },
    icon("draft", "s"),
    h("span", {}, t("row.edit-kept")),
    ...["edit", "discard-edit"].map((name) => h("button", { type: "button", "data-do": name }, t(`row.${name}`))),
  );
}

/** The four buttons of a row; the last one opens the menu with all others. */
function rowToolbar() {
  return h(
    "div",
    { class: "act", role: "toolbar", "aria-label": t("row.actions") },
    ...["react", "quote", "star", "more"].map((action) =>
      h("button", {
        class: `ib tool ${action}`,
        type: "button",
        tabindex: -1,
        "data-do": action,
        "aria-label": t(`row.${action}`),
        title: t(`row.${action}`),
        "aria-pressed": action === "star" && "false",
        "aria-haspopup": action === "more" && "menu",
      }),
    ),
  );
}

/** The reactions of a message, with the names of the people.
 * @param {Message} message */
export function reactionList(message) {
  /** @type {Map<string, import("../state/messages.js").Reaction[]>} */
  const kinds = new Map();
  for (const reaction of message.reactions) {
    const key = `${reaction.reaction_type},${reaction.emoji_code}`;
    kinds.set(key, [...(kinds.get(key) ?? []), reaction]);
  }
  const list = h("ul", { class: "reacts", "aria-label": t("row.reactions") });
  const shown = [...kinds.values()].slice(0, isExpanded(message.id, "reactions") ? kinds.size : MAX_REACTIONS);
  for (const given of shown) list.append(h("li", {}, reactionButton(given)));
  if (kinds.size > MAX_REACTIONS)
    list.append(h("li", {}, expandButton(message.id, "reactions", "row.show-reactions", kinds.size)));
  const add = h(
    "button",
    {
      class: "re add",
      type: "button",
      "data-do": "react",
      "aria-label": t("row.add-reaction"),
      title: t("row.add-reaction"),
    },
    icon("smile", "s"),
  );
  list.append(h("li", {}, add));
  return list;
}

/** @param {import("../state/messages.js").Reaction[]} given */
function reactionButton(given) {
  const [{ emoji_name, emoji_code, reaction_type }] = given;
  const mine = given.some((reaction) => reaction.user_id === myId());
  const names = given.map((reaction) => (reaction.user_id === myId() ? t("people.you") : nameOf(reaction.user_id)));
  return h(
    "button",
    {
      class: "re",
      type: "button",
      "aria-pressed": String(mine),
      "data-do": "toggle-reaction",
      "data-name": emoji_name,
      "data-code": emoji_code,
      "data-kind": reaction_type,
      "aria-label": t("row.reaction", { name: emoji_name.replaceAll("_", " "), count: given.length }),
      title: `${names.join(", ")} · :${emoji_name}:`,
    },
    emojiNode(emoji_name, emoji_code, reaction_type),
    h("b", {}, given.length),
  );
}

/** An emoji of any kind as a node.
 * @param {string} name
 * @param {string} code
 * @param {string} kind
 * @returns {Node} */
export function emojiNode(name, code, kind) {
  if (kind === "unicode_emoji") return document.createTextNode(glyph(code) || `:${name}:`);
  const own = state.realm_emoji?.[code];
  const address = kind.endsWith("_extra_emoji")
    ? "/static/generated/emoji/images/emoji/unicode/zulip.png"
    : own?.source_url;
  return address ? h("img", { class: "emoji", src: address, alt: `:${name}:` }) : document.createTextNode(`:${name}:`);
}

/** @type {HTMLElement | undefined} cloned for each bar */
let barTemplate;

/** The line that names the conversation, in views of several.
 * @param {Message} message */
function conversationBar(message) {
  const conversation = conversationOf(message);
  const isChannel = isInChannel(conversation);
  barTemplate ??= h(
    "div",
    { class: "place", "aria-hidden": "true" },
    h(
      "div",
      { class: "place-in" },
      h("a", { class: "in", tabindex: -1 }, h("bdi")),
      h("a", { class: "t cut", tabindex: -1 }, h("bdi")),
    ),
  );
  const made = /** @type {HTMLElement} */ (barTemplate.cloneNode(true));
  const inner = /** @type {HTMLElement} */ (made.firstElementChild);
  const [name, title] = inner.children;
  if (isChannel) name.setAttribute("href", channelHash(conversation.channel));
  title.setAttribute("href", conversationHash(conversation));
  /** @type {Element} */ (name.firstElementChild).textContent = isChannel
    ? channelName(conversation.channel)
    : t("view.dm");
  /** @type {Element} */ (title.firstElementChild).textContent = titleOf(conversation);
  inner.prepend(isChannel ? channelDot(conversation.channel) : icon("chat", "s"));
  if (isChannel && isResolved(conversation.topic)) inner.append(icon("check", "s"));
  return made;
}

/** The same for screen readers.
 * @param {Message} message */
function conversationLabel(message) {
  const conversation = conversationOf(message);
  if (!isInChannel(conversation)) return `${t("view.dm")}, ${titleOf(conversation)}`;
  return isResolved(conversation.topic) ? `${fullTitle(conversation)}, ${t("talk.resolved")}` : fullTitle(conversation);
}

/** @param {Message} message
 * @param {Message | undefined} above
 * @param {RowContext} context */
function isGrouped(message, above, context) {
  return (
    above !== undefined &&
    !context.isFound &&
    above.sender_id === message.sender_id &&
    context.newFrom !== message.id &&
    senderName(above) === senderName(message) &&
    agentOf(above) === agentOf(message) &&
    message.timestamp - above.timestamp < GROUPED_SECONDS &&
    dayKey(above.timestamp) === dayKey(message.timestamp) &&
    (!context.isMixed || keyOf(conversationOf(above)) === keyOf(conversationOf(message)))
  );
}

/** @param {Message} message */
function isMention(message) {
  return (
    message.flags.includes("mentioned") ||
    message.flags.includes("wildcard_mentioned") ||
    message.flags.includes("topic_wildcard_mentioned") ||
    message.flags.includes("stream_wildcard_mentioned")
  );
}

/** @param {Message} message */
function senderName(message) {
  return getPerson(message.sender_id).full_name || message.sender_full_name;
}

/** @param {Message} message */
function senderTag(message) {
  const person = getPerson(message.sender_id);
  if (agentOf(message)) return h("span", { class: "tag" }, t("row.via", { name: agentOf(message) }));
  if (person.is_bot) return h("span", { class: "tag" }, t("people.bot"));
  return (
    person.is_guest &&
    state.realm_enable_guest_user_indicator !== false &&
    h("span", { class: "tag" }, t("people.guest"))
  );
}

/** The program that sent the message in the name of its sender.
 * @param {Message} message */
function agentOf(message) {
  return /^agent \d+: (.+)/.exec(message.client)?.[1] ?? "";
}

/** @param {Message} message
 * @param {string} sender */
function messageLabel(message, sender) {
  const parts = [sender, formatTime(message.timestamp)];
  if (message.last_edit_timestamp) parts.push(t("row.edited"));
  if (message.flags.includes("starred")) parts.push(t("row.starred"));
  return parts.join(", ");
}

/** Whether a message was moved by itself or is the first of those that were moved with it: after a topic was renamed,
 * its other messages do not say so again.
 * @param {Message} message
 * @param {Message | undefined} above */
function isMovedHere(message, above) {
  if (message.last_moved_timestamp === undefined) return false;
  return (
    !above ||
    above.last_moved_timestamp !== message.last_moved_timestamp ||
    keyOf(conversationOf(above)) !== keyOf(conversationOf(message))
  );
}

/** @param {Message} message
 * @param {boolean} isMoved */
function editedMark(message, isMoved) {
  const at = message.last_edit_timestamp ?? (isMoved && message.last_moved_timestamp);
  if (!at) return null;
  const word = message.last_edit_timestamp ? "row.edited" : "row.moved";
  return h("button", { class: "edited", type: "button", tabindex: -1, "data-do": "history", "data-at": at }, t(word));
}

/** @param {Element} element */
function lastParagraph(element) {
  const last = element.lastElementChild;
  return last?.tagName === "P" ? last : null;
}
