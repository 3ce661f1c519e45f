/** Tells the others that one is writing, as often as the server wants to hear it. */

import { post } from "../core/api.js";
import { isInChannel, keyOf } from "../state/conversations.js";
import { known, setting } from "../state/session.js";

/** @typedef {import("../state/conversations.js").Conversation} Conversation */

export class TypingNotice {
  #where;
  /** @type {Conversation | null} where we have said that we write */
  #told = null;
  #toldAt = 0;
  #stopping = 0;

  /** @param {() => Conversation} where */
  constructor(where) {
    this.#where = where;
  }

  /** @param {string} text that stands in the box now */
  write(text) {
    if (!text.trim()) return this.stop();
    const where = this.#where();
    if (this.#told && keyOf(this.#told) !== keyOf(where)) this.stop();
    clearTimeout(this.#stopping);
    this.#stopping = window.setTimeout(() => this.stop(), known.server_typing_stopped_wait_period_milliseconds ?? 5000);
    const again = known.server_typing_started_wait_period_milliseconds ?? 10_000;
    if (this.#told && Date.now() - this.#toldAt < again) return;
    this.#told = where;
    this.#toldAt = Date.now();
    tellTyping("start", where);
  }

  stop() {
    clearTimeout(this.#stopping);
    if (this.#told) tellTyping("stop", this.#told);
    this.#told = null;
  }
}

/** @param {"start" | "stop"} op
 * @param {Conversation} where */
function tellTyping(op, where) {
  const isChannel = isInChannel(where);
  if (!setting(isChannel ? "send_stream_typing_notifications" : "send_private_typing_notifications")) return;
  const to = isChannel ? { type: "channel", stream_id: where.channel, topic: where.topic } : { type: "direct", to: where.people };
  post("/typing", { op, ...to }).catch(() => {});
}
