/** Drafts, one per conversation.
 *
 * A draft is stored on this device at once, and a few seconds later on the server for the other devices. Of two
 * versions the newer one wins. */

import { patch, post, remove } from "../core/api.js";
import { directWith, isInChannel, keyOf } from "./conversations.js";
import { isSpectator, setting } from "./session.js";
import { getAll, putEntry, removeEntry } from "../core/local_store.js";
import { emit } from "../core/signals.js";

/** @typedef {import("./conversations.js").Conversation} Conversation */
/** @typedef {{key: string, to: Conversation, content: string, at: number, id: number | null, saved: boolean}} Draft
 *   `id` is the server's; `saved`: the server has this version. Stored in IndexedDB */

const UPLOAD_DELAY_MS = 3000;

/** @type {Map<string, Draft>} */
const drafts = new Map();
/** @type {Map<string, ReturnType<typeof setTimeout>>} */
const timers = new Map();
/** Keys of drafts that are being uploaded: a second upload must wait. @type {Set<string>} */
const uploading = new Set();

/** @param {import("./types.d.ts").Snapshot} snapshot */
export async function initDrafts(snapshot) {
  for (const stored of await getAll("drafts")) if (!drafts.has(stored.key)) drafts.set(stored.key, stored);
  const onServer = new Set();
  for (const sent of snapshot.drafts ?? []) {
    onServer.add(sent.id);
    mergeServerDraft(sent);
  }
  for (const draft of [...drafts.values()]) {
    if (draft.id !== null && !onServer.has(draft.id)) {
      if (draft.saved)
        dropDraft(draft.key); // sent or discarded on another device
      else draft.id = null;
    }
    if (!draft.saved) scheduleSave(draft.key);
  }
  emit("drafts");
}

/** @param {Conversation} conversation
 * @returns {string} */
export function draftOf(conversation) {
  return drafts.get(keyOf(conversation))?.content ?? "";
}

/** All drafts, the last changed first.
 * @returns {Draft[]} */
export function allDrafts() {
  return [...drafts.values()].sort((a, b) => b.at - a.at);
}

/** @param {Conversation} conversation
 * @param {string} content if empty, the draft is discarded */
export function setDraft(conversation, content) {
  if (isSpectator()) return;
  const key = keyOf(conversation);
  const before = drafts.get(key);
  if ((before?.content ?? "") === content) return;
  if (!content.trim()) return discardDraft(conversation);
  const draft = { key, to: conversation, content, at: Date.now() / 1000, id: before?.id ?? null, saved: false };
  drafts.set(key, draft);
  putEntry("drafts", draft);
  scheduleSave(key);
  emit("drafts", key);
}

/** @param {Conversation} conversation */
export function discardDraft(conversation) {
  const key = keyOf(conversation);
  const draft = drafts.get(key);
  if (!draft) return;
  dropDraft(key);
  if (draft.id !== null) remove(`/drafts/${draft.id}`).catch(() => {});
  emit("drafts", key);
}

/** A topic was moved: its draft moves along. If there is a draft at the destination, the texts are joined.
 * @param {Conversation} from
 * @param {Conversation} to */
export function moveDraft(from, to) {
  const draft = drafts.get(keyOf(from));
  if (!draft || keyOf(from) === keyOf(to)) return;
  const there = draftOf(to);
  const content = there && there !== draft.content ? `${there}\n\n${draft.content}` : draft.content;
  discardDraft(from);
  setDraft(to, content);
}

/** @param {import("../core/api_types.d.ts").ServerEvents["drafts"]} event */
export function applyDraftsEvent(event) {
  if (event.op === "add") event.drafts.forEach(mergeServerDraft);
  if (event.op === "update") mergeServerDraft(event.draft);
  if (event.op === "remove") {
    const gone = [...drafts.values()].find((draft) => draft.id === event.draft_id);
    if (gone && gone.saved) dropDraft(gone.key);
    else if (gone) gone.id = null;
  }
  emit("drafts");
}

/** @param {import("../core/api_types.d.ts").Schemas["DraftObject"]} sent the server's version */
function mergeServerDraft(sent) {
  const to = sent.type === "stream" ? { channel: sent.to[0], topic: sent.topic } : directWith(sent.to);
  // has no recipient yet: only the client that wrote it can continue it
  if (sent.type !== "stream" && !sent.to.length) return;
  const key = keyOf(to);
  const ours = drafts.get(key);
  if (ours && ours.at > sent.timestamp && ours.content !== sent.content) {
    ours.id ??= sent.id;
    return;
  }
  const draft = { key, to, content: sent.content, at: sent.timestamp, id: sent.id, saved: true };
  drafts.set(key, draft);
  putEntry("drafts", draft);
}

/** @param {string} key */
function dropDraft(key) {
  clearTimeout(timers.get(key));
  drafts.delete(key);
  removeEntry("drafts", key);
}

/** @param {string} key */
function scheduleSave(key) {
  clearTimeout(timers.get(key));
  timers.set(
    key,
    setTimeout(() => saveDraft(key), UPLOAD_DELAY_MS),
  );
}

/** @param {string} key */
async function saveDraft(key) {
  const draft = drafts.get(key);
  if (!draft || draft.saved || setting("enable_drafts_synchronization") === false) return;
  if (uploading.has(key)) return scheduleSave(key);
  const { content } = draft;
  uploading.add(key);
  try {
    const id = await uploadDraft(draft);
    const now = drafts.get(key);
    if (!now)
      remove(`/drafts/${id}`).catch(() => {}); // the message was sent meanwhile
    else Object.assign(now, { id, saved: now.content === content });
    if (now) putEntry("drafts", now);
  } catch {
    scheduleSave(key); // it is stored on this device; try the server again later
  } finally {
    uploading.delete(key);
  }
}

/** @param {Draft} draft
 * @returns {Promise<number>} its id on the server */
async function uploadDraft({ to, content, at, id }) {
  const where = isInChannel(to)
    ? { type: "stream", to: [to.channel], topic: to.topic }
    : { type: "private", to: to.people, topic: "" };
  const body = { ...where, content, timestamp: Math.floor(at) };
  if (id !== null) {
    await patch(`/drafts/${id}`, { draft: body });
    return id;
  }
  const response = await post("/drafts", { drafts: [body] });
  return response.ids[0];
}
