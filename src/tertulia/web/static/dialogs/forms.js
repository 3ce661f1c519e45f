/** Forms of settings: a row for each, saved when it is changed, with a word about how that went. */

import { h } from "../core/html.js";
import { state } from "../state/session.js";
import { oneAtATime } from "../core/signals.js";
import { t } from "../core/i18n.js";

/** @typedef {{name: string, label: string, value: any, save: (value: any) => Promise<unknown>, hint?: string,
 *   choices?: [any, string][], kind?: "text" | "long" | "number" | "password" | "email" | "date", disabled?: boolean}} Row */

/** A setting that is on or off, one of several, or a text.
 * @param {Row} row
 * @returns {HTMLElement} */
export function settingRow(row) {
  const note = h("small", { class: "quiet", "aria-live": "polite" });
  const field = fieldOf(row);
  field.addEventListener("change", async () => {
    note.classList.remove("wrong");
    try {
      await row.save(valueIn(field, row));
      note.textContent = t("forms.saved");
    } catch (error) {
      note.classList.add("wrong");
      note.textContent = /** @type {Error} */ (error).message;
    }
  });
  const hint = row.hint && h("small", { class: "hint" }, row.hint);
  if (typeof row.value === "boolean") return h("label", { class: "choice" }, field, h("span", {}, row.label, " ", note), hint);
  return h("label", { class: "field" }, h("span", {}, row.label, " ", note), field, hint);
}

/** A part of a form with a title.
 * @param {string} title
 * @param {...(import("../core/html.js").Child)} rows */
export function formSection(title, ...rows) {
  return h("section", { class: "fields" }, h("h2", {}, title), ...rows);
}

/** A field with its words above it.
 * @param {string} text
 * @param {HTMLElement} field */
export function labelled(text, field) {
  return h("label", { class: "field" }, h("span", {}, text), field);
}

/** A button that does something and says how it went.
 * @param {string} text
 * @param {() => Promise<unknown>} work
 * @param {string} [extra] classes */
export function actionButton(text, work, extra = "") {
  const note = h("small", { class: "quiet", "aria-live": "polite" });
  const button = h("button", { class: `b ${extra}`, type: "button", onclick: oneAtATime(async () => {
    try {
      note.classList.remove("wrong");
      note.textContent = String((await work()) ?? t("forms.done"));
    } catch (error) {
      note.classList.add("wrong");
      note.textContent = /** @type {Error} */ (error).message;
    }
  }) }, text);
  return h("div", { class: "set" }, button, note);
}

/** The groups that a permission may be given to, by name.
 * @returns {[number, string][]} */
export function groupChoices() {
  const groups = (state.realm_user_groups ?? []).filter((/** @type {any} */ group) => !group.deactivated);
  return groups.map((/** @type {any} */ group) => [group.id, groupName(group)]);
}

/** @param {{name: string, is_system_group: boolean}} group */
export function groupName(group) {
  return group.is_system_group ? t(`group.${group.name}`) : group.name;
}

/** A permission, as a choice of groups; one that is given to several people in place is shown as such.
 * @param {string} name
 * @param {string} label
 * @param {any} value
 * @param {(group: number) => Promise<unknown>} save
 * @param {boolean} [disabled] */
export function permissionRow(name, label, value, save, disabled = false) {
  const isPlain = typeof value === "number";
  const choices = /** @type {[any, string][]} */ ([...(isPlain ? [] : [["", t("group.several")]]), ...groupChoices()]);
  return settingRow({ name, label, value: isPlain ? value : "", choices, disabled, save: (chosen) => save(Number(chosen)) });
}

/** Whether one is among those to whom a permission is given: a group, or people and groups in place.
 * @param {any} given
 * @returns {boolean} */
export function isInPermission(given) {
  const group = typeof given === "number" ? (state.realm_user_groups ?? []).find((/** @type {any} */ each) => each.id === given) : given;
  if (!group) return false;
  return (group.members ?? group.direct_members ?? []).includes(state.user_id) || (group.direct_subgroup_ids ?? group.direct_subgroups ?? []).some(isInPermission);
}

/** @param {Row} row
 * @returns {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} */
function fieldOf({ name, value, choices, kind, disabled }) {
  if (choices) return h("select", { class: "f", name, disabled }, ...choices.map(([each, text]) => h("option", { value: each, selected: String(each) === String(value) }, text)));
  if (typeof value === "boolean") return h("input", { type: "checkbox", name, checked: value, disabled });
  if (kind === "long") {
    const area = h("textarea", { class: "f", name, rows: 3, dir: "auto", disabled });
    area.value = value ?? "";
    return area;
  }
  return h("input", { class: "f", name, type: kind ?? "text", value: value ?? "", dir: "auto", disabled });
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 * @param {Row} row */
function valueIn(field, row) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") return field.checked;
  if (row.kind === "number" || (row.choices && typeof row.choices.at(-1)?.[0] === "number" && field.value !== "")) return Number(field.value);
  return field.value;
}
