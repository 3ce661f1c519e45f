/** The audit log: actor, action, address and result, the newest first. */

import { get } from "../core/api.js";
import { h } from "../core/html.js";
import { nameOf } from "../state/people.js";
import { formatFullTime } from "../views/time.js";
import { t } from "../core/i18n.js";
import { formSection } from "../dialogs/forms.js";

/** @typedef {{id: number, at: number, actor_id: number | null, address: string, act: string, details: Record<string, unknown>, result: string}} Entry */

const PAGE_LENGTH = 50;

export async function auditPage() {
  const rows = h("tbody");
  const more = h("button", { class: "b", type: "button", onclick: () => fetchMore() }, t("audit.more"));
  let before = /** @type {number | undefined} */ (undefined);
  const fetchMore = async () => {
    const { entries } = await get("/realm/audit_log", { before, limit: PAGE_LENGTH });
    rows.append(...entries.map(entryRow));
    before = entries.at(-1)?.id;
    more.hidden = entries.length < PAGE_LENGTH;
  };
  await fetchMore();
  const heads = ["when", "who", "what", "result"].map((each) => h("th", { scope: "col" }, t(`audit.${each}`)));
  return [formSection(t("org.audit"), h("p", { class: "quiet" }, t("audit.text")),
    h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": t("org.audit") }, h("table", { class: "log" }, h("thead", {}, h("tr", {}, ...heads)), rows)), more)];
}

/** @param {Entry} entry */
function entryRow(entry) {
  const details = Object.entries(entry.details).map(([name, value]) => (value === null ? name : `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)).join(", ");
  return h("tr", {}, h("td", {}, formatFullTime(entry.at)), h("td", {}, h("bdi", {}, entry.actor_id === null ? "–" : nameOf(entry.actor_id)), h("small", {}, entry.address)),
    h("td", {}, h("code", {}, entry.act), details && h("small", {}, details)), h("td", { class: entry.result !== "done" && "wrong" }, entry.result));
}
