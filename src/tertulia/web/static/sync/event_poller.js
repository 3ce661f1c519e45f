/** Living with the server: one poll after the other, and what happens when there is no answer.
 *
 * Queues survive restarts of the server, so the same one goes on. Ids of events are the same for all
 * queues, so that a tab can take over another's and knows what it has heard already. */

import { get, post, Refused, remove, Unreachable } from "../core/api.js";
import { setConnection } from "../views/connection.js";
import { takeEvent } from "./reducers.js";
import { isSpectator, known, myId } from "../state/session.js";
import { Tabs } from "./tab_leader.js";

const PATIENCE = 5000; // before the page says that it reconnects
const LONGEST_PAUSE = 30_000;
const SHORT_PAUSE = 500; // in which a server that stops has stopped

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
let isDismissed = false;
/** @type {AbortController | null} */
let polling = null;
/** @type {(() => void) | null} */
let wake = null;
/** @type {Tabs | null} */
let tabs = null;

/** @param {(state: Record<string, any>) => void} replace learn everything anew */
export function startEvents(replace) {
  if (isSpectator()) return setConnection("live");
  position = known.position ?? -1;
  queue = known.queue_id;
  tabs = new Tabs(`tertulia-${myId()}`, {
    hear(events, there) {
      take(events);
      if (there.queue && there.queue !== queue) {
        remove("/events", { queue_id: queue }).catch(() => {}); // ours will not be needed
        queue = there.queue;
      }
    },
    restart: () => learnAgain(replace),
    since: () => position,
    connection: (state) => setConnection(/** @type {any} */ (state)),
  });
  for (const kind of ["online", "focus"]) addEventListener(kind, hurry);
  addEventListener("offline", () => setConnection("offline"));
  document.addEventListener("visibilitychange", () => { if (!document.hidden) hurry(); });
  noticeSleep();
  setConnection("live");
  return lead(replace);
}

export function isLeading() {
  return tabs?.isLeading ?? true;
}

/** Poll at once, if we are waiting to. */
export function hurry() {
  wake?.();
}

/** @param {(state: Record<string, any>) => void} replace */
async function lead(replace) {
  const own = queue;
  await tabs?.turn();
  forgetOldQueues(own);
  for (;;) {
    try {
      await listen();
    } catch (error) {
      if (!(await recover(error, replace))) return;
    }
  }
}

async function listen() {
  polling = new AbortController();
  const isBack = failures > 0 || isDismissed;
  const answer = await get("/events", { queue_id: queue, last_event_id: position, dont_block: isBack }, polling.signal);
  failures = 0;
  report("live");
  if (isBack) lookForNewer();
  take(answer.events);
  if (tabs) tabs.position = { queue, last: position };
  tabs?.pass(answer.events, { queue, last: position });
  isDismissed = !isBack && !answer.events.length;
  if (isDismissed) await pause(SHORT_PAUSE);
}

/** After a restart the server may have a newer page. The worker's file names all that belong to it. */
async function lookForNewer() {
  const own = document.querySelector("script[type=module]")?.getAttribute("src") ?? "";
  const answer = await fetch("/sw.js", { cache: "no-cache" }).catch(() => null);
  if (answer?.ok && !(await answer.text()).includes(own)) report("newer");
}

/** @param {Record<string, any>[]} events */
function take(events) {
  for (const event of events) {
    if (event.id <= position) continue;
    position = event.id;
    try {
      takeEvent(event);
    } catch (error) {
      console.error(error); // one event that is not understood must not stop the others
    }
  }
}

/** After a poll that failed: wait, or start anew.
 * @param {unknown} error
 * @param {(state: Record<string, any>) => void} replace
 * @returns {Promise<boolean>} whether to go on */
async function recover(error, replace) {
  if (error instanceof Refused) {
    if (error.code === "BAD_EVENT_QUEUE_ID") return startAnew(replace);
    if (error.status === 401 || error.status === 403) {
      report("logged-out");
      return false;
    }
  }
  failures++;
  const timer = failures === 1 ? setTimeout(() => report("reconnecting"), PATIENCE) : undefined;
  if (failures > 1) report(navigator.onLine === false || failures > 3 ? "offline" : "reconnecting");
  const wait = Number(/** @type {any} */ (error).answer?.["retry-after"] ?? 0) * 1000;
  await pause(Math.max(wait, Math.min(LONGEST_PAUSE, 500 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)));
  clearTimeout(timer);
  return true;
}

/** The queue is gone: learn everything anew. The place and the box stay as they are.
 * @param {(state: Record<string, any>) => void} replace */
async function startAnew(replace) {
  try {
    const state = await post("/register", REGISTER);
    queue = /** @type {string} */ (state.queue_id);
    position = state.last_event_id;
    replace(state);
    tabs?.passRestart();
  } catch (error) {
    failures++;
    if (!(error instanceof Unreachable || error instanceof Refused)) throw error;
    await pause(Math.min(LONGEST_PAUSE, 1000 * 2 ** failures));
  }
  return true;
}

/** Another tab had to start anew, so we have missed what it has missed.
 * @param {(state: Record<string, any>) => void} replace */
async function learnAgain(replace) {
  const state = await post("/register", REGISTER).catch(() => null);
  if (!state) return;
  remove("/events", { queue_id: state.queue_id }).catch(() => {});
  replace(state);
}

/** @param {import("../views/connection.js").State} state */
function report(state) {
  setConnection(state);
  tabs?.passConnection(state);
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
function noticeSleep() {
  let last = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - last > 45_000) polling?.abort();
    last = now;
  }, 15_000);
}

/** A page that was reloaded leaves its queue behind. Whoever leads knows that nobody polls it.
 * @param {string} own the queue that this page was given */
function forgetOldQueues(own) {
  const key = `tertulia-queue-${myId()}`;
  for (const old of new Set([localStorage.getItem(key), own])) {
    if (old && old !== queue) remove("/events", { queue_id: old }).catch(() => {});
  }
  localStorage.setItem(key, queue);
}
