/** The dialog that moves messages to another topic or channel. */

import { get, patch } from "../core/api.js";
import { offerUndo } from "../views/message_actions.js";
import { topicFieldCompletions } from "../state/typeahead_sources.js";
import { isInChannel } from "../state/conversations.js";
import { h } from "../core/html.js";
import { findMessage } from "../state/messages.js";
import { ChoiceField } from "../views/choice_field.js";
import { TypeaheadPopup } from "../views/typeahead_popup.js";
import { currentRoute } from "../core/router.js";
import { oneAtATime } from "../core/signals.js";
import { currentMessageView } from "../views/message_view.js";
import { t } from "../core/i18n.js";
import { openDialog } from "./dialog.js";
import { channelChoices } from "./forms.js";

/** @param {import("../views/commands.js").CommandContext} context */
export function moveMessages({ message }) {
  if (message?.type === "stream") moveDialog(message, "change_later");
}

/** Rename or move the whole topic that is shown. */
export function moveTopic() {
  const conversation = currentRoute()?.conversation;
  const message = findMessage(currentMessageView()?.messages.ids.at(-1) ?? 0);
  if (conversation && isInChannel(conversation) && message) moveDialog(message, "change_all");
}

/** @param {import("../state/messages.js").Message} message
 * @param {string} mode */
function moveDialog(message, mode) {
  const channel = new ChoiceField(t("label.channel"), channelChoices(), t("choice.unknown"), {
    value: message.stream_id,
  });
  const topic = h("input", {
    class: "f",
    "aria-label": t("compose.topic"),
    value: message.subject,
    maxlength: 60,
    dir: "auto",
  });
  const which = h(
    "select",
    { class: "f", "aria-label": t("move.which") },
    ...["change_one", "change_later", "change_all"].map((each) =>
      h("option", { value: each, selected: each === mode }, t(`move.${each}`)),
    ),
  );
  const notifyOld = h("input", { type: "checkbox" });
  const notifyNew = h("input", { type: "checkbox", checked: true });
  const list = h("ul", {
    class: "offer below",
    id: "move-offers",
    role: "listbox",
    "aria-label": t("offers.name"),
    hidden: true,
  });
  const popup = new TypeaheadPopup(topic, list, (text) => topicFieldCompletions(text, channel.value ?? 0));
  topic.addEventListener("keydown", (event) => popup.handleKey(event));
  const note = h("p", { class: "wrong", role: "alert", hidden: true });
  const go = async () => {
    const { value: to } = channel;
    if (!channel.validate() || to === undefined) return;
    const isOther = to !== message.stream_id;
    const channelChange = isOther ? { stream_id: to } : {};
    const before = { topic: message.subject, ...(isOther && { stream_id: message.stream_id }) };
    try {
      const isUndoable = which.value === "change_one" || (await isEmptyTopic(to, topic.value.trim()));
      await patch(`/messages/${message.id}`, {
        ...channelChange,
        topic: topic.value.trim(),
        propagate_mode: which.value,
        send_notification_to_old_thread: notifyOld.checked,
        send_notification_to_new_thread: notifyNew.checked,
      });
      dialog.close();
      const mode = which.value === "change_one" ? "change_one" : "change_all";
      if (isUndoable)
        offerUndo("move", t("undo.moved"), () =>
          patch(`/messages/${message.id}`, {
            ...before,
            propagate_mode: mode,
            send_notification_to_old_thread: false,
            send_notification_to_new_thread: false,
          }),
        );
    } catch (error) {
      note.hidden = false;
      note.textContent = /** @type {Error} */ (error).message;
    }
  };
  const dialog = openDialog(
    t("move.title"),
    [
      h(
        "div",
        { class: "fields" },
        h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, t("label.channel")), channel.element),
        h("label", { class: "field anchor" }, t("compose.topic"), topic, list),
        h("label", { class: "field" }, t("move.which"), which),
        h("label", { class: "choice" }, notifyNew, t("move.tell-new")),
        h("label", { class: "choice" }, notifyOld, t("move.tell-old")),
        note,
      ),
    ],
    { footer: [h("button", { class: "b go", type: "button", onclick: oneAtATime(go) }, t("menu.move"))] },
  );
}

/** Whether a topic has no messages: then a move to it can be undone without moving others.
 * @param {number} channel
 * @param {string} topic */
async function isEmptyTopic(channel, topic) {
  const narrow = [
    { operator: "channel", operand: channel },
    { operator: "topic", operand: topic },
  ];
  return (await get("/messages", { anchor: "newest", num_before: 1, num_after: 0, narrow })).messages.length === 0;
}
