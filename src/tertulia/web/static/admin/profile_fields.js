/** Settings of custom profile fields. */

import { patch, post, remove } from "../core/api.js";
import { h } from "../core/html.js";
import { state } from "../state/session.js";
import { t } from "../core/i18n.js";
import { confirmAction, openDialog } from "../dialogs/dialog.js";
import { labelled, settingRow } from "../dialogs/forms.js";
import {
  formDialog,
  headButton,
  itemTable,
  menuButton,
  nameCell,
  raised,
  raising,
  removal,
  sectionHead,
} from "./parts.js";

/** @typedef {{id: number, name: string, hint: string, type: number, field_data: string, display_in_profile_summary?:
 *   boolean, required?: boolean, editable_by_user?: boolean}} ProfileField */

const DROPDOWN = 3;
const EXTERNAL = 7;
const SWITCHES = /** @type {const} */ (["display_in_profile_summary", "required", "editable_by_user"]);

/** @param {import("./sections.js").Pane} pane */
export function orgFields({ scope }) {
  const heads = [t("label.name"), t("label.kind"), t("field.filled-by")];
  const table = itemTable(t("org.fields"), heads, t("field.none"), (/** @type {ProfileField} */ field, at) => ({
    cells: [
      nameCell(field.name, field.hint),
      t(`field.kind.${field.type}`),
      t(field.editable_by_user === false ? "field.by-administrators" : "field.by-people"),
    ],
    end: state.is_admin && menuButton(field.name, fieldMenu(field, at)),
  }));
  const draw = () => table.draw(fields());
  scope.on("people", draw);
  draw();
  const head = state.is_admin && headButton(t("field.add"), newField);
  return [sectionHead(t("org.fields"), t("field.text"), head), table.element];
}

/** @returns {ProfileField[]} */
function fields() {
  return state.custom_profile_fields ?? [];
}

/** @param {ProfileField} field
 * @param {number} at */
function fieldMenu(field, at) {
  const ids = fields().map((each) => each.id);
  const remover = async () => {
    if (await confirmAction(t("admin.remove", { name: field.name }), t("field.remove-text"), t("menu.delete")))
      await remove(`/realm/profile_fields/${field.id}`);
  };
  return [
    { icon: "draft", text: t("menu.edit"), act: () => editField(field) },
    at > 0 && raising(() => patch("/realm/profile_fields", { order: raised(ids, at) })),
    removal(remover),
  ];
}

/** @param {ProfileField} field */
function editField(field) {
  const path = `/realm/profile_fields/${field.id}`;
  const change = (/** @type {string} */ name) => (/** @type {import("../dialogs/forms.js").FieldValue} */ value) =>
    patch(path, { [name]: value });
  openDialog(field.name, [
    h(
      "div",
      { class: "fields" },
      settingRow({ name: "name", label: t("label.name"), value: field.name, save: change("name") }),
      settingRow({ name: "hint", label: t("field.hint"), value: field.hint, save: change("hint") }),
      field.type === DROPDOWN &&
        settingRow({
          name: "choices",
          label: t("field.choices"),
          value: choicesIn(field),
          kind: "long",
          save: (value) => patch(path, { field_data: choiceData(String(value), field) }),
        }),
      ...SWITCHES.map((name) =>
        settingRow({
          name,
          label: t(`field.${name}`),
          value: Boolean(field[name] ?? name === "editable_by_user"),
          save: change(name),
        }),
      ),
    ),
  ]);
}

function newField() {
  const name = h("input", { class: "f", maxlength: 40 });
  const hint = h("input", { class: "f", maxlength: 80 });
  const kind = h(
    "select",
    { class: "f" },
    ...[1, 2, DROPDOWN, 4, 5, 6, EXTERNAL, 8].map((each) => h("option", { value: each }, t(`field.kind.${each}`))),
  );
  const choices = h("textarea", { class: "f", rows: 3, dir: "auto" });
  const account = h(
    "select",
    { class: "f" },
    ...Object.entries(state.realm_default_external_accounts ?? {}).map(([key, each]) =>
      h("option", { value: key }, each.text ?? key),
    ),
  );
  const extraFields = {
    [DROPDOWN]: labelled(t("field.choices"), choices),
    [EXTERNAL]: labelled(t("field.account"), account),
  };
  const show = () => {
    for (const [each, element] of Object.entries(extraFields)) element.hidden = each !== kind.value;
  };
  kind.addEventListener("change", show);
  show();
  const data = () =>
    Number(kind.value) === DROPDOWN
      ? { field_data: choiceData(choices.value) }
      : Number(kind.value) === EXTERNAL
        ? { field_data: { subtype: account.value } }
        : {};
  formDialog(
    t("field.add"),
    [
      labelled(t("label.name"), name),
      labelled(t("field.hint"), hint),
      labelled(t("label.kind"), kind),
      ...Object.values(extraFields),
    ],
    t("dialog.add"),
    () =>
      post("/realm/profile_fields", { name: name.value, hint: hint.value, field_type: Number(kind.value), ...data() }),
  );
}

/** The choices of a field, one per line.
 * @param {ProfileField} field */
function choicesIn(field) {
  const data = /** @type {Record<string, {text: string, order: string}>} */ (JSON.parse(field.field_data || "{}"));
  return Object.values(data)
    .sort((a, b) => Number(a.order) - Number(b.order))
    .map((each) => each.text)
    .join("\n");
}

/** Choices as the API reads them. An unchanged choice keeps its key, so profiles that use it stay valid.
 * @param {string} text
 * @param {ProfileField} [field] */
function choiceData(text, field) {
  const before = /** @type {Record<string, {text: string}>} */ (JSON.parse(field?.field_data || "{}"));
  const keys = new Map(Object.entries(before).map(([key, each]) => [each.text, key]));
  let next = Math.max(-1, ...Object.keys(before).map(Number).filter(Number.isFinite));
  const lines = [
    ...new Set(
      text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
    ),
  ];
  return Object.fromEntries(
    lines.map((line, at) => [keys.get(line) ?? String(++next), { text: line, order: String(at + 1) }]),
  );
}
