/** Who is here: told by the server now and then, and forgotten as time goes by. */

import { get, post, Refused, Unreachable } from "../core/api.js";
import { isSpectator, known, myId, setting } from "./session.js";
import { personOf } from "./people.js";
import { tell } from "../core/signals.js";

/** @typedef {{active: number, idle: number}} Seen seconds since the epoch */

/** @type {Map<number, Seen>} */
const seen = new Map();
let lastUpdate = -1;
let lastTouch = 0; // when the person last did something in this browser

/** @param {Record<string, any>} state a register answer */
export function learnPresence(state) {
  seen.clear();
  lastUpdate = state.presence_last_update_id ?? -1;
  takeIn(state.presences ?? {});
}

/** @param {Record<string, any>} presences by user id, in the short form */
export function takeIn(presences) {
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
  const patience = known.server_presence_offline_threshold_seconds ?? 200;
  if (!person || personOf(id).is_bot) return "gone";
  if (now - person.active < patience) return "here";
  return now - Math.max(person.idle, person.active) < patience ? "away" : "gone";
}

/** The person has moved, typed or clicked. */
export function noteTouch() {
  lastTouch = Date.now();
}

/** Tell the server that we are here, and hear who else is. Only one tab of a browser does.
 * @param {() => boolean} isLeading
 * @param {() => boolean | undefined} isIdle what the desktop app knows of the whole computer */
export function keepPresence(isLeading, isIdle) {
  const interval = 1000 * (known.server_presence_ping_interval_seconds ?? 60);
  const ping = async () => {
    if (isSpectator() || !isLeading() || known.realm_presence_disabled) return;
    const isActive = isIdle() === undefined ? Date.now() - lastTouch < 5 * interval : !isIdle();
    try {
      const answer = await post("/users/me/presence", {
        status: isActive && setting("presence_enabled") !== false ? "active" : "idle",
        new_user_input: Date.now() - lastTouch < interval,
        ping_only: false,
        slim_presence: true,
        last_update_id: lastUpdate,
        history_limit_days: 14,
      });
      lastUpdate = answer.presence_last_update_id ?? lastUpdate;
      takeIn(answer.presences ?? {});
      tell("presence");
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof Refused)) throw error;
    }
  };
  setInterval(ping, interval);
  setTimeout(ping, 3000);
  setInterval(() => tell("presence"), 60_000);
}
