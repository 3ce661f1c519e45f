/** Editing a message where it stands, and looking at what it said before. */

import { keepForTab } from "../core/account_data.js";
import { attempt } from "../views/message_actions.js";
import { get, patch } from "../core/api.js";
import { completions } from "../state/typeahead_sources.js";
import { beginEdit, editForm, endEdit } from "../views/edits.js";
import { alive } from "../views/rendered_content.js";
import { h } from "../core/html.js";
import { Offers } from "../views/typeahead_popup.js";
import { nameOf } from "../state/people.js";
import { oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { fullTime } from "../views/time.js";
import { topicTitle } from "../state/conversations.js";
import { channelName } from "../state/channels.js";
import { say } from "../core/i18n.js";
import { openDialog } from "./dialog.js";

/** @typedef {import("../views/commands.js").Occasion} Occasion */

/** @param {Occasion} occasion */
export async function editMessage({ message }) {
  if (!message) return;
  const open = editForm(message.id);
  if (open) return void open.querySelector("textarea")?.focus();
  const answer = await attempt(get(`/messages/${message.id}`, { apply_markdown: false, allow_empty_topic_name: true }));
  if (!answer) return;
  const before = answer.message.content;
  const box = h("textarea", { dir: "auto", rows: 3, "aria-label": say("edit.box") });
  box.value = kept(message.id) ?? before;
  const list = h("ul", { class: "offer", id: `edit-offers-${message.id}`, role: "listbox", "aria-label": say("offers.name"), hidden: true });
  const offers = new Offers(box, list, (text, caret) => completions(text, caret, { channel: message.stream_id }));
  const save = oneAtATime(async () => {
    if (box.value === before) return close();
    box.readOnly = true; // what is typed now would be lost
    try {
      await patch(`/messages/${message.id}`, { content: box.value });
      return close();
    } catch (error) {
      box.readOnly = false;
      return toast(/** @type {Error} */ (error).message);
    }
  });
  const close = () => {
    sessionStorage.removeItem(`edit-${message.id}`);
    endEdit(message.id);
    document.getElementById(`message-${message.id}`)?.focus();
  };
  box.addEventListener("input", () => keepForTab(`edit-${message.id}`, box.value));
  box.addEventListener("keydown", (event) => {
    if (offers.key(event)) return;
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const form = h("div", { class: "anchor" }, list, h("div", { class: "box" }, box, h("div", { class: "tools" }, h("span", { class: "end" },
    h("button", { class: "b", type: "button", onclick: close }, say("dialog.cancel")), h("button", { class: "b go", type: "button", onclick: save }, say("edit.save"))))));
  beginEdit(message.id, form);
  requestAnimationFrame(() => requestAnimationFrame(() => box.focus()));
}

/** What a message said before, each version with its differences.
 * @param {Occasion} occasion */
export async function showHistory({ message }) {
  if (!message) return;
  const answer = await attempt(get(`/messages/${message.id}/history`, { allow_empty_topic_name: true }));
  if (!answer) return;
  const versions = [...answer.message_history].reverse().map(version);
  openDialog(say("history.title"), [h("ol", { class: "plain versions" }, ...versions)]);
}

/** @param {Record<string, any>} entry */
function version(entry) {
  const body = h("div", { class: "what", dir: "auto" });
  body.append(alive(entry.content_html_diff ?? entry.rendered_content));
  const moved = [entry.prev_topic !== undefined && say("history.topic", { from: topicTitle(entry.prev_topic), to: topicTitle(entry.topic) }),
    entry.prev_stream !== undefined && say("history.channel", { from: channelName(entry.prev_stream), to: channelName(entry.stream) })].filter(Boolean);
  return h("li", {}, h("p", { class: "quiet" }, nameOf(entry.user_id), " · ", fullTime(entry.timestamp)), ...moved.map((text) => h("p", {}, text)), body);
}

/** What was typed before the page was reloaded.
 * @param {number} id */
function kept(id) {
  return sessionStorage.getItem(`edit-${id}`);
}
