/** The outbox: messages that were entered and are not on the server yet.
 *
 * A message is kept by the browser before the box is emptied. It is sent in order, with a key of its
 * own, as often as it takes: the server takes the same key for the same message, so that nothing is
 * lost and nothing is said twice, whatever is killed in between. One tab sends for all. */

import { post, Refused } from "../core/api.js";
import { isInChannel } from "../state/conversations.js";
import { known } from "../state/session.js";
import { messageOf } from "../state/messages.js";
import { allOn, putOn, takeOff } from "../core/local_store.js";
import { on, tell } from "../core/signals.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/conversations.js").Conversation} Conversation */
/** @typedef {{key: string, to: Conversation, content: string, at: number, state: "sending" | "waiting" | "failed",
 *   why: string, id: number | null}} Entered `id` once the server has it */

const FIRST_REST = 1000;
const LONGEST_REST = 60_000;
const REMEMBERED = 24 * 3600; // how long the server knows a key again, in seconds

/** @type {Map<string, Entered>} in the order in which they were entered */
const entries = new Map();
/** @type {BroadcastChannel | undefined} */
let siblings;
let isSender = false;
let isSending = false;
let rest = FIRST_REST;
/** @type {() => void} */
let rouse = () => {};

/** @returns {Promise<void>} */
export async function openOutbox() {
  if (globalThis.BroadcastChannel) {
    siblings = new BroadcastChannel("tertulia-outbox");
    siblings.onmessage = reread;
  }
  await reread();
  on("arrived", (message) => settle(message.id));
  if (!navigator.locks) return becomeSender();
  navigator.locks.request("tertulia-outbox", () => {
    becomeSender();
    return new Promise(() => {}); // for as long as this tab lives
  });
}

/** What was entered and is not to be seen as a message yet, oldest first.
 * @returns {Entered[]} */
export function enteredMessages() {
  return [...entries.values()].filter((entry) => entry.id === null || !messageOf(entry.id));
}

/** Keep a message and have it sent. Resolves once it is safe to empty the box.
 * @param {Conversation} to
 * @param {string} content
 * @returns {Promise<Entered>} */
export async function enter(to, content) {
  /** @type {Entered} */
  const entry = { key: crypto.randomUUID(), to, content, at: Date.now() / 1000, state: "sending", why: "", id: null };
  entries.set(entry.key, entry);
  await putOn("outbox", entry);
  changedHere();
  return entry;
}

/** @param {string} key */
export async function sendAgain(key) {
  const entry = entries.get(key);
  if (!entry) return;
  Object.assign(entry, { state: "sending", why: "", at: Date.now() / 1000 });
  await putOn("outbox", entry);
  changedHere();
}

/** Take a message back; gives what it said.
 * @param {string} key
 * @returns {Entered | undefined} */
export function takeBack(key) {
  const entry = entries.get(key);
  if (!entry || entry.id !== null) return undefined;
  entries.delete(key);
  takeOff("outbox", key).then(tellSiblings);
  tell("outbox");
  return entry;
}

/** The connection is back: do not wait for the end of a pause. */
export function hurryOutbox() {
  rest = FIRST_REST;
  rouse();
}

/** An event tells of a message that this browser entered.
 * @param {string | undefined} key
 * @param {number} id */
export function recognize(key, id) {
  const entry = key ? entries.get(key) : undefined;
  if (!entry) return;
  takeOff("outbox", entry.key);
  finish(entry, id);
}

function becomeSender() {
  isSender = true;
  sendAll();
}

async function reread() {
  const kept = await allOn("outbox");
  const here = new Set(kept.map((entry) => entry.key));
  for (const entry of kept.sort((a, b) => a.at - b.at)) {
    const before = entries.get(entry.key);
    if (before) Object.assign(before, entry);
    else entries.set(entry.key, entry);
  }
  for (const entry of [...entries.values()]) if (!here.has(entry.key) && entry.id === null && !isSender) entries.delete(entry.key);
  tell("outbox");
  if (isSender) sendAll();
}

function changedHere() {
  tell("outbox");
  tellSiblings();
  if (isSender) sendAll();
}

function tellSiblings() {
  siblings?.postMessage("changed");
}

async function sendAll() {
  if (isSending) return rouse();
  isSending = true;
  for (let entry = next(); entry; entry = next()) {
    if (!(await sendOne(entry))) await asleep();
  }
  isSending = false;
}

/** @returns {Entered | undefined} */
function next() {
  return [...entries.values()].find((entry) => entry.state !== "failed" && entry.id === null);
}

/** @param {Entered} entry
 * @returns {Promise<boolean>} whether the next one may be tried at once */
async function sendOne(entry) {
  if (Date.now() / 1000 - entry.at > REMEMBERED) return fail(entry, say("outbox.old"));
  try {
    const answer = await post("/messages", parameters(entry), undefined, { "Idempotency-Key": entry.key });
    rest = FIRST_REST;
    await takeOff("outbox", entry.key);
    if (messageOf(answer.id)) finish(entry, answer.id);
    entry.id = answer.id;
    tellSiblings();
    tell("sent", entry);
    return true;
  } catch (error) {
    if (error instanceof Refused && error.status !== 401 && error.status !== 429) return fail(entry, error.message);
    if (error instanceof Refused && error.status === 429) rest = 1000 * (error.answer["retry-after"] ?? 1);
    entry.state = "waiting";
    tell("outbox");
    return false;
  }
}

/** @param {Entered} entry */
function parameters({ key, to, content }) {
  const where = isInChannel(to) ? { type: "channel", to: to.channel, topic: to.topic } : { type: "direct", to: to.people };
  return { ...where, content, queue_id: known.queue_id, local_id: key };
}

/** @param {Entered} entry
 * @param {string} why */
async function fail(entry, why) {
  Object.assign(entry, { state: "failed", why });
  await putOn("outbox", entry);
  tell("outbox");
  tellSiblings();
  return true;
}

/** @param {number} id a message that is shown now */
function settle(id) {
  for (const entry of entries.values()) if (entry.id === id) finish(entry, id);
}

/** @param {Entered} entry
 * @param {number} id */
function finish(entry, id) {
  entry.id = id;
  entries.delete(entry.key);
  tell("outbox");
}

function asleep() {
  const length = rest * (0.75 + Math.random() / 2);
  rest = Math.min(rest * 2, LONGEST_REST);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, length);
    rouse = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
  });
}
