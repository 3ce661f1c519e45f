/** Who is typing in which conversation. */

import { directWith, keyOf } from "./conversations.js";
import { isMuted, shortName } from "./people.js";
import { state, myId } from "./session.js";
import { emit } from "../core/signals.js";
import { formatList, t } from "../core/i18n.js";

/** @type {Map<string, Map<number, number>>} by conversation: the person and the timer that removes the entry */
const typists = new Map();

/** @param {import("../core/api_types.d.ts").ServerEvents["typing"]} event */
export function applyTypingEvent(event) {
  const id = event.sender.user_id;
  if (id === myId() || isMuted(id)) return;
  const conversation =
    event.message_type === "stream"
      ? { channel: event.stream_id ?? 0, topic: event.topic ?? "" }
      : directWith((event.recipients ?? []).map((each) => each.user_id));
  const key = keyOf(conversation);
  clearTyping(key, id);
  if (event.op === "start") {
    const here = typists.get(key) ?? new Map();
    here.set(
      id,
      window.setTimeout(() => {
        clearTyping(key, id);
        emit("typing");
      }, state.server_typing_started_expiry_period_milliseconds ?? 45_000),
    );
    typists.set(key, here);
  }
  emit("typing");
}

/** The person has stopped typing, or has sent the message.
 * @param {string} key
 * @param {number} id */
export function clearTyping(key, id) {
  const here = typists.get(key);
  clearTimeout(here?.get(id));
  here?.delete(id);
}

/** @param {import("./conversations.js").Conversation} conversation
 * @returns {string} */
export function typingText(conversation) {
  const ids = [...(typists.get(keyOf(conversation))?.keys() ?? [])];
  if (!ids.length) return "";
  if (ids.length > 3) return t("typing.many");
  return t("typing.some", { count: ids.length, names: formatList(ids.map(shortName)) });
}
