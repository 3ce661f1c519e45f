/** When the status of the account ends. The server stores no end: the page that is open then clears the status, or the
 * next one that is opened in this browser. */

import { post } from "../core/api.js";
import { accountValue, setAccountValue } from "../core/account_values.js";
import { myId, state } from "./session.js";

const STATUS_END = "status-end"; // of the account values: when, and of which status
const CHECK_MS = 30_000;

/** @returns {number | undefined} in milliseconds; undefined if the status has no end, or was changed elsewhere */
export function statusEnd() {
  const stored = accountValue(STATUS_END);
  const status = state.user_status?.[myId()];
  return stored && stored.text === (status?.status_text ?? "") && stored.emoji === (status?.emoji_name ?? "") ? stored.at : undefined;
}

/** @param {{at: number, text: string, emoji: string} | undefined} end */
export function setStatusEnd(end) {
  setAccountValue(STATUS_END, end);
}

/** Clear the status when it ends. */
export function startStatusEnd() {
  clearEndedStatus();
  setInterval(clearEndedStatus, CHECK_MS);
}

/** @param {number} [now] */
export async function clearEndedStatus(now = Date.now()) {
  const end = statusEnd();
  if (!end || end > now) return;
  await post("/users/me/status", { status_text: "", emoji_name: "", emoji_code: "", reaction_type: "" }).then(() => setStatusEnd(undefined), () => {});
}
