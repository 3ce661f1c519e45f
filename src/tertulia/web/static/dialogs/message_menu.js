/** The menu of a message. */

import { withErrorToast, copyLink, copyToClipboard, setStar } from "../views/message_actions.js";
import { apiUrl, describeError, get, remove } from "../core/api.js";
import { emit } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { setHidden } from "../views/message_row.js";
import { currentMessageView } from "../views/message_view.js";
import { runCommand } from "../views/commands.js";
import { isSpectator, state, myId, realm } from "../state/session.js";
import { h, icon } from "../core/html.js";
import { mayDelete } from "../state/deletion.js";
import { nameOf } from "../state/people.js";
import { t } from "../core/i18n.js";
import { openDialog } from "./dialog.js";
import { openMenu } from "./popover.js";
import { showUndo } from "./undo.js";

/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {import("../views/commands.js").CommandContext} CommandContext */
/** @typedef {import("./popover.js").MenuItem} MenuItem */

/** @param {CommandContext} context */
export function messageMenu({ element, event, message }) {
  if (!message) return;
  const anchor = element.matches("button")
    ? element
    : /** @type {HTMLElement} */ (element.querySelector(".act .more") ?? element);
  const by = (/** @type {string} */ name) => () => runCommand(name, element, event);
  const isMine = message.sender_id === myId();
  const starred = message.flags.includes("starred");
  if (isSpectator())
    return void openMenu(anchor, t("row.more"), [
      { icon: "link", text: t("menu.copy-link"), act: () => copyLink(message) },
    ]);
  const mayReport = !isMine && (realm("moderation_request_channel_id") ?? -1) > 0;
  const hasPreviews = message.content.includes('class="message_embed"');
  const changes = /** @type {MenuItem[]} */ ([
    ...(message.type === "stream" ? [{ icon: "move", text: t("menu.move-message"), key: "M", act: by("move") }] : []),
    ...((isMine || state.is_admin) && hasPreviews
      ? [
          {
            icon: "close",
            text: t("menu.remove-previews"),
            act: () => withErrorToast(remove(`/messages/${message.id}/link_previews`)),
          },
        ]
      : []),
    ...(mayReport ? [{ icon: "alert", text: `${t("menu.report")}…`, risk: true, act: by("report") }] : []),
    ...(mayDelete(message)
      ? [{ icon: "trash", text: t("menu.delete"), risk: true, act: () => deleteMessage(message) }]
      : []),
  ]);
  openMenu(anchor, t("row.more"), [
    { icon: "reply", text: t("row.quote"), key: ">", act: by("quote") },
    { icon: "chat", text: t("menu.reply"), key: "R", act: by("reply") },
    { icon: "smile", text: t("row.react"), key: ":", act: by("react") },
    ...(isMine && isStillEditable(message) ? [{ icon: "draft", text: t("menu.edit"), key: "E", act: by("edit") }] : []),
    { icon: "forward", text: t("menu.forward"), key: "<", act: by("forward") },
    {
      icon: "star",
      text: t(starred ? "row.unstar" : "row.star"),
      key: "Ctrl S",
      act: () => withErrorToast(setStar(message, !starred)),
    },
    { icon: "inbox", text: t("menu.unread"), key: "Shift U", act: by("unread-from-here") },
    "line",
    { icon: "later", text: `${t("menu.remind")}…`, act: by("remind") },
    { icon: "link", text: t("menu.copy-link"), key: "Shift L", act: () => copyLink(message) },
    { icon: "copy", text: t("menu.copy-text"), act: () => copyText(message) },
    { icon: "code", text: t("menu.source"), act: () => viewSource(message) },
    ...(realm("enable_read_receipts")
      ? [{ icon: "eye", text: t("menu.receipts"), key: "Shift V", act: by("read-receipts") }]
      : []),
    ...(message.last_edit_timestamp || message.last_moved_timestamp
      ? [{ icon: "clock", text: t("menu.history"), key: "Shift H", act: by("history") }]
      : []),
    ...(changes.length ? /** @type {MenuItem[]} */ (["line", ...changes]) : []),
  ]);
}

/** @param {Message} message */
export function deleteMessage(message) {
  const show = (/** @type {boolean} */ isHidden) => {
    setHidden(message.id, isHidden);
    emit("messageChanged", message.id);
  };
  const view = currentMessageView();
  if (view?.focusedId === message.id) view.moveFocus(-1) || view.moveFocus(1); // else the focus is lost with the row
  show(true);
  const commit = async () => {
    const response = await fetch(apiUrl(`/messages/${message.id}`), { method: "DELETE", keepalive: true }).catch(
      () => null,
    ); // the page may be closing
    if (response?.ok) return;
    show(false);
    toast((response && (await describeError(await response.json()))) ?? t("delete.failed"));
  };
  showUndo({ icon: "trash", text: t("undo.deleted"), undo: () => show(false), commit });
}

/** The dialog with the people who have read a message.
 * @param {CommandContext} context */
export async function readReceipts({ message }) {
  if (!message) return;
  const response = await withErrorToast(get(`/messages/${message.id}/read_receipts`));
  if (!response) return;
  const names = response.user_ids.map(nameOf).sort();
  const list = names.length
    ? h("ul", { class: "plain kept" }, ...names.map((/** @type {string} */ name) => h("li", {}, h("bdi", {}, name))))
    : h("p", { class: "quiet" }, t("receipts.none"));
  openDialog(t("receipts.title", { count: names.length }), [list]);
}

/** The dialog with the text of a message as it was written.
 * @param {Message} message */
async function viewSource(message) {
  const response = await withErrorToast(
    get(`/messages/${message.id}`, { apply_markdown: false, allow_empty_topic_name: true }),
  );
  if (!response) return;
  const { content } = response.message;
  const copy = h(
    "button",
    { class: "b", type: "button", onclick: () => copyToClipboard(content) },
    icon("copy", "s"),
    t("menu.copy-text"),
  );
  openDialog(t("menu.source"), [h("pre", { class: "source", dir: "auto", tabindex: 0 }, content)], { footer: [copy] });
}

/** @param {Message} message */
async function copyText(message) {
  const response = await withErrorToast(get(`/messages/${message.id}`, { apply_markdown: false }));
  if (response) await copyToClipboard(response.message.content);
}

/** @param {Message} message */
function isStillEditable(message) {
  const limit = realm("message_content_edit_limit_seconds");
  return (
    realm("allow_message_editing") &&
    (limit === null || limit === undefined || Date.now() / 1000 - message.timestamp < limit)
  );
}
