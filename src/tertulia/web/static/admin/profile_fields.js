/** Settings of custom profile fields. */

import { patch, post, remove } from "../core/api.js";
import { setChildren, h, iconButton } from "../core/html.js";
import { state } from "../state/session.js";
import { t } from "../core/i18n.js";
import { confirmAction } from "../dialogs/dialog.js";
import { actionButton, formSection, labelled, settingRow } from "../dialogs/forms.js";
import { raised } from "./lists.js";

/** @typedef {{id: number, name: string, hint: string, type: number, field_data: string, display_in_profile_summary?:
 *   boolean, required?: boolean, editable_by_user?: boolean}} ProfileField */

const DROPDOWN = 3;
const EXTERNAL = 7;
const SWITCHES = /** @type {const} */ (["display_in_profile_summary", "required", "editable_by_user"]);

/** @param {import("./sections.js").Pane} pane */
export function orgFields({ scope }) {
  const list = h("ul", { class: "plain kept-open" });
  const draw = () => setChildren(list, ...fields().map(fieldRow));
  scope.on("people", draw);
  draw();
  return [
    formSection(t("org.fields"), h("p", { class: "quiet" }, t("field.text")), list),
    state.is_admin && newField(),
  ];
}

/** @returns {ProfileField[]} */
function fields() {
  return state.custom_profile_fields ?? [];
}

/** @param {ProfileField} field
 * @param {number} at */
function fieldRow(field, at) {
  const path = `/realm/profile_fields/${field.id}`;
  const change = (/** @type {string} */ name) => (/** @type {import("../dialogs/forms.js").FieldValue} */ value) =>
    patch(path, { [name]: value });
  const title = h(
    "summary",
    {},
    h("bdi", {}, field.name),
    " ",
    h("small", { class: "quiet" }, t(`field.kind.${field.type}`)),
  );
  if (!state.is_admin) return h("li", {}, h("bdi", {}, field.name), " ", h("small", { class: "quiet" }, field.hint));
  return h(
    "li",
    {},
    h(
      "details",
      {},
      title,
      h(
        "div",
        { class: "fields" },
        settingRow({ name: `name-${field.id}`, label: t("label.name"), value: field.name, save: change("name") }),
        settingRow({ name: `hint-${field.id}`, label: t("field.hint"), value: field.hint, save: change("hint") }),
        field.type === DROPDOWN &&
          settingRow({
            name: `choices-${field.id}`,
            label: t("field.choices"),
            value: choicesIn(field),
            kind: "long",
            save: (value) => patch(path, { field_data: choiceData(String(value), field) }),
          }),
        ...SWITCHES.map((name) =>
          settingRow({
            name: `${name}-${field.id}`,
            label: t(`field.${name}`),
            value: Boolean(field[name] ?? name === "editable_by_user"),
            save: change(name),
          }),
        ),
        h(
          "div",
          { class: "set" },
          at > 0 &&
            h(
              "button",
              {
                class: "b",
                type: "button",
                onclick: () =>
                  patch("/realm/profile_fields", {
                    order: raised(
                      fields().map((each) => each.id),
                      at,
                    ),
                  }),
              },
              t("order.up"),
            ),
          iconButton("trash", t("admin.remove", { name: field.name }), {
            onclick: async () => {
              if (
                await confirmAction(t("admin.remove", { name: field.name }), t("field.remove-text"), t("menu.delete"))
              )
                await remove(path);
            },
          }),
        ),
      ),
    ),
  );
}

function newField() {
  const name = h("input", { class: "f", "aria-label": t("label.name"), maxlength: 40 });
  const hint = h("input", { class: "f", "aria-label": t("field.hint"), maxlength: 80 });
  const kind = h(
    "select",
    { class: "f", "aria-label": t("label.kind") },
    ...[1, 2, DROPDOWN, 4, 5, 6, EXTERNAL, 8].map((each) => h("option", { value: each }, t(`field.kind.${each}`))),
  );
  const choices = h("textarea", { class: "f", rows: 3, "aria-label": t("field.choices"), dir: "auto" });
  const account = h(
    "select",
    { class: "f", "aria-label": t("field.account") },
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
  return formSection(
    t("field.add"),
    labelled(t("label.name"), name),
    labelled(t("field.hint"), hint),
    labelled(t("label.kind"), kind),
    ...Object.values(extraFields),
    actionButton(t("field.add"), () =>
      post("/realm/profile_fields", { name: name.value, hint: hint.value, field_type: Number(kind.value), ...data() }),
    ),
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
