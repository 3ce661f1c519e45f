/** Marks messages as read here at once and on the server in batches. What the server has not confirmed when the page is
 * left or has no connection is kept in the local storage, and sent after a reload. */

import { storeForBrowser } from "../core/account_data.js";
import { ApiError, post } from "../core/api.js";
import { setFlag } from "../state/messages.js";
import { myId } from "../state/session.js";
import { removeUnread } from "../state/unread.js";

/** @typedef {import("../state/narrow.js").Term} Term */

const MAX_BATCH = 100;
const BATCH_DELAY_MS = 1000;
const FLUSH_RETRY_MS = 5000;
const MAX_UNREAD_AGAIN = 1000;

/** @type {Set<number>} read here, not yet confirmed by the server */
const pendingIds = new Set();
let isFlushing = false;
let isStored = false; // whether the local storage has some of them
/** @type {Promise<unknown>} the last request that marks messages as read */
let inFlight = Promise.resolve();
/** @type {number | undefined} */
let flushTimer;

/** @param {number[]} ids */
export function markRead(ids) {
  const read = removeUnread(ids);
  for (const id of read) {
    pendingIds.add(id);
    setFlag(id, "read", true);
  }
  if (read.length) scheduleFlush();
}

/** Mark messages as unread again that were just marked as read.
 * @param {number[]} ids */
export async function markUnread(ids) {
  await inFlight.catch(() => {}); // it may mark them as read
  // the event that restores them comes only if the server has marked them
  if (ids.some((id) => pendingIds.has(id))) await flush();
  await post("/messages/flags", { messages: ids, op: "remove", flag: "read" });
}

/** Mark a message and all after it in a narrow as unread.
 * @param {number} id
 * @param {Term[]} narrow */
export async function markUnreadFrom(id, narrow) {
  await post("/messages/flags/narrow", {
    anchor: String(id),
    include_anchor: true,
    num_before: 0,
    num_after: MAX_UNREAD_AGAIN,
    narrow,
    op: "remove",
    flag: "read",
  });
}

/** Send what was read before the page was reloaded. */
export function flushPending() {
  for (const kind of ["pagehide", "visibilitychange"]) addEventListener(kind, storePending);
  const stored = /** @type {number[]} */ (JSON.parse(localStorage.getItem(storageKey()) ?? "[]"));
  isStored = stored.length > 0;
  for (const id of stored) pendingIds.add(id);
  removeUnread(stored);
  if (pendingIds.size) scheduleFlush();
}

function scheduleFlush() {
  if (pendingIds.size >= MAX_BATCH) flush();
  else flushTimer ??= window.setTimeout(flush, BATCH_DELAY_MS);
}

async function flush() {
  clearTimeout(flushTimer);
  flushTimer = undefined;
  if (isFlushing || !pendingIds.size) return;
  isFlushing = true;
  const ids = [...pendingIds];
  try {
    inFlight = post("/messages/flags", { messages: ids, op: "add", flag: "read" });
    await inFlight;
    for (const id of ids) pendingIds.delete(id);
  } catch (error) {
    if (error instanceof ApiError) for (const id of ids) pendingIds.delete(id);
    else flushTimer = window.setTimeout(flush, FLUSH_RETRY_MS);
  } finally {
    isFlushing = false;
    if (isStored || flushTimer) storePending();
    if (pendingIds.size) flushTimer ??= window.setTimeout(flush, BATCH_DELAY_MS);
  }
}

function storePending() {
  if (!pendingIds.size && !isStored) return;
  storeForBrowser(storageKey(), JSON.stringify([...pendingIds]));
  isStored = pendingIds.size > 0;
}

function storageKey() {
  return `tertulia-read-${myId()}`;
}
