/** Which messages the user may delete, as far as the page knows. The server decides. */

import { people } from "./people.js";
import { myId, state } from "./session.js";

/** Answers that this user has asked for and that were stopped. @type {Set<number>} */
const stoppedAnswers = new Set();

/** @param {number} messageId */
export function addStoppedAnswer(messageId) {
  stoppedAnswers.add(messageId);
}

/** @param {import("./messages.js").Message} message */
export function mayDelete({ id, sender_id: senderId }) {
  return (
    senderId === myId() || state.is_admin || people.get(senderId)?.bot_owner_id === myId() || stoppedAnswers.has(id)
  );
}
