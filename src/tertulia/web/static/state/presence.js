/** Who is here: told by the server now and then, and forgotten as time goes by. */

import { get, post, ApiError, NetworkError } from "../core/api.js";
import { isSpectator, state, myId, setting } from "./session.js";
import { getPerson } from "./people.js";
import { emit } from "../core/signals.js";

/** @typedef {{active: number, idle: number}} Seen seconds since the epoch */

/** @type {Map<number, Seen>} */
const seen = new Map();
let lastUpdate = -1;
let lastActivity = 0; // when the person last did something in this browser

/** @param {Record<string, any>} snapshot a register answer */
export function initPresence(snapshot) {
  seen.clear();
  lastUpdate = snapshot.presence_last_update_id ?? -1;
  mergePresence(snapshot.presences ?? {});
}

/** @param {Record<string, any>} presences by user id, in the short form */
export function mergePresence(presences) {
  for (const [id, presence] of Object.entries(presences)) {
    seen.set(Number(id), { active: presence.active_timestamp ?? 0, idle: presence.idle_timestamp ?? 0 });
  }
}

/** @param {number} id
 * @param {number} [now] in seconds
 * @returns {"here" | "away" | "gone"} */
export function presenceOf(id, now = Date.now() / 1000) {
  if (id === myId()) return "here";
  const person = seen.get(id);
  const threshold = state.server_presence_offline_threshold_seconds ?? 200;
  if (!person || getPerson(id).is_bot) return "gone";
  if (now - person.active < threshold) return "here";
  return now - Math.max(person.idle, person.active) < threshold ? "away" : "gone";
}

/** The person has moved, typed or clicked. */
export function recordActivity() {
  lastActivity = Date.now();
}

/** Tell the server that we are here, and hear who else is. Only one tab of a browser does.
 * @param {() => boolean} isLeading
 * @param {() => boolean | undefined} isIdle what the desktop app knows of the whole computer */
export function startPresence(isLeading, isIdle) {
  const interval = 1000 * (state.server_presence_ping_interval_seconds ?? 60);
  const ping = async () => {
    if (isSpectator() || !isLeading() || state.realm_presence_disabled) return;
    const isActive = isIdle() === undefined ? Date.now() - lastActivity < 5 * interval : !isIdle();
    try {
      const response = await post("/users/me/presence", {
        status: isActive && setting("presence_enabled") !== false ? "active" : "idle",
        new_user_input: Date.now() - lastActivity < interval,
        ping_only: false,
        slim_presence: true,
        last_update_id: lastUpdate,
        history_limit_days: 14,
      });
      lastUpdate = response.presence_last_update_id ?? lastUpdate;
      mergePresence(response.presences ?? {});
      emit("presence");
    } catch (error) {
      if (!(error instanceof NetworkError || error instanceof ApiError)) throw error;
    }
  };
  setInterval(ping, interval);
  setTimeout(ping, 3000);
  setInterval(() => emit("presence"), 60_000);
}
