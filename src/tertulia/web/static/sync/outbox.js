/** The outbox: messages that the person has sent and the server does not have yet.
 *
 * A message is stored in IndexedDB before the compose box is emptied. Messages are sent in order, each with its
 * own idempotency key, until the server accepts them. The key makes a retry safe: nothing is lost and nothing is
 * sent twice, even if the tab or the server is killed. One tab sends for all. */

import { post, ApiError } from "../core/api.js";
import { isInChannel } from "../state/conversations.js";
import { state } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { lazy } from "../core/lazy.js";
import { getAll, putEntry, removeEntry } from "../core/local_store.js";
import { on, emit } from "../core/signals.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/conversations.js").Conversation} Conversation */
/** @typedef {{key: string, to: Conversation, content: string, at: number, state: "sending" | "waiting" | "failed",
 *   why: string, id: number | null, recording?: import("../views/lazy_slots.js").Recording, percent?: number,
 *   files?: File[], notBefore?: number}} PendingMessage `id` is set once the server has it. A recording and files are
 *   uploaded before the message is sent. In slow mode it waits until `notBefore`. Stored in IndexedDB */

const MIN_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;
const MAX_KEY_AGE_SECONDS = 24 * 3600; // the server forgets keys after this time

/** @type {Map<string, PendingMessage>} in the order of sending */
const entries = new Map();
/** @type {BroadcastChannel | undefined} */
let siblingTabs;
let isLeader = false;
let isSending = false;
let backoffMs = MIN_BACKOFF_MS;
/** @type {() => void} */
let wakeSender = () => {};

/** @returns {Promise<void>} */
export async function openOutbox() {
  if (globalThis.BroadcastChannel) {
    siblingTabs = new BroadcastChannel("tertulia-outbox");
    siblingTabs.onmessage = ({ data }) => {
      const entry = entries.get(data.key);
      if (entry) entry.id = data.id; // its event may come later
      reloadEntries();
    };
  }
  await reloadEntries();
  on("messageArrived", (message) => confirmById(message.id));
  if (!navigator.locks) return becomeLeader();
  navigator.locks.request("tertulia-outbox", () => {
    becomeLeader();
    return new Promise(() => {}); // hold the lock as long as the tab is open
  });
}

/** Messages that are not shown as messages yet, oldest first.
 * @returns {PendingMessage[]} */
export function pendingMessages() {
  return [...entries.values()].filter((entry) => entry.id === null || !findMessage(entry.id));
}

/** Whether a message is still in the outbox: not withdrawn, and not shown as a message yet.
 * @param {PendingMessage} entry */
export function isInOutbox(entry) {
  return entries.has(entry.key);
}

/** Store a message and send it. Resolves once it is safe to empty the compose box.
 * @param {Conversation} to
 * @param {string} content
 * @param {PendingMessage["recording"]} [recording]
 * @param {File[]} [files]
 * @returns {Promise<PendingMessage>} */
export async function enqueue(to, content, recording, files) {
  /** @type {PendingMessage} */
  const entry = { key: crypto.randomUUID(), to, content, at: Date.now() / 1000, state: "sending", why: "", id: null };
  if (recording) entry.recording = recording;
  if (files) entry.files = files;
  entries.set(entry.key, entry);
  await putEntry("outbox", entry);
  onLocalChange();
  return entry;
}

/** @param {string} key */
export async function retrySend(key) {
  const entry = entries.get(key);
  if (!entry) return;
  Object.assign(entry, { state: "sending", why: "", at: Date.now() / 1000 });
  await putEntry("outbox", entry);
  onLocalChange();
}

/** Remove a message that is not sent yet, and return it.
 * @param {string} key
 * @returns {PendingMessage | undefined} */
export function withdraw(key) {
  const entry = entries.get(key);
  if (!entry || entry.id !== null) return undefined;
  entries.delete(key);
  removeEntry("outbox", key).then(() => notifyTabs());
  emit("outbox");
  return entry;
}

/** The connection is back: retry now. */
export function wakeOutbox() {
  backoffMs = MIN_BACKOFF_MS;
  wakeSender();
}

/** A message that this browser sent has arrived as an event.
 * @param {string | undefined} key
 * @param {number} id */
export function confirmByKey(key, id) {
  const entry = key ? entries.get(key) : undefined;
  if (!entry) return;
  removeEntry("outbox", entry.key);
  complete(entry, id);
}

function becomeLeader() {
  isLeader = true;
  sendAll();
}

