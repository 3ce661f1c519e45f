/** What can be done with the box and with what waits to be sent: the commands of writing. */

import { deleteDatabases } from "../core/account_data.js";
import { command } from "./commands.js";
import { keepWriting, openBox } from "./compose.js";
import { conversationOf, keyOf } from "../state/conversations.js";
import { learnDrafts, setDraft } from "../state/drafts.js";
import { known, myId } from "../state/session.js";
import { conversationHash } from "../state/narrow.js";
import { openOutbox, hurryOutbox, recognize, sendAgain, takeBack } from "../sync/outbox.js";
import { get } from "../core/api.js";
import { nameOf } from "../state/people.js";
import { openShelves } from "../core/local_store.js";
import { on } from "../core/signals.js";
import { toast } from "./layout.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/messages.js").Message} Message */

export async function startWriting() {
  deleteDatabases(myId()).catch(() => {});
  await openShelves(myId());
  await learnDrafts(known);
  await openOutbox();
  on("replaced", () => learnDrafts(known));
  on("arrived", (message) => recognize(message.local_message_id, message.id));
  on("connection", hurryOutbox);
  addEventListener("pagehide", keepWriting);
  addEventListener("visibilitychange", keepWriting);
}

export function learnToWrite() {
  command("send", () => openBox()?.send());
  command("preview", () => openBox()?.showPreview());
  command("attach", () => openBox()?.attachments.choose());
  command("format", ({ element }) => openBox()?.format(element.dataset.how ?? ""));
  command("quote", ({ message }) => message && quote(message));
  command("mention-sender", ({ message }) => message && writeAt(message, `@**${nameOf(message.sender_id)}** `));
  command("reply-direct", ({ message }) => message && goWrite(`#narrow/dm/${message.sender_id}`, ""));
  command("send-again", ({ element }) => sendAgain(entryAt(element)));
  command("drop-entry", ({ element }) => takeBack(entryAt(element)));
  command("edit-entry", ({ element }) => {
    const entry = takeBack(entryAt(element));
    if (!entry) return;
    openBox()?.insert(entry.content, { alone: true });
    setDraft(entry.to, openBox()?.box.value ?? entry.content);
  });
}

/** @param {HTMLElement} element */
function entryAt(element) {
  const article = element.closest("[data-entry]");
  return article instanceof HTMLElement ? (article.dataset.entry ?? "") : "";
}

/** Quote a message and go on to answer it.
 * @param {Message} message */
async function quote(message) {
  let content;
  try {
    content = (await get(`/messages/${message.id}`, { apply_markdown: false, allow_empty_topic_name: true })).message.content;
  } catch (error) {
    return toast(/** @type {Error} */ (error).message);
  }
  const fence = "`".repeat(Math.max(3, ...[...content.matchAll(/^`+/gm)].map(([ticks]) => ticks.length + 1)));
  const link = location.origin + "/" + conversationHash(conversationOf(message), message.id);
  const who = say("compose.quoted", { name: `@_**${nameOf(message.sender_id)}|${message.sender_id}**`, link });
  return writeAt(message, `${who}\n${fence}quote\n${content}\n${fence}\n`);
}

/** Put something into the box of the conversation that a message is in.
 * @param {Message} message
 * @param {string} text */
function writeAt(message, text) {
  const conversation = conversationOf(message);
  const box = openBox();
  if (box && !box.topic && keyOf(box.conversation) === keyOf(conversation)) insertHere(text);
  else goWrite(conversationHash(conversation, message.id), text);
}

/** Go somewhere and write there.
 * @param {string} hash
 * @param {string} text to begin with */
export function goWrite(hash, text) {
  if (location.hash === hash) return insertHere(text);
  const stop = on("place", (place) => {
    stop();
    if (place.hash === hash) requestAnimationFrame(() => insertHere(text));
  });
  location.hash = hash;
  return undefined;
}

/** @param {string} text */
function insertHere(text) {
  openBox()?.insert(text, { alone: !text.startsWith("@") });
}
