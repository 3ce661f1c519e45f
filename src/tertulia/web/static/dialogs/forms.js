/** Rows of settings forms. A row saves its setting when it is changed, and shows the result. */

import { h } from "../core/html.js";
import { myChannels } from "../state/channels.js";
import { myId, state } from "../state/session.js";
import { ChoiceField } from "../views/choice_field.js";
import { oneAtATime } from "../core/signals.js";
import { t } from "../core/i18n.js";

/** @typedef {string | number | boolean} FieldValue */
/** @typedef {import("../state/types.d.ts").Permission} Permission */
/** @typedef {import("../state/types.d.ts").Group} Group */
/** @typedef {{name: string, label: string, value: FieldValue | null | undefined, save: (value: FieldValue) =>
 *   Promise<unknown>, hint?: string, choices?: [string | number, string][], kind?: "text" | "long" | "number" |
 *   "password" | "email" | "date", disabled?: boolean}} Row */

/** A row with a checkbox, a selection or a text field.
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
  if (typeof row.value === "boolean")
    return h("label", { class: "choice" }, field, h("span", {}, row.label, " ", note), hint);
  return h("label", { class: "field" }, h("span", {}, row.label, " ", note), field, hint);
}

/** A switch and two times: hours of each day, such as "22:00-07:00", or none.
 * @param {string} value
 * @param {(value: string) => void} changed
 * @param {Record<string, unknown>} [attributes] of the switch */
export function hoursField(value, changed, attributes = {}) {
  const box = h("input", { type: "checkbox", ...attributes, checked: value !== "" });
  const [from, until] = (value || "22:00-07:00").split("-").map((each, at) =>
    h("input", {
      class: "f",
      type: "time",
      required: true,
      value: each,
      disabled: Boolean(attributes.disabled),
      "aria-label": t(at ? "hours.until" : "hours.from"),
    }),
  );
  const times = h("div", { class: "hours" }, from, "–", until);
  const update = () => {
    times.hidden = !box.checked;
  };
  const save = () => {
    update();
    if (!box.checked) changed("");
    else if (from.value && until.value) changed(`${from.value}-${until.value}`);
  };
  for (const each of [box, from, until]) each.addEventListener("change", save);
  update();
  return { box, times };
}

/** A row for hours of each day, which saves them.
 * @param {{name: string, label: string, hint: string, value: string, save: (value: string) => Promise<unknown>}} row */
export function hoursRow({ name, label, hint, value, save }) {
  const note = h("small", { class: "quiet", "aria-live": "polite" });
  const changed = async (/** @type {string} */ hours) => {
    const problem = await save(hours).then(
      () => "",
      (error) => error.message,
    );
    note.classList.toggle("wrong", problem !== "");
    note.textContent = problem || t("forms.saved");
  };
  const { box, times } = hoursField(value, changed, { name, id: `setting-${name}` });
  const title = h("label", { for: box.id }, label);
  return h(
    "div",
    { class: "choice" },
    box,
    h("span", {}, title, " ", note, h("small", { class: "hint" }, hint)),
    times,
  );
}

/** A section of a form.
 * @param {string} title
 * @param {...(import("../core/html.js").Child)} rows */
export function formSection(title, ...rows) {
  return h("section", { class: "fields" }, h("h2", {}, title), ...rows);
}

/** A field with its label above it.
 * @param {string} text
 * @param {HTMLElement} field */
export function labelled(text, field) {
  return h("label", { class: "field" }, h("span", {}, text), field);
}

/** A button that runs an action and shows the result.
 * @param {string} text
 * @param {() => Promise<unknown>} work
 * @param {string} [extra] classes */
export function actionButton(text, work, extra = "") {
  const note = h("small", { class: "quiet", "aria-live": "polite" });
  const button = h(
    "button",
    {
      class: `b ${extra}`,
      type: "button",
      onclick: oneAtATime(async () => {
        try {
          note.classList.remove("wrong");
          note.textContent = String((await work()) ?? t("forms.done"));
        } catch (error) {
          note.classList.add("wrong");
          note.textContent = /** @type {Error} */ (error).message;
        }
      }),
    },
    text,
  );
  return h("div", { class: "set" }, button, note);
}

/** A row with a searchable list, which saves what is chosen.
 * @param {string} label
 * @param {import("../views/choice_field.js").Choice<string>[]} choices
 * @param {string} value
 * @param {(value: string) => Promise<unknown>} save */
export function choiceRow(label, choices, value, save) {
  const note = h("small", { class: "quiet", "aria-live": "polite" });
  const field = new ChoiceField(label, choices, t("choice.unknown"), {
    value,
    changed: async () => {
      const result = await save(field.value ?? value).then(
        () => t("forms.saved"),
        (error) => error.message,
      );
      note.textContent = result;
    },
  });
  return h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, label, " "), note, field.element);
}

/** The channels of the person, as choices of a field.
 * @returns {import("../views/choice_field.js").Choice<number>[]} */
export function channelChoices() {
  return myChannels().map(({ stream_id: value, name: label }) => ({ value, label }));
}

/** People as choices of a field. Two people with the same name are shown with their addresses.
 * @param {import("../state/people.js").Person[]} persons
 * @returns {import("../views/choice_field.js").Choice<number>[]} */
export function personChoices(persons) {
  const [names, shared] = [new Set(), new Set()];
  for (const { full_name: name } of persons) (names.has(name) ? shared : names).add(name);
  return persons.map(({ user_id: value, full_name: name, delivery_email: address, email }) => ({
    value,
    label: shared.has(name) ? `${name} (${address ?? email})` : name,
  }));
}

/** @param {{name: string, is_system_group: boolean}} group */
export function groupName(group) {
  return group.is_system_group ? t(`group.${group.name}`) : group.name;
}

/** Whether the person has a permission.
 * @param {Permission | undefined} permission
 * @returns {boolean} */
export function isInPermission(permission) {
  if (permission === undefined) return false;
  if (typeof permission !== "number")
    return permission.direct_members.includes(myId()) || permission.direct_subgroups.some(isInPermission);
  const group = (state.realm_user_groups ?? []).find((each) => each.id === permission);
  return group !== undefined && (group.members.includes(myId()) || group.direct_subgroup_ids.some(isInPermission));
}

/** @param {Row} row
 * @returns {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} */
function fieldOf({ name, value, choices, kind, disabled }) {
  if (choices)
    return h(
      "select",
      { class: "f", name, disabled },
      ...choices.map(([each, text]) => h("option", { value: each, selected: String(each) === String(value) }, text)),
    );
  if (typeof value === "boolean") return h("input", { type: "checkbox", name, checked: value, disabled });
  if (kind === "long") {
    const area = h("textarea", { class: "f", name, rows: 3, dir: "auto", disabled });
    area.value = String(value ?? "");
    return area;
  }
  return h("input", { class: "f", name, type: kind ?? "text", value: value ?? "", dir: "auto", disabled });
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 * @param {Row} row */
function valueIn(field, row) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") return field.checked;
  if (row.kind === "number" || (row.choices && typeof row.choices.at(-1)?.[0] === "number" && field.value !== ""))
    return Number(field.value);
  return field.value;
}
