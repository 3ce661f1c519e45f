/** Tells the server that the person is typing, as often as the server asks for it. */

import { post } from "../core/api.js";
import { isInChannel, keyOf } from "../state/conversations.js";
import { state, setting } from "../state/session.js";

/** @typedef {import("../state/conversations.js").Conversation} Conversation */

export class TypingNotice {
  #where;
  /** @type {Conversation | null} the conversation of the last "start" notice */
  #announced = null;
  #announcedAt = 0;
  #stopTimer = 0;

  /** @param {() => Conversation} where */
  constructor(where) {
    this.#where = where;
  }

  /** @param {string} text of the compose box */
  update(text) {
    if (!text.trim()) return this.stop();
    const where = this.#where();
    if (this.#announced && keyOf(this.#announced) !== keyOf(where)) this.stop();
    clearTimeout(this.#stopTimer);
    this.#stopTimer = window.setTimeout(
      () => this.stop(),
      state.server_typing_stopped_wait_period_milliseconds ?? 5000,
    );
    const interval = state.server_typing_started_wait_period_milliseconds ?? 10_000;
    if (this.#announced && Date.now() - this.#announcedAt < interval) return;
    this.#announced = where;
    this.#announcedAt = Date.now();
    sendTyping("start", where);
  }

  stop() {
    clearTimeout(this.#stopTimer);
    if (this.#announced) sendTyping("stop", this.#announced);
    this.#announced = null;
  }
}

/** @param {"start" | "stop"} op
 * @param {Conversation} where */
function sendTyping(op, where) {
  const isChannel = isInChannel(where);
  if (!setting(isChannel ? "send_stream_typing_notifications" : "send_private_typing_notifications")) return;
  const to = isChannel
    ? { type: "channel", stream_id: where.channel, topic: where.topic }
    : { type: "direct", to: where.people };
  post("/typing", { op, ...to }).catch(() => {});
}
