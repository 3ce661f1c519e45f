/** The long poll for events, with reconnecting.
 *
 * Queues survive a restart of the server, so the poller keeps its queue. Event ids are the same in all queues,
 * so a tab can continue with the queue of another tab and knows which events it has already. */

import { storeForBrowser } from "../core/account_data.js";
import { ApiError, get, NetworkError, post, remove } from "../core/api.js";
import { recordError } from "../core/page_errors.js";
import { setConnection } from "../state/connection.js";
import { isSpectator, myId, state } from "../state/session.js";
import { applyEvent } from "./reducers.js";
import { workerPath } from "./service_worker.js";
import { TabLeader } from "./tab_leader.js";

/** @typedef {import("../state/types.d.ts").Snapshot} Snapshot */
/** @typedef {import("../core/api_types.d.ts").ServerEvent} ServerEvent */
/** @typedef {(snapshot: Snapshot) => void} ResetStores */

const RECONNECT_NOTICE_MS = 5000; // a shorter interruption is not shown
const MAX_PAUSE_MS = 30_000;
const RESTART_PAUSE_MS = 500; // a server that is stopping has stopped after this time
const SLEEP_CHECK_MS = 15_000;
const MIN_SLEEP_MS = 45_000; // a timer this late means that the computer has slept

// not stored, so no snapshot contains them
const EPHEMERAL = new Set(["answer", "heartbeat", "presence", "typing", "typing_edit_message"]);

/** Parameters of the register call; the server uses the same for the snapshot in the page (bootstrap.py). */
export const REGISTER = {
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  include_subscribers: "false",
  idle_queue_timeout: 43_200,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: false,
    stream_typing_notifications: true,
    user_settings_object: true,
    linkifier_url_template: true,
    user_list_incomplete: true,
    include_deactivated_groups: true,
    archived_channels: true,
    empty_topic_name: true,
    simplified_presence_events: true,
    streamed_answers: true,
    calls: true,
  },
};

let position = -1; // the id of the last event of the queue that was applied
let known = -1; // the snapshot contains all stored events up to this id
let queue = "";
let failures = 0;
let wasEmpty = false; // whether the last response had no events: a server that is about to stop answers so
/** Events that arrive while a new snapshot is under way; they are applied to it.
 * @type {ServerEvent[] | null} */
let delayed = null;
/** @type {AbortController | null} */
let polling = null;
/** @type {(() => void) | null} */
let wake = null;
/** @type {((isAnswered: boolean) => void) | undefined} */
let reconnected;
/** @type {TabLeader | null} */
let tabs = null;

/** @param {ResetStores} resetStores replaces the content of all stores */
export function startEvents(resetStores) {
  if (isSpectator()) return setConnection("live");
  known = state.position ?? -1;
  queue = state.queue_id ?? "";
  tabs = new TabLeader(`tertulia-${myId()}`, {
    onEvents(events, leader) {
      if (delayed) delayed.push(...events);
      else applyEvents(events);
      if (leader?.queue && leader.queue !== queue) {
        remove("/events", { queue_id: queue }).catch(() => {}); // our own queue is not needed
        queue = leader.queue;
        if (!delayed) position = leader.last;
      }
    },
    onRestart: () => refreshState(resetStores),
    lastEvent: () => Math.max(position, known),
    onConnection: setConnection,
  });
  for (const kind of ["online", "focus"]) addEventListener(kind, pollNow);
  addEventListener("offline", () => setConnection("offline"));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) pollNow();
  });
  abortAfterSleep();
  setConnection("live");
  return run(resetStores);
}

export function isLeaderTab() {
  return tabs?.isLeader ?? true;
}

/** End a pause between two polls. */
export function pollNow() {
  wake?.();
}

/** Connect again at once, even if a poll seems to be under way: its connection may be dead.
 * @returns {Promise<boolean>} whether the server has answered */
export function reconnect() {
  polling?.abort();
  pollNow();
  return new Promise((resolve) => {
    reconnected = resolve;
    if (!isLeaderTab()) resolve(true);
  });
}

/** @param {ResetStores} resetStores */
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
  const isReconnect = failures > 0 || wasEmpty;
  const response = await get(
    "/events",
    { queue_id: queue, last_event_id: position, dont_block: isReconnect },
    polling.signal,
  );
  const events = /** @type {ServerEvent[]} */ (response.events);
  failures = 0;
  reconnected?.(true);
  setConnection("live");
  if (isReconnect) checkForNewVersion();
  applyEvents(events);
  if (tabs) tabs.position = { queue, last: position };
  tabs?.forward(events, { queue, last: position });
  wasEmpty = !isReconnect && !events.length;
  if (wasEmpty) await pause(RESTART_PAUSE_MS);
}