async function reloadEntries() {
  const stored = await getAll("outbox");
  const storedKeys = new Set(stored.map((entry) => entry.key));
  for (const entry of stored.sort((a, b) => a.at - b.at)) {
    const before = entries.get(entry.key);
    if (before) Object.assign(before, entry);
    else entries.set(entry.key, entry);
  }
  for (const entry of [...entries.values()])
    if (!storedKeys.has(entry.key) && entry.id === null && !isLeader) entries.delete(entry.key);
  emit("outbox");
  if (isLeader) sendAll();
}

function onLocalChange() {
  emit("outbox");
  notifyTabs();
  if (isLeader) sendAll();
}

/** @param {{key?: string, id?: number}} [accepted] a message that the server has now */
function notifyTabs(accepted = {}) {
  siblingTabs?.postMessage(accepted);
}

async function sendAll() {
  if (isSending) return wakeSender();
  isSending = true;
  for (let entry = nextEntry(); entry; entry = nextEntry()) {
    if (!(await sendEntry(entry))) await backOff();
  }
  isSending = false;
}

/** Those after a message that waits for slow mode wait as well, if they go to the same channel.
 * @returns {PendingMessage | undefined} */
function nextEntry() {
  const slow = new Set();
  return [...entries.values()].find((entry) => {
    if (entry.state === "failed" || entry.id !== null) return false;
    const channel = isInChannel(entry.to) ? entry.to.channel : 0;
    if (slowModeWait(entry) > 0) slow.add(channel);
    return !slow.has(channel);
  });
}

/** The seconds for which slow mode delays a message.
 * @param {PendingMessage} entry */
export function slowModeWait({ notBefore = 0 }) {
  return Math.max(0, Math.ceil(notBefore - Date.now() / 1000));
}

/** @param {PendingMessage} entry
 * @param {number} seconds */
function waitForSlowMode(entry, seconds) {
  entry.notBefore = Date.now() / 1000 + seconds;
  const timer = setInterval(() => {
    emit("outbox"); // for the countdown
    if (isInOutbox(entry) && slowModeWait(entry) > 0) return;
    clearInterval(timer);
    sendAll();
  }, 1000);
}

/** @param {PendingMessage} entry
 * @returns {Promise<boolean>} whether to send the next one at once */
async function sendEntry(entry) {
  if (Date.now() / 1000 - entry.at > MAX_KEY_AGE_SECONDS) return markFailed(entry, t("outbox.old"));
  try {
    if (entry.recording) await (await lazy("recorder", "uploadRecording"))(entry);
    if (entry.files) await (await lazy("share", "uploadFiles"))(entry);
    const response = await post("/messages", sendParameters(entry), undefined, { "Idempotency-Key": entry.key });
    backoffMs = MIN_BACKOFF_MS;
    await removeEntry("outbox", entry.key);
    if (findMessage(response.id)) complete(entry, response.id);
    entry.id = response.id;
    notifyTabs({ key: entry.key, id: response.id });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401 && error.status !== 429)
      return markFailed(entry, error.message);
    if (error instanceof ApiError && error.body.problem === "slow-mode") {
      waitForSlowMode(entry, error.body["retry-after"]);
      entry.state = "waiting";
      emit("outbox");
      return true;
    }
    if (error instanceof ApiError && error.status === 429) backoffMs = 1000 * (error.body["retry-after"] ?? 1);
    entry.state = "waiting";
    emit("outbox");
    return false;
  }
}

/** @param {PendingMessage} entry */
function sendParameters({ key, to, content }) {
  const where = isInChannel(to)
    ? { type: "channel", to: to.channel, topic: to.topic }
    : { type: "direct", to: to.people };
  return { ...where, content, queue_id: state.queue_id, local_id: key, read_by_sender: true };
}

/** @param {PendingMessage} entry
 * @param {string} why */
async function markFailed(entry, why) {
  Object.assign(entry, { state: "failed", why });
  await putEntry("outbox", entry);
  emit("outbox");
  notifyTabs();
  return true;
}

/** @param {number} id of a message that arrived */
function confirmById(id) {
  for (const entry of entries.values()) if (entry.id === id) complete(entry, id);
}

/** @param {PendingMessage} entry
 * @param {number} id */
function complete(entry, id) {
  entry.id = id;
  entries.delete(entry.key);
  emit("outbox");
}

function backOff() {
  const delay = backoffMs * (0.75 + Math.random() / 2);
  backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delay);
    wakeSender = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
  });
}
