/** Editing a message in its row, and the history of its edits. */

import { storeForTab } from "../core/account_data.js";
import { withErrorToast } from "../views/message_actions.js";
import { get, patch } from "../core/api.js";
import { completions } from "../state/typeahead_sources.js";
import { applyChange, enterSends } from "../views/compose.js";
import { discardEdit, editForm, keepEdit, openEditForm } from "../views/edits.js";
import { enhance } from "../views/rendered_content.js";
import { lazy } from "../core/lazy.js";
import { h } from "../core/html.js";
import { TypeaheadPopup } from "../views/typeahead_popup.js";
import { nameOf } from "../state/people.js";
import { oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { formatFullTime } from "../views/time.js";
import { topicTitle } from "../state/conversations.js";
import { channelName } from "../state/channels.js";
import { t } from "../core/i18n.js";
import { openDialog } from "./dialog.js";

/** @typedef {import("../views/commands.js").CommandContext} CommandContext */

/** @param {CommandContext} context */
export async function editMessage({ message }) {
  if (!message) return;
  const open = editForm(message.id);
  if (open) return void open.querySelector("textarea")?.focus();
  const response = await withErrorToast(
    get(`/messages/${message.id}`, { apply_markdown: false, allow_empty_topic_name: true }),
  );
  if (!response) return;
  const continuationIn = await lazy("composer", "continuationIn").catch(() => undefined); // offline
  const before = response.message.content;
  const box = h("textarea", { dir: "auto", rows: 3, "aria-label": t("edit.box") });
  box.value = savedText(message.id) ?? before;
  const list = h("ul", {
    class: "offer",
    id: `edit-offers-${message.id}`,
    role: "listbox",
    "aria-label": t("offers.name"),
    hidden: true,
  });
  const popup = new TypeaheadPopup(box, list, (text, caret) =>
    completions(text, caret, { channel: message.stream_id, topic: message.subject }),
  );
  const save = oneAtATime(async () => {
    if (box.value === before) return close();
    box.readOnly = true; // text typed now would be lost
    try {
      await patch(`/messages/${message.id}`, { content: box.value });
      return close();
    } catch (error) {
      box.readOnly = false;
      return toast(/** @type {Error} */ (error).message);
    }
  });
  const close = (/** @type {boolean} */ keeps = false) => {
    if (keeps && box.value !== before) keepEdit(message.id);
    else discardEdit(message.id);
    document.getElementById(`message-${message.id}`)?.focus();
  };
  box.addEventListener("input", () => storeForTab(`edit-${message.id}`, box.value));
  box.addEventListener("keydown", (event) => {
    if (popup.handleKey(event)) return;
    const isPlainEnter =
      event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    const change = isPlainEnter ? continuationIn?.(box) : undefined;
    if (event.key === "Escape") close(true);
    else if (change) applyChange(box, change);
    else if (
      event.key === "Enter" &&
      !event.isComposing &&
      (event.ctrlKey || event.metaKey || (enterSends() && !event.shiftKey))
    )
      save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const form = h(
    "div",
    { class: "anchor" },
    list,
    h(
      "div",
      { class: "box" },
      box,
      h(
        "div",
        { class: "tools" },
        h(
          "span",
          { class: "end" },
          h("button", { class: "b", type: "button", onclick: () => close() }, t("dialog.cancel")),
          h("button", { class: "b go", type: "button", onclick: save }, t("dialog.save")),
        ),
      ),
    ),
  );
  openEditForm(message.id, form);
  requestAnimationFrame(() => requestAnimationFrame(() => box.focus()));
}

/** The versions of a message, with their differences.
 * @param {CommandContext} context */
export async function showHistory({ message }) {
  if (!message) return;
  const response = await withErrorToast(get(`/messages/${message.id}/history`, { allow_empty_topic_name: true }));
  if (!response) return;
  const versions = [...response.message_history].reverse().map(version);
  openDialog(t("menu.history"), [h("ol", { class: "plain versions" }, ...versions)]);
}

/** @param {import("../core/api_types.d.ts").Schemas["Version"]} entry */
function version(entry) {
  const body = h("div", { class: "what", dir: "auto" });
  body.append(enhance(entry.content_html_diff ?? entry.rendered_content));
  const moved = [
    entry.prev_topic !== undefined &&
      t("history.topic", { from: topicTitle(entry.prev_topic), to: topicTitle(entry.topic) }),
    entry.prev_stream !== undefined &&
      t("history.channel", { from: channelName(entry.prev_stream), to: channelName(entry.stream ?? 0) }),
  ].filter(Boolean);
  return h(
    "li",
    {},
    h("p", { class: "quiet" }, nameOf(entry.user_id), " · ", formatFullTime(entry.timestamp)),
    ...moved.map((text) => h("p", {}, text)),
    body,
  );
}

/** The edited text from before a reload.
 * @param {number} id */
function savedText(id) {
  return sessionStorage.getItem(`edit-${id}`);
}
