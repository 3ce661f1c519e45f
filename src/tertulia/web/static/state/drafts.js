/** Drafts: what somebody has begun to write, for each conversation.
 *
 * A draft is on this device at once and on the server a little later, where other devices find it.
 * Of two versions the one that was changed last wins. */

import { patch, post, remove } from "../core/api.js";
import { directWith, isInChannel, keyOf } from "./conversations.js";
import { isSpectator } from "./session.js";
import { allOn, putOn, takeOff } from "../core/local_store.js";
import { tell } from "../core/signals.js";

/** @typedef {import("./conversations.js").Conversation} Conversation */
/** @typedef {{key: string, to: Conversation, content: string, at: number, id: number | null, saved: boolean}} KeptDraft
 *   `id` is the server's, `saved` says whether it has this version */

const TO_SERVER_AFTER = 3000;

/** @type {Map<string, KeptDraft>} */
const drafts = new Map();
/** @type {Map<string, ReturnType<typeof setTimeout>>} */
const timers = new Map();
/** Conversations whose draft is on its way to the server, and must not be sent twice. */
const underWay = new Set();

/** @param {Record<string, any>} state a register answer */
export async function learnDrafts(state) {
  for (const kept of await allOn("drafts")) if (!drafts.has(kept.key)) drafts.set(kept.key, kept);
  const onServer = new Set();
  for (const sent of state.drafts ?? []) {
    onServer.add(sent.id);
    learnOne(sent);
  }
  for (const draft of [...drafts.values()]) {
    if (draft.id !== null && !onServer.has(draft.id)) {
      if (draft.saved) forgetDraft(draft.key); // sent or thrown away on another device
      else draft.id = null;
    }
    if (!draft.saved) saveSoon(draft.key);
  }
  tell("drafts");
}

/** @param {Conversation} conversation
 * @returns {string} */
export function draftOf(conversation) {
  return drafts.get(keyOf(conversation))?.content ?? "";
}

/** All drafts, those changed last first.
 * @returns {KeptDraft[]} */
export function allDrafts() {
  return [...drafts.values()].sort((a, b) => b.at - a.at);
}

/** @param {Conversation} conversation
 * @param {string} content nothing throws the draft away */
export function setDraft(conversation, content) {
  if (isSpectator()) return;
  const key = keyOf(conversation);
  const before = drafts.get(key);
  if ((before?.content ?? "") === content) return;
  if (!content.trim()) return discardDraft(conversation);
  const draft = { key, to: conversation, content, at: Date.now() / 1000, id: before?.id ?? null, saved: false };
  drafts.set(key, draft);
  putOn("drafts", draft);
  saveSoon(key);
  tell("drafts", key);
}

/** @param {Conversation} conversation */
export function discardDraft(conversation) {
  const key = keyOf(conversation);
  const draft = drafts.get(key);
  if (!draft) return;
  forgetDraft(key);
  if (draft.id !== null) remove(`/drafts/${draft.id}`).catch(() => {});
  tell("drafts", key);
}

/** @param {Record<string, any>} event */
export function hearOfDrafts(event) {
  if (event.op === "add") event.drafts.forEach(learnOne);
  if (event.op === "update") learnOne(event.draft);
  if (event.op === "remove") {
    const gone = [...drafts.values()].find((draft) => draft.id === event.draft_id);
    if (gone && gone.saved) forgetDraft(gone.key);
    else if (gone) gone.id = null;
  }
  tell("drafts");
}

/** @param {Record<string, any>} sent the server's version */
function learnOne(sent) {
  const to = sent.type === "stream" ? { channel: sent.to[0], topic: sent.topic } : directWith(sent.to);
  if (sent.type !== "stream" && !sent.to.length) return; // addressed to nobody yet: only its own client can go on with it
  const key = keyOf(to);
  const ours = drafts.get(key);
  if (ours && ours.at > sent.timestamp && ours.content !== sent.content) {
    ours.id ??= sent.id;
    return;
  }
  const draft = { key, to, content: sent.content, at: sent.timestamp, id: sent.id, saved: true };
  drafts.set(key, draft);
  putOn("drafts", draft);
}

/** @param {string} key */
function forgetDraft(key) {
  clearTimeout(timers.get(key));
  drafts.delete(key);
  takeOff("drafts", key);
}

/** @param {string} key */
function saveSoon(key) {
  clearTimeout(timers.get(key));
  timers.set(key, setTimeout(() => save(key), TO_SERVER_AFTER));
}

/** @param {string} key */
async function save(key) {
  const draft = drafts.get(key);
  if (!draft || draft.saved) return;
  if (underWay.has(key)) return saveSoon(key);
  const { content } = draft;
  underWay.add(key);
  try {
    const id = await saved(draft);
    const now = drafts.get(key);
    if (!now) remove(`/drafts/${id}`).catch(() => {}); // sent meanwhile
    else Object.assign(now, { id, saved: now.content === content });
    if (now) putOn("drafts", now);
  } catch {
    saveSoon(key); // it is on this device; the server gets it when it can
  } finally {
    underWay.delete(key);
  }
}

/** @param {KeptDraft} draft
 * @returns {Promise<number>} its id on the server */
async function saved({ to, content, at, id }) {
  const where = isInChannel(to) ? { type: "stream", to: [to.channel], topic: to.topic } : { type: "private", to: to.people, topic: "" };
  const wording = { ...where, content, timestamp: Math.floor(at) };
  if (id !== null) {
    await patch(`/drafts/${id}`, { draft: wording });
    return id;
  }
  const answer = await post("/drafts", { drafts: [wording] });
  return answer.ids[0];
}