/** After a restart the server may have a newer page. Its service worker lists the files of the page. */
async function checkForNewVersion() {
  const own = document.querySelector("script[type=module]")?.getAttribute("src") ?? "";
  const response = await fetch(workerPath(), { cache: "no-cache" }).catch(() => null);
  if (response?.ok && !(await response.text()).includes(own)) setSharedConnection("newer");
}

/** @param {ServerEvent[]} events */
function applyEvents(events) {
  for (const event of events) {
    if (event.id <= position) continue;
    position = event.id;
    if (event.id <= known && !EPHEMERAL.has(event.type)) continue; // from the queue of an older tab
    try {
      applyEvent(event);
    } catch (error) {
      recordError(error); // one bad event must not stop the others
    }
  }
}

/** After a poll that failed: pause, or register again.
 * @param {unknown} error
 * @param {ResetStores} resetStores
 * @returns {Promise<boolean>} whether to poll again */
async function recover(error, resetStores) {
  if (error instanceof ApiError) {
    if (error.code === "BAD_EVENT_QUEUE_ID") return reRegister(resetStores);
    if (error.status === 401 || error.status === 403) {
      setSharedConnection("logged-out");
      return false;
    }
  }
  if (failures++) reconnected?.(false); // the first failure is the poll that was aborted
  const timer = failures === 1 ? setTimeout(() => setSharedConnection("reconnecting"), RECONNECT_NOTICE_MS) : undefined;
  if (failures > 1)
    setSharedConnection(navigator.onLine === false ? "offline" : failures > 3 ? "unreachable" : "reconnecting");
  const retryAfterMs = error instanceof ApiError ? Number(error.body["retry-after"] ?? 0) * 1000 : 0;
  await pause(Math.max(retryAfterMs, Math.min(MAX_PAUSE_MS, 500 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)));
  clearTimeout(timer);
  return true;
}

/** The queue is gone: get a new one with a new snapshot. The view and the compose box stay as they are.
 * @param {ResetStores} resetStores */
async function reRegister(resetStores) {
  try {
    const snapshot = /** @type {Snapshot & {last_event_id: number}} */ (await post("/register", REGISTER));
    queue = snapshot.queue_id ?? "";
    position = known = snapshot.last_event_id;
    resetStores(snapshot);
    tabs?.forwardRestart();
  } catch (error) {
    failures++;
    if (!(error instanceof NetworkError || error instanceof ApiError)) throw error;
    await pause(Math.min(MAX_PAUSE_MS, 1000 * 2 ** failures));
  }
  return true;
}

/** The leader had to register again, so this tab has missed events too.
 * @param {ResetStores} resetStores */
async function refreshState(resetStores) {
  if (delayed) return;
  delayed = [];
  try {
    const snapshot = await registerPatiently();
    remove("/events", { queue_id: snapshot.queue_id }).catch(() => {});
    position = known = snapshot.last_event_id;
    resetStores(snapshot);
  } finally {
    const events = delayed;
    delayed = null;
    applyEvents(events);
  }
}

/** Register, again and again while the server cannot be reached.
 * @returns {Promise<Snapshot & {last_event_id: number}>} */
async function registerPatiently() {
  for (let tries = 0; ; tries++) {
    try {
      return /** @type {Snapshot & {last_event_id: number}} */ (await post("/register", REGISTER));
    } catch (error) {
      if (error instanceof ApiError && error.status < 429) throw error; // logged out
      await pause(Math.min(MAX_PAUSE_MS, 1000 * 2 ** tries));
    }
  }
}

/** Set the state of the connection in all tabs.
 * @param {import("../state/connection.js").ConnectionState} connection */
function setSharedConnection(connection) {
  setConnection(connection);
  tabs?.forwardConnection(connection);
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

/** After a sleep of the computer the poll may hang: abort it. */
function abortAfterSleep() {
  let last = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - last > MIN_SLEEP_MS) polling?.abort();
    last = now;
  }, SLEEP_CHECK_MS);
}

/** A reload leaves a queue behind. The leader knows that no tab polls it, and deletes it.
 * @param {string} own the queue that came with this page */
function deleteOldQueues(own) {
  const key = `tertulia-queue-${myId()}`;
  for (const old of new Set([localStorage.getItem(key), own])) {
    if (old && old !== queue) remove("/events", { queue_id: old }).catch(() => {});
  }
  storeForBrowser(key, queue);
}
