/** Recent conversations: a table of what was talked about last, and who took part. */

import { get } from "../core/api.js";
import { conversationOf, isInChannel, keyOf, titleOf } from "../state/conversations.js";
import { channelName } from "../state/channels.js";
import { fill, h } from "../core/html.js";
import { conversationRow } from "./conversation_rows.js";
import { messagesAsked } from "../state/message_lists.js";
import { isSpectator, myId } from "../state/session.js";
import { heldMessages, takeMessage } from "../state/messages.js";
import { on, soon } from "../core/signals.js";
import { emptiness, freshBody, freshFoot, setHead, wayOn } from "./layout.js";
import { isTopicMuted } from "../state/topics.js";
import { countIn } from "../state/unread.js";
import { say } from "../core/i18n.js";

/** @typedef {{conversation: import("../state/conversations.js").Conversation, newest: number, senders: number[]}} Recent */

const LOOKED_BACK = 400;
const CHOICES = ["all", "unread", "mine", "direct"];

let recentChoice = "all";
let filter = "";
let hasLooked = false;

/** @returns {Promise<import("./message_view.js").View>} */
export async function showRecent() {
  setHead({ title: say("view.recent"), isHome: true });
  const rows = h("ul", { class: "plain" });
  const chips = h("div", { class: "sub" });
  freshBody(h("div", { class: "list" }, chips, rows));
  freshFoot();
  const draw = () => drawRecent(rows, chips, draw);
  if (!hasLooked) {
    await lookBack().catch(() => {});
  }
  draw();
  const redraw = soon(draw);
  const stop = on("arrived unread people channels topics moved gone message replaced", redraw);
  return { close: stop, focus: () => /** @type {HTMLElement | null} */ (rows.querySelector("a"))?.focus() };
}

/** @param {HTMLElement} rows
 * @param {HTMLElement} chips
 * @param {() => void} again */
function drawRecent(rows, chips, again) {
  if (!chips.childElementCount) {
    const field = h("input", { class: "f slim", type: "text", "aria-label": say("recent.filter"), placeholder: say("recent.filter"), value: filter });
    field.addEventListener("input", () => {
      filter = field.value;
      again();
    });
    const buttons = (isSpectator() ? [] : CHOICES).map((each) => h("button", { class: "chip", type: "button", "data-choice": each, onclick: () => { recentChoice = each; again(); } }, say(`recent.${each}`)));
    fill(chips, ...buttons, h("span", { class: "end" }), field);
  }
  for (const chip of chips.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (chip).dataset.choice === recentChoice));
  const found = conversationsAmong(heldMessages()).filter(isWanted);
  const focused = rows.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.key : undefined;
  fill(rows, ...found.map((each) => conversationRow(each.conversation, each)));
  if (!found.length) fill(rows, h("li", {}, emptiness(say("recent.empty"), say("recent.empty-text"), wayOn("#feed", say("view.feed")))));
  if (focused) /** @type {HTMLElement | null} */ (rows.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
}

/** Conversations in messages, the newest first, with those who wrote last.
 * @param {import("../state/messages.js").Message[]} messages oldest first
 * @returns {Recent[]} */
export function conversationsAmong(messages) {
  /** @type {Map<string, Recent>} */
  const found = new Map();
  for (const message of [...messages].reverse()) {
    const conversation = conversationOf(message);
    const key = keyOf(conversation);
    const known = found.get(key);
    if (!known) found.set(key, { conversation, newest: message.id, senders: [message.sender_id] });
    else if (!known.senders.includes(message.sender_id)) known.senders.push(message.sender_id);
  }
  return [...found.values()];
}

/** @param {Recent} recent */
function isWanted({ conversation, senders }) {
  const text = isInChannel(conversation) ? `${channelName(conversation.channel)} ${titleOf(conversation)}` : titleOf(conversation);
  if (filter && !text.toLowerCase().includes(filter.toLowerCase())) return false;
  if (recentChoice === "unread") return countIn(conversation) > 0;
  if (recentChoice === "mine") return senders.includes(myId());
  if (recentChoice === "direct") return !isInChannel(conversation);
  return !isInChannel(conversation) || !isTopicMuted(conversation.channel, conversation.topic);
}

async function lookBack() {
  const answer = await get("/messages", messagesAsked([], "newest", LOOKED_BACK, 0));
  for (const message of answer.messages) takeMessage(message);
  hasLooked = true;
}
