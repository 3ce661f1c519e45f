/** Scheduled messages: the menu that schedules one, and the list. */

import { patch, post, remove } from "../core/api.js";
import { currentComposeBox } from "../views/compose.js";
import { directWith, fullTitle, isInChannel } from "../state/conversations.js";
import { h, iconButton } from "../core/html.js";
import { oneAtATime } from "../core/signals.js";
import { state } from "../state/session.js";
import { conversationHash } from "../state/narrow.js";
import { actionLink, emptyState, toast } from "../views/layout.js";
import { MomentField } from "../views/moment_field.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";
import { openPopover } from "./popover.js";

/** @param {{element: HTMLElement}} context */
export function sendLater({ element }) {
  const box = currentComposeBox();
  if (!box?.content.trim()) return toast(t("schedule.nothing"));
  const moment = new MomentField(t("schedule.when"));
  const panel = h(
    "form",
    {
      class: "card schedule",
      role: "dialog",
      "aria-label": t("compose.later"),
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        const { date } = moment;
        if (!date) return;
        open.close();
        schedule(date);
      },
    },
    h("h2", {}, t("compose.later")),
    moment.element,
    h("button", { class: "b go" }, t("schedule.do")),
  );
  const open = openPopover(element, panel);
  return open;
}

/** @param {Date} time */
async function schedule(time) {
  const box = currentComposeBox();
  if (!box) return;
  const to = box.conversation;
  const entered = box.box.value;
  const content = box.content.trim();
  if (box.extension?.attachments.isUploading) return void toast(t("schedule.uploading"));
  const where = isInChannel(to)
    ? { type: "channel", to: to.channel, topic: to.topic }
    : { type: "direct", to: to.people };
  try {
    await post("/scheduled_messages", {
      ...where,
      content,
      scheduled_delivery_timestamp: Math.floor(time.getTime() / 1000),
    });
  } catch (error) {
    return void toast(/** @type {Error} */ (error).message);
  }
  box.setFiles([]);
  box.removeSent(entered, to);
  toast(
    t("schedule.done", { when: formatFullTime(time.getTime() / 1000) }),
    h("a", { class: "b bare", href: "#scheduled" }, t("schedule.show")),
  );
}

/** @returns {HTMLElement[]} the next first */
export function scheduledRows() {
  return [...(state.scheduled_messages ?? [])]
    .sort((a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp)
    .map(scheduledRow);
}

/** The list of scheduled messages. */
export function showScheduled() {
  const none = emptyState(
    t("schedule.none"),
    t("schedule.none-text"),
    actionLink("#recent", t("view.recent"), "clock"),
  ); // shown while the list is empty
  bindToAddress(openDialog(t("view.scheduled"), [h("ul", { class: "plain kept" }, ...scheduledRows()), none]));
}

/** @param {import("../core/api_types.d.ts").Schemas["ScheduledMessageObject"]} row */
function scheduledRow(row) {
  const to =
    row.type === "stream" ? { channel: [row.to].flat()[0], topic: row.topic ?? "" } : directWith([row.to].flat());
  const edit = iconButton("draft", t("schedule.edit"), { onclick: () => editScheduled(row, item) });
  const item = h(
    "li",
    {},
    h("a", { href: conversationHash(to) }, h("bdi", {}, fullTitle(to))),
    h("p", { class: "cut", dir: "auto" }, row.content),
    h("small", {}, row.failed ? t("schedule.failed") : formatFullTime(row.scheduled_delivery_timestamp)),
    edit,
    iconButton("trash", t("schedule.delete"), {
      onclick: async () => {
        await remove(`/scheduled_messages/${row.scheduled_message_id}`).then(
          () => item.remove(),
          (error) => toast(error.message),
        );
      },
    }),
  );
  return item;
}

/** Change the text or the time of a scheduled message.
 * @param {import("../core/api_types.d.ts").Schemas["ScheduledMessageObject"]} row
 * @param {HTMLElement} item */
function editScheduled(row, item) {
  const text = h("textarea", { class: "f", rows: 5, dir: "auto", "aria-label": t("schedule.text") });
  text.value = row.content;
  const moment = new MomentField(t("schedule.when"), { value: new Date(row.scheduled_delivery_timestamp * 1000) });
  const save = async () => {
    const { date } = moment;
    if (!date) return;
    const at = Math.floor(date.getTime() / 1000);
    const changes = {
      ...(text.value !== row.content && { content: text.value.trim() }),
      ...(at !== row.scheduled_delivery_timestamp && { scheduled_delivery_timestamp: at }),
    };
    try {
      if (Object.keys(changes).length) await patch(`/scheduled_messages/${row.scheduled_message_id}`, changes);
    } catch (error) {
      return void toast(/** @type {Error} */ (error).message);
    }
    dialog.close();
    item.replaceWith(scheduledRow({ ...row, ...changes, failed: false }));
  };
  const dialog = openDialog(
    t("schedule.edit"),
    [h("div", { class: "fields" }, h("label", { class: "field" }, t("schedule.text"), text), moment.element)],
    { footer: [h("button", { class: "b go", type: "button", onclick: oneAtATime(save) }, t("dialog.save"))] },
  );
}
