/** When each person was last active or idle, as the server reports it. */

import { getPerson } from "./people.js";
import { myId, state } from "./session.js";

/** @typedef {{active: number, idle: number}} LastSeen seconds since the epoch */
/** @typedef {Record<string, {active_timestamp?: number, idle_timestamp?: number}>} Presences by user id, in the slim
 *   format */

/** @type {Map<number, LastSeen>} */
const lastSeen = new Map();
let updateId = -1;

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initPresence(snapshot) {
  lastSeen.clear();
  updateId = snapshot.presence_last_update_id ?? -1;
  mergePresence(snapshot.presences ?? {});
}

/** @param {Presences} presences
 * @param {number} [update] the server's id of this update */
export function mergePresence(presences, update = updateId) {
  updateId = update;
  for (const [id, presence] of Object.entries(presences)) {
    lastSeen.set(Number(id), { active: presence.active_timestamp ?? 0, idle: presence.idle_timestamp ?? 0 });
  }
}

/** The server's id of the last update, to ask for newer ones only. */
export function presenceUpdateId() {
  return updateId;
}

/** When a person was last active or idle.
 * @param {number} id
 * @returns {number} in seconds, 0 if it is unknown */
export function lastSeenAt(id) {
  const seen = lastSeen.get(id);
  return Math.max(seen?.active ?? 0, seen?.idle ?? 0);
}

/** @param {number} id
 * @param {number} [now] in seconds
 * @returns {"here" | "away" | "gone"} */
export function presenceOf(id, now = Date.now() / 1000) {
  if (id === myId()) return "here";
  const seen = lastSeen.get(id);
  const threshold = state.server_presence_offline_threshold_seconds ?? 200;
  if (!seen || getPerson(id).is_bot) return "gone";
  if (now - seen.active < threshold) return "here";
  return now - Math.max(seen.idle, seen.active) < threshold ? "away" : "gone";
}
