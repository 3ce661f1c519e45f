/** Everything that can be done with a message. */

import { attempt, copyLink, setStar } from "../views/message_actions.js";
import { get, remove } from "../core/api.js";
import { run } from "../views/commands.js";
import { isSpectator, known, myId, realm } from "../state/session.js";
import { h } from "../core/html.js";
import { nameOf } from "../state/people.js";
import { say } from "../core/i18n.js";
import { confirmed, openDialog } from "./dialog.js";
import { openMenu } from "./popover.js";

/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {import("../views/commands.js").Occasion} Occasion */

/** @param {Occasion} occasion */
export function messageMenu({ element, event, message }) {
  if (!message) return;
  const anchor = element.matches("button") ? element : /** @type {HTMLElement} */ (element.querySelector(".act .more") ?? element);
  const by = (/** @type {string} */ name) => () => run(name, element, event);
  const isMine = message.sender_id === myId();
  const starred = message.flags.includes("starred");
  if (isSpectator()) return void openMenu(anchor, say("row.more"), [{ icon: "link", text: say("menu.copy-link"), act: () => copyLink(message) }]);
  openMenu(anchor, say("row.more"), [
    { icon: "smile", text: say("row.react"), key: ":", act: by("react") },
    { icon: "reply", text: say("menu.reply"), key: "R", act: by("reply") },
    { icon: "quote", text: say("row.quote"), key: ">", act: by("quote") },
    { icon: "star", text: say(starred ? "row.unstar" : "row.star"), key: "Ctrl S", act: () => attempt(setStar(message, !starred)) },
    "line",
    ...(isMine && isStillEditable(message) ? [{ icon: "draft", text: say("menu.edit"), key: "E", act: by("edit") }] : []),
    ...(message.type === "stream" ? [{ icon: "move", text: say("menu.move"), key: "M", act: by("move") }] : []),
    { icon: "eye", text: say("menu.unread"), key: "Shift U", act: by("unread-from-here") },
    { icon: "later", text: say("menu.remind"), act: by("remind") },
    "line",
    { icon: "link", text: say("menu.copy-link"), key: "Shift L", act: () => copyLink(message) },
    { icon: "copy", text: say("menu.copy-text"), act: () => copyText(message) },
    ...(message.last_edit_timestamp || message.last_moved_timestamp ? [{ icon: "clock", text: say("menu.history"), key: "Shift H", act: by("history") }] : []),
    ...(realm("enable_read_receipts") ? [{ icon: "people", text: say("menu.receipts"), key: "Shift V", act: by("read-receipts") }] : []),
    ...(!isMine && realm("moderation_request_channel_id") > 0 ? [{ icon: "alert", text: say("menu.report"), act: by("report") }] : []),
    ...(isMine || known.is_admin ? [{ icon: "trash", text: say("menu.delete"), risk: true, act: () => deleteMessage(message) }] : []),
  ]);
}

/** @param {Message} message */
export async function deleteMessage(message) {
  if (await confirmed(say("delete.title"), say("delete.text"), say("menu.delete"))) await attempt(remove(`/messages/${message.id}`));
}

/** Who has read a message.
 * @param {Occasion} occasion */
export async function readReceipts({ message }) {
  if (!message) return;
  const answer = await attempt(get(`/messages/${message.id}/read_receipts`));
  if (!answer) return;
  const names = answer.user_ids.map(nameOf).sort();
  const list = names.length ? h("ul", { class: "plain kept" }, ...names.map((/** @type {string} */ name) => h("li", {}, h("bdi", {}, name)))) : h("p", { class: "quiet" }, say("receipts.none"));
  openDialog(say("receipts.title", { count: names.length }), [list]);
}

/** @param {Message} message */
async function copyText(message) {
  const answer = await attempt(get(`/messages/${message.id}`, { apply_markdown: false }));
  if (answer) await navigator.clipboard.writeText(answer.message.content);
}

/** @param {Message} message */
function isStillEditable(message) {
  const limit = realm("message_content_edit_limit_seconds");
  return realm("allow_message_editing") && (limit === null || limit === undefined || Date.now() / 1000 - message.timestamp < limit);
}

