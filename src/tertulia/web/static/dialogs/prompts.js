/** Dialogs about a message: reminder, report. */

import { post } from "../core/api.js";
import { h } from "../core/html.js";
import { oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { MomentField } from "../views/moment_field.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { openDialog } from "./dialog.js";

const REPORTS = ["spam", "harassment", "inappropriate", "norms", "other"];

/** @param {import("../views/commands.js").CommandContext} context */
export function remind({ message }) {
  if (!message) return;
  const moment = new MomentField(t("schedule.when"));
  const note = h("input", { class: "f", "aria-label": t("remind.note"), maxlength: 500, dir: "auto" });
  const go = async () => {
    const { date } = moment;
    if (!date) return;
    const at = Math.floor(date.getTime() / 1000);
    const text = note.value.trim();
    try {
      await post("/reminders", {
        message_id: message.id,
        scheduled_delivery_timestamp: at,
        ...(text && { note: text }),
      });
      dialog.close();
      toast(t("remind.done", { when: formatFullTime(at) }));
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  };
  const dialog = openDialog(
    t("menu.remind"),
    [h("div", { class: "fields" }, moment.element, h("label", { class: "field" }, t("remind.note"), note))],
    { footer: [h("button", { class: "b go", type: "button", onclick: oneAtATime(go) }, t("menu.remind"))] },
  );
}

/** @param {import("../views/commands.js").CommandContext} context */
export function report({ message }) {
  if (!message) return;
  const kind = h(
    "select",
    { class: "f", "aria-label": t("report.kind") },
    ...REPORTS.map((each) => h("option", { value: each }, t(`report.${each}`))),
  );
  const text = h("textarea", { class: "f", rows: 3, "aria-label": t("report.text"), maxlength: 1000, dir: "auto" });
  const go = async () => {
    try {
      await post(`/messages/${message.id}/report`, { report_type: kind.value, description: text.value });
      dialog.close();
      toast(t("report.done"));
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  };
  const dialog = openDialog(
    t("menu.report"),
    [
      h(
        "div",
        { class: "fields" },
        h("label", { class: "field" }, t("report.kind"), kind),
        h("label", { class: "field" }, t("report.text"), text),
      ),
    ],
    { footer: [h("button", { class: "b go", type: "button", onclick: oneAtATime(go) }, t("report.do"))] },
  );
}
