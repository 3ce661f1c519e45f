/** The recent conversations, with their participants. */

import { get } from "../core/api.js";
import { conversationOf, isInChannel, keyOf, titleOf } from "../state/conversations.js";
import { channelName } from "../state/channels.js";
import { setChildren, h } from "../core/html.js";
import { conversationRow } from "./conversation_rows.js";
import { keepFocus, setKeyedChildren } from "./keyed_children.js";
import { messagesQuery } from "../state/message_lists.js";
import { isSpectator, myId } from "../state/session.js";
import { cachedMessages, storeMessage } from "../state/messages.js";
import { nextFrame } from "../core/signals.js";
import { emptyState, failedState, resetBody, resetFooter, setHeader, actionLink } from "./layout.js";
import { isTopicMuted } from "../state/topics.js";
import { unreadCount } from "../state/unread.js";
import { t } from "../core/i18n.js";

/** @typedef {{conversation: import("../state/conversations.js").Conversation, newest: number, senders: number[]}}
 *   Recent */

const FETCH_SIZE = 400;
const FILTERS = ["all", "unread", "mine", "direct"];

let recentFilter = "all";
let filterText = "";
let isFetched = false;

/** @param {import("../state/routes.js").Route} _route
 * @param {import("../core/scope.js").Scope} scope
 * @returns {Promise<import("../core/router.js").View>} */
export async function showRecent(_route, scope) {
  setHeader({ title: t("view.recent"), isHome: true });
  const rows = h("ul", { class: "plain" });
  const chips = h("div", { class: "sub" });
  resetBody(h("div", { class: "list" }, chips, rows));
  resetFooter();
  const load = () => (isFetched ? undefined : fetchRecent().catch(() => {}));
  const retry = async () => {
    await load();
    draw();
  };
  const draw = () => {
    if (isFetched || cachedMessages().length) drawRecent(rows, chips, draw);
    else setKeyedChildren(rows, [{ key: "failed", build: () => h("li", {}, failedState(t("talk.no-answer"), retry)) }]);
  };
  await retry();
  scope.on(
    [
      "messageArrived",
      "unread",
      "people",
      "channels",
      "topics",
      "messagesMoved",
      "messagesDeleted",
      "messageChanged",
      "reset",
    ],
    nextFrame(draw),
  );
  scope.on("connection", (state) => {
    if (state === "live" && !isFetched) retry();
  });
  return { focus: () => /** @type {HTMLElement | null} */ (rows.querySelector("a"))?.focus() };
}

/** @param {HTMLElement} rows
 * @param {HTMLElement} chips
 * @param {() => void} again */
function drawRecent(rows, chips, again) {
  if (!chips.childElementCount) {
    const field = h("input", {
      class: "f slim",
      type: "text",
      "aria-label": t("filter.title"),
      placeholder: t("filter.title"),
      value: filterText,
    });
    field.addEventListener("input", () => {
      filterText = field.value;
      again();
    });
    const buttons = (isSpectator() ? [] : FILTERS).map((each) =>
      h(
        "button",
        {
          class: "chip",
          type: "button",
          "data-choice": each,
          onclick: () => {
            recentFilter = each;
            again();
          },
        },
        t(`recent.${each}`),
      ),
    );
    setChildren(chips, ...buttons, h("span", { class: "end" }), field);
  }
  for (const chip of chips.querySelectorAll(".chip"))
    chip.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (chip).dataset.choice === recentFilter));
  const found = groupByConversation(cachedMessages()).filter(matchesFilter);
  const nothing = {
    key: "nothing",
    build: () =>
      h("li", {}, emptyState(t("recent.empty"), t("recent.empty-text"), actionLink("#feed", t("view.feed")))),
  };
  keepFocus(rows, () =>
    setKeyedChildren(rows, found.length ? found.map((each) => conversationRow(each.conversation, each)) : [nothing]),
  );
}

/** The conversations of messages, the newest first, with their senders.
 * @param {import("../state/messages.js").Message[]} messages oldest first
 * @returns {Recent[]} */
export function groupByConversation(messages) {
  /** @type {Map<string, Recent>} */
  const found = new Map();
  for (const message of [...messages].reverse()) {
    const conversation = conversationOf(message);
    const key = keyOf(conversation);
    const entry = found.get(key);
    if (!entry) found.set(key, { conversation, newest: message.id, senders: [message.sender_id] });
    else if (!entry.senders.includes(message.sender_id)) entry.senders.push(message.sender_id);
  }
  return [...found.values()];
}

/** @param {Recent} recent */
function matchesFilter({ conversation, senders }) {
  const text = isInChannel(conversation)
    ? `${channelName(conversation.channel)} ${titleOf(conversation)}`
    : titleOf(conversation);
  if (filterText && !text.toLowerCase().includes(filterText.toLowerCase())) return false;
  if (recentFilter === "unread") return unreadCount(conversation) > 0;
  if (recentFilter === "mine") return senders.includes(myId());
  if (recentFilter === "direct") return !isInChannel(conversation);
  return !isInChannel(conversation) || !isTopicMuted(conversation.channel, conversation.topic);
}

async function fetchRecent() {
  const response = await get("/messages", messagesQuery([], "newest", FETCH_SIZE, 0));
  for (const message of response.messages) storeMessage(message);
  isFetched = true;
}
