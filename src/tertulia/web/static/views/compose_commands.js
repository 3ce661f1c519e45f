/** Commands of the compose box and of pending messages. */

import { pageScope } from "../core/scope.js";
import { command } from "./commands.js";
import { currentComposeBox, isSameTarget } from "./compose.js";
import { splitAttachments } from "../state/attachments.js";
import { conversationOf } from "../state/conversations.js";
import { setDraft } from "../state/drafts.js";
import { conversationHash } from "../state/narrow.js";
import { retrySend, withdraw } from "../sync/outbox.js";
import { get } from "../core/api.js";
import { lazy } from "../core/lazy.js";
import { nameOf } from "../state/people.js";
import { goTo } from "../core/router.js";
import { toast } from "./layout.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/messages.js").Message} Message */

export function registerComposeCommands() {
  pageScope.listen(document, "dragenter", async (/** @type {DragEvent} */ event) => {
    if (event.dataTransfer?.types.includes("Files") && !document.querySelector("dialog[open]"))
      (await lazy("dialogs", "showDropFrame"))();
  });
  command("send", () => currentComposeBox()?.send());
  command("preview", () => currentComposeBox()?.showPreview());
  command("attach", async () => (await currentComposeBox()?.extend())?.attachments.openPicker());
  command("format", ({ element }) => currentComposeBox()?.format(element.dataset.how ?? ""));
  command("quote", ({ message }) => message && quoteMessage(message));
  command(
    "mention-sender",
    ({ message }) => message && insertForMessage(message, `@**${nameOf(message.sender_id)}** `),
  );
  command("reply-direct", ({ message }) => message && composeAt(`#narrow/dm/${message.sender_id}`, ""));
  command("send-again", ({ element }) => retrySend(entryAt(element)));
  command("drop-entry", ({ element }) => withdraw(entryAt(element)));
  command("edit-entry", ({ element }) => {
    const entry = withdraw(entryAt(element));
    if (!entry) return;
    const { text, files } = splitAttachments(entry.content);
    const box = currentComposeBox();
    box?.setFiles([...box.files, ...files]);
    box?.insert(text, { alone: true });
    setDraft(entry.to, box?.content ?? entry.content);
  });
}

/** @param {HTMLElement} element */
function entryAt(element) {
  const article = element.closest("[data-entry]");
  return article instanceof HTMLElement ? (article.dataset.entry ?? "") : "";
}

/** Quote a message, or the part of it that is selected, in the compose box of its conversation.
 * @param {Message} message */
async function quoteMessage(message) {
  const selected = selectionIn(message);
  if (selected) return insertForMessage(message, quotedText(message, (await lazy("composer", "markdownOf"))(selected)));
  let content;
  try {
    content = (await get(`/messages/${message.id}`, { apply_markdown: false, allow_empty_topic_name: true })).message
      .content;
  } catch (error) {
    return toast(/** @type {Error} */ (error).message);
  }
  return insertForMessage(message, quotedText(message, content));
}

/** The part of a message's text that is selected, unless nothing or all of it is.
 * @param {Message} message
 * @returns {DocumentFragment | undefined} */
function selectionIn(message) {
  const text = document.querySelector(`article[data-id="${message.id}"] .what`);
  const selection = getSelection();
  if (!text || !selection || selection.isCollapsed || !selection.rangeCount || !selection.containsNode(text, true))
    return undefined;
  const part = selection.getRangeAt(0).cloneRange();
  if (!text.contains(part.startContainer)) part.setStart(text, 0);
  if (!text.contains(part.endContainer)) part.setEnd(text, text.childNodes.length);
  const words = part.toString().trim();
  return words && words !== text.textContent?.trim() ? part.cloneContents() : undefined;
}

/** Content as a quote of a message, with a link to it.
 * @param {Message} message
 * @param {string} content
 * @returns {string} */
export function quotedText(message, content) {
  const fence = "`".repeat(Math.max(3, ...[...content.matchAll(/^`+/gm)].map(([ticks]) => ticks.length + 1)));
  const link = location.origin + "/" + conversationHash(conversationOf(message), message.id);
  const who = t("compose.quoted", { name: `@_**${nameOf(message.sender_id)}|${message.sender_id}**`, link });
  return `${who}\n${fence}quote\n${content}\n${fence}\n`;
}

/** Insert text into the compose box of a message's conversation.
 * @param {Message} message
 * @param {string} text */
function insertForMessage(message, text) {
  const conversation = conversationOf(message);
  const box = currentComposeBox();
  if (box && isSameTarget(box.home, conversation)) insertIntoBox(text);
  else composeAt(conversationHash(conversation, message.id), text);
}

/** Go to an address and focus its compose box.
 * @param {string} hash
 * @param {string} text to insert */
export function composeAt(hash, text) {
  goTo(hash, () => insertIntoBox(text));
}

/** @param {string} text */
function insertIntoBox(text) {
  currentComposeBox()?.insert(text, { alone: !text.startsWith("@") });
}
