/** Reports to the server that this person is active or idle, and fetches the presence of the others. */

import { ApiError, NetworkError, post } from "../core/api.js";
import { emit } from "../core/signals.js";
import { mergePresence, presenceUpdateId } from "../state/presence.js";
import { isSpectator, setting, state } from "../state/session.js";

const FIRST_PING_MS = 3000;
const REDRAW_INTERVAL_MS = 60_000; // presence also changes by time passing
const HISTORY_DAYS = 14;

let lastActivity = 0; // in this browser, in milliseconds

/** The person has moved, typed or clicked. */
export function recordActivity() {
  lastActivity = Date.now();
}

/** Start the pings. Only the leader tab of a browser sends them.
 * @param {() => boolean} isLeader
 * @param {() => boolean | undefined} isIdle what the desktop app knows about the whole computer */
export function startPresence(isLeader, isIdle) {
  const interval = 1000 * (state.server_presence_ping_interval_seconds ?? 60);
  const ping = async () => {
    if (isSpectator() || !isLeader() || state.realm_presence_disabled) return;
    const isActive = isIdle() === undefined ? Date.now() - lastActivity < 5 * interval : !isIdle();
    try {
      const response = await post("/users/me/presence", {
        status: isActive && setting("presence_enabled") !== false ? "active" : "idle",
        new_user_input: Date.now() - lastActivity < interval,
        ping_only: false,
        slim_presence: true,
        last_update_id: presenceUpdateId(),
        history_limit_days: HISTORY_DAYS,
      });
      const presences = /** @type {import("../state/presence.js").Presences} */ (response.presences ?? {});
      mergePresence(presences, response.presence_last_update_id);
      emit("presence");
    } catch (error) {
      if (!(error instanceof NetworkError || error instanceof ApiError)) throw error;
    }
  };
  setInterval(ping, interval);
  setTimeout(ping, FIRST_PING_MS);
  setInterval(() => emit("presence"), REDRAW_INTERVAL_MS);
}
