/** Values of custom profile fields, to show and to edit. */

import { patch } from "../core/api.js";
import { h } from "../core/html.js";
import { state } from "../state/session.js";
import { nameOf, people } from "../state/people.js";
import { currentLanguage, t } from "../core/i18n.js";
import { ChoicesField } from "../views/choice_field.js";
import { personChoices, settingRow } from "./forms.js";

/** @typedef {import("../admin/profile_fields.js").ProfileField} ProfileField */

/** A value as it is shown.
 * @param {ProfileField} field
 * @param {string | undefined} value
 * @returns {import("../core/html.js").Child} */
export function profileFact(field, value) {
  if (!value) return undefined;
  const data = JSON.parse(field.field_data || "{}");
  if (field.type === 3) return data[value]?.text ?? value;
  if (field.type === 4) return new Date(`${value}T12:00`).toLocaleDateString(currentLanguage(), { dateStyle: "long" });
  if (field.type === 6) return idsIn(value).map(nameOf).join(", ");
  const pattern = data.url_pattern ?? state.realm_default_external_accounts?.[data.subtype]?.url_pattern;
  const address =
    field.type === 5 ? value : field.type === 7 && pattern?.replace("%(username)s", encodeURIComponent(value));
  return address && /^https?:/.test(address)
    ? h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, value)
    : value;
}

/** A row that edits a value.
 * @param {ProfileField} field
 * @param {string} value */
export function profileFieldRow(field, value) {
  const save = (/** @type {import("./forms.js").FieldValue | number[]} */ chosen) =>
    patch("/users/me/profile_data", { data: [{ id: field.id, value: chosen }] });
  const row = {
    name: `field-${field.id}`,
    label: field.name,
    hint: field.hint,
    value,
    save,
    disabled: field.editable_by_user === false && !state.is_admin,
  };
  if (field.type === 3) {
    const choices = Object.entries(
      /** @type {Record<string, {text: string, order: string}>} */ (JSON.parse(field.field_data || "{}")),
    ).sort((a, b) => Number(a[1].order) - Number(b[1].order));
    return settingRow({
      ...row,
      choices: [["", "–"], ...choices.map(([key, each]) => /** @type {[string, string]} */ ([key, each.text]))],
    });
  }
  if (field.type === 6) return personField(field, value, save);
  return settingRow({ ...row, kind: field.type === 2 ? "long" : field.type === 4 ? "date" : "text" });
}

/** @param {ProfileField} field
 * @param {string} value
 * @param {(ids: number[]) => Promise<unknown>} save */
function personField(field, value, save) {
  const options = [...people.values()]
    .filter((person) => person.is_active && !person.is_bot)
    .sort((a, b) => a.full_name.localeCompare(b.full_name));
  const chosen = new ChoicesField(
    field.name,
    personChoices(options),
    t("choice.unknown"),
    (name) => t("permission.remove", { name }),
    {
      values: idsIn(value),
      changed: () => {
        save(chosen.values);
      },
    },
  );
  return chosen.element;
}

/** @param {string} value
 * @returns {number[]} */
function idsIn(value) {
  return value ? JSON.parse(value) : [];
}
