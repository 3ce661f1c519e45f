/** Who is writing in which conversation, as far as we have heard in the last moments. */

import { directWith, keyOf } from "./conversations.js";
import { isMuted, shortName } from "./people.js";
import { known, myId } from "./session.js";
import { tell } from "../core/signals.js";
import { enumerate, say } from "../core/i18n.js";

/** @type {Map<string, Map<number, number>>} by conversation: who, and the timer that forgets them */
const writers = new Map();

/** @param {Record<string, any>} event */
export function noteTyping(event) {
  const id = event.sender.user_id;
  if (id === myId() || isMuted(id)) return;
  const conversation = event.message_type === "stream" || event.message_type === "channel"
    ? { channel: event.stream_id, topic: event.topic }
    : directWith(event.recipients.map((/** @type {{user_id: number}} */ each) => each.user_id));
  const key = keyOf(conversation);
  stopped(key, id);
  if (event.op === "start") {
    const here = writers.get(key) ?? new Map();
    here.set(id, window.setTimeout(() => { stopped(key, id); tell("typing"); }, known.server_typing_started_expiry_period_milliseconds ?? 45_000));
    writers.set(key, here);
  }
  tell("typing");
}

/** Whoever has sent their message is no longer writing it.
 * @param {string} key
 * @param {number} id */
export function stopped(key, id) {
  const here = writers.get(key);
  clearTimeout(here?.get(id));
  here?.delete(id);
}

/** @param {import("./conversations.js").Conversation} conversation
 * @returns {string} */
export function typingWords(conversation) {
  const ids = [...(writers.get(keyOf(conversation))?.keys() ?? [])];
  if (!ids.length) return "";
  if (ids.length > 3) return say("typing.many");
  return say("typing.some", { count: ids.length, names: enumerate(ids.map(shortName)) });
}
