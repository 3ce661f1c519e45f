/** The conversations and channels that the person has opened or written in lately, newest first. They are kept in
 * this browser, for the switcher. */

import { storeForBrowser } from "../core/account_data.js";
import { accountValue, setAccountValue } from "../core/account_values.js";
import { on } from "../core/signals.js";
import { conversationOf, isInChannel, keyOf, topicKey } from "./conversations.js";
import { myId } from "./session.js";

/** @typedef {{channel: number, topic?: string} | {people: number[]}} VisitTarget a conversation, or a channel without a
 *   topic */
/** @typedef {{target: VisitTarget, at: number}} Visit `at` in seconds */

const VISITS = "visits"; // of the account values
const MAX_VISITS = 40;

/** Record the routes that are shown from now on.
 * @param {import("./routes.js").Route | null} route the present one */
export function startVisits(route) {
  if (route) recordRoute(route);
  on("route", recordRoute);
  on("messageArrived", (message) => {
    if (message.sender_id === myId()) recordVisit(conversationOf(message));
  });
  on("topicMoved", (event) => {
    if (event.propagate_mode === "change_one") return;
    const from = topicKey(event.stream_id, event.orig_subject ?? event.subject ?? "");
    const to = { channel: event.new_stream_id ?? event.stream_id, topic: event.subject ?? event.orig_subject ?? "" };
    setAccountValue(
      VISITS,
      allVisits().map((visit) => (targetKey(visit.target) === from ? { ...visit, target: to } : visit)),
    );
  });
}

/** @returns {Visit[]} newest first */
export function allVisits() {
  return accountValue(VISITS) ?? [];
}

/** @param {VisitTarget} target
 * @param {number} [at] */
export function recordVisit(target, at = Math.floor(Date.now() / 1000)) {
  const key = targetKey(target);
  setAccountValue(
    VISITS,
    [{ target, at }, ...allVisits().filter((visit) => targetKey(visit.target) !== key)].slice(0, MAX_VISITS),
  );
}

/** The key of a conversation, or of a channel.
 * @param {VisitTarget} target */
export function targetKey(target) {
  if ("channel" in target && target.topic === undefined) return `c${target.channel}`;
  return keyOf(/** @type {import("./conversations.js").Conversation} */ (target));
}

/** @param {import("./routes.js").Route} route */
function recordRoute({ conversation, channel, hash }) {
  if (conversation) storeForBrowser("tertulia-last", hash); // for preload.js
  if (conversation)
    recordVisit(
      isInChannel(conversation) ? { channel: conversation.channel, topic: conversation.topic } : conversation,
    );
  else if (channel) recordVisit({ channel });
}
