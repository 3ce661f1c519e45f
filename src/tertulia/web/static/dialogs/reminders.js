/** The list of reminders. */

import { remove } from "../core/api.js";
import { h, iconButton } from "../core/html.js";
import { state } from "../state/session.js";
import { actionLink, emptyState, toast } from "../views/layout.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";

/** @returns {HTMLElement[]} the next first */
export function reminderRows() {
  return [...(state.reminders ?? [])]
    .sort((a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp)
    .map((reminder) => {
      const item = h(
        "li",
        {},
        h("p", { class: "cut", dir: "auto" }, reminder.content),
        h("small", {}, formatFullTime(reminder.scheduled_delivery_timestamp)),
        iconButton("trash", t("reminders.delete"), {
          onclick: () =>
            remove(`/reminders/${reminder.reminder_id}`).then(
              () => item.remove(),
              (error) => toast(error.message),
            ),
        }),
      );
      return item;
    });
}

export function showReminders() {
  const rows = reminderRows();
  const none = emptyState(
    t("reminders.none"),
    t("reminders.none-text"),
    actionLink("#inbox", t("view.inbox"), "inbox"),
  ); // shown while the list is empty
  bindToAddress(openDialog(t("view.reminders"), [h("ul", { class: "plain kept" }, ...rows), none]));
}
