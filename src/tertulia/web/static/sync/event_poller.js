/** Living with the server: one poll after the other, and what happens when there is no answer.
 *
 * Queues survive restarts of the server, so the same one goes on. Ids of events are the same for all
 * queues, so that a tab can take over another's and knows what it has heard already. */

import { get, post, ApiError, remove, NetworkError } from "../core/api.js";
import { setConnection } from "../views/connection.js";
import { applyEvent } from "./reducers.js";
import { isSpectator, state, myId } from "../state/session.js";
import { TabLeader } from "./tab_leader.js";

const RECONNECT_NOTICE_MS = 5000; // before the page says that it reconnects
const MAX_PAUSE_MS = 30_000;
const RESTART_PAUSE_MS = 500; // in which a server that stops has stopped

/** What we ask for at the start; the server puts the answer into the page. */
export const REGISTER = {
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  include_subscribers: "false",
  idle_queue_timeout: 43_200,
  client_capabilities: {
    notification_settings_null: true, bulk_message_deletion: true, user_avatar_url_field_optional: false,
    stream_typing_notifications: true, user_settings_object: true, linkifier_url_template: true, user_list_incomplete: true,
    include_deactivated_groups: true, archived_channels: true, empty_topic_name: true, simplified_presence_events: true,
  },
};

/** The last event that has been taken in. */
let position = -1;
let queue = "";
let failures = 0;
/** Whether the last poll was answered with nothing: so a server answers that is about to stop. */
let wasEmpty = false;
/** @type {AbortController | null} */
let polling = null;
/** @type {(() => void) | null} */
let wake = null;
/** @type {TabLeader | null} */
let tabs = null;

/** @param {(state: Record<string, any>) => void} resetStores learn everything anew */
export function startEvents(resetStores) {
  if (isSpectator()) return setConnection("live");
  position = state.position ?? -1;
  queue = state.queue_id;
  tabs = new TabLeader(`tertulia-${myId()}`, {
    hear(events, there) {
      applyEvents(events);
      if (there.queue && there.queue !== queue) {
        remove("/events", { queue_id: queue }).catch(() => {}); // ours will not be needed
        queue = there.queue;
      }
    },
    restart: () => refreshState(resetStores),
    since: () => position,
    connection: (state) => setConnection(/** @type {any} */ (state)),
  });
  for (const kind of ["online", "focus"]) addEventListener(kind, pollNow);
  addEventListener("offline", () => setConnection("offline"));
  document.addEventListener("visibilitychange", () => { if (!document.hidden) pollNow(); });
  abortAfterSleep();
  setConnection("live");
  return run(resetStores);
}

export function isLeaderTab() {
  return tabs?.isLeader ?? true;
}

/** Poll at once, if we are waiting to. */
export function pollNow() {
  wake?.();
}

/** @param {(state: Record<string, any>) => void} resetStores */
async function run(resetStores) {
  const own = queue;
  await tabs?.becomeLeader();
  deleteOldQueues(own);
  for (;;) {
    try {
      await poll();
    } catch (error) {
      if (!(await recover(error, resetStores))) return;
    }
  }
}

async function poll() {
  polling = new AbortController();
  const isBack = failures > 0 || wasEmpty;
  const response = await get("/events", { queue_id: queue, last_event_id: position, dont_block: isBack }, polling.signal);
  failures = 0;
  setSharedConnection("live");
  if (isBack) checkForNewVersion();
  applyEvents(response.events);
  if (tabs) tabs.position = { queue, last: position };
  tabs?.forward(response.events, { queue, last: position });
  wasEmpty = !isBack && !response.events.length;
  if (wasEmpty) await pause(RESTART_PAUSE_MS);
}

/** After a restart the server may have a newer page. The worker's file names all that belong to it. */
async function checkForNewVersion() {
  const own = document.querySelector("script[type=module]")?.getAttribute("src") ?? "";
  const response = await fetch("/sw.js", { cache: "no-cache" }).catch(() => null);
  if (response?.ok && !(await response.text()).includes(own)) setSharedConnection("newer");
}

/** @param {Record<string, any>[]} events */
function applyEvents(events) {
  for (const event of events) {
    if (event.id <= position) continue;
    position = event.id;
    try {
      applyEvent(event);
    } catch (error) {
      console.error(error); // one event that is not understood must not stop the others
    }
  }
}

/** After a poll that failed: wait, or start anew.
 * @param {unknown} error
 * @param {(state: Record<string, any>) => void} resetStores
 * @returns {Promise<boolean>} whether to go on */
async function recover(error, resetStores) {
  if (error instanceof ApiError) {
    if (error.code === "BAD_EVENT_QUEUE_ID") return reRegister(resetStores);
    if (error.status === 401 || error.status === 403) {
      setSharedConnection("logged-out");
      return false;
    }
  }
  failures++;
  const timer = failures === 1 ? setTimeout(() => setSharedConnection("reconnecting"), RECONNECT_NOTICE_MS) : undefined;
  if (failures > 1) setSharedConnection(navigator.onLine === false || failures > 3 ? "offline" : "reconnecting");
  const wait = Number(/** @type {any} */ (error).body?.["retry-after"] ?? 0) * 1000;
  await pause(Math.max(wait, Math.min(MAX_PAUSE_MS, 500 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)));
  clearTimeout(timer);
  return true;
}

/** The queue is gone: learn everything anew. The place and the box stay as they are.
 * @param {(snapshot: Record<string, any>) => void} resetStores */
async function reRegister(resetStores) {
  try {
    const snapshot = await post("/register", REGISTER);
    queue = /** @type {string} */ (snapshot.queue_id);
    position = snapshot.last_event_id;
    resetStores(snapshot);
    tabs?.forwardRestart();
  } catch (error) {
    failures++;
    if (!(error instanceof NetworkError || error instanceof ApiError)) throw error;
    await pause(Math.min(MAX_PAUSE_MS, 1000 * 2 ** failures));
  }
  return true;
}

/** Another tab had to start anew, so we have missed what it has missed.
 * @param {(snapshot: Record<string, any>) => void} resetStores */
async function refreshState(resetStores) {
  const snapshot = await post("/register", REGISTER).catch(() => null);
  if (!snapshot) return;
  remove("/events", { queue_id: snapshot.queue_id }).catch(() => {});
  resetStores(snapshot);
}

/** @param {import("../views/connection.js").ConnectionState} state */
function setSharedConnection(state) {
  setConnection(state);
  tabs?.forwardConnection(state);
}

/** @param {number} milliseconds
 * @returns {Promise<void>} */
function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    wake = done;
    function done() {
      clearTimeout(timer);
      wake = null;
      resolve();
    }
  });
}

/** A timer that is late by half a minute was asleep: the poll that hangs is not worth waiting for. */
function abortAfterSleep() {
  let last = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - last > 45_000) polling?.abort();
    last = now;
  }, 15_000);
}

/** A page that was reloaded leaves its queue behind. Whoever leads knows that nobody polls it.
 * @param {string} own the queue that this page was given */
function deleteOldQueues(own) {
  const key = `tertulia-queue-${myId()}`;
  for (const old of new Set([localStorage.getItem(key), own])) {
    if (old && old !== queue) remove("/events", { queue_id: old }).catch(() => {});
  }
  localStorage.setItem(key, queue);
}
