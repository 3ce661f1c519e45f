/** The reminders that one has set. */

import { remove } from "../core/api.js";
import { h, iconButton } from "../core/html.js";
import { known } from "../state/session.js";
import { toast } from "../views/layout.js";
import { fullTime } from "../views/time.js";
import { say } from "../core/i18n.js";
import { boundToAddress, openDialog } from "./dialog.js";

export function showReminders() {
  const rows = [...(known.reminders ?? [])].sort((a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp).map((reminder) => {
    const item = h("li", {}, h("p", { class: "cut", dir: "auto" }, reminder.content), h("small", {}, fullTime(reminder.scheduled_delivery_timestamp)),
      iconButton("trash", say("reminders.delete"), { onclick: () => remove(`/reminders/${reminder.reminder_id}`).then(() => item.remove(), (error) => toast(error.message)) }));
    return item;
  });
  boundToAddress(openDialog(say("reminders.title"), [rows.length ? h("ul", { class: "plain kept" }, ...rows) : h("p", { class: "quiet" }, say("reminders.none"))]));
}
