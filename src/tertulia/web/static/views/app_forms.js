/** Forms of bots. What is entered is kept as a draft until it is sent. */

import { accountValue, setAccountValue } from "../core/account_values.js";
import { ApiError, NetworkError, post, remove } from "../core/api.js";
import { h, icon, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { oneAtATime } from "../core/signals.js";
import { channels } from "../state/channels.js";
import { nameOf, people } from "../state/people.js";
import { upload } from "../sync/upload.js";
import { avatar } from "./avatars.js";
import { ChoiceField } from "./choice_field.js";
import { isEmpty, labelOfField, problemOf, serverProblem } from "./field_values.js";

/** @typedef {import("./apps.js").Interaction} Interaction */
/** @typedef {import("./field_values.js").Field} Field */
/** @typedef {{element: HTMLElement, value: () => unknown, problem: HTMLElement, fill: (value: unknown) => void}} Entry */

const DRAFTS_KEY = "form-drafts";
const MAX_DRAFTS = 20;

/** Ask the reader for the fields of a form, until it is sent or closed.
 * @param {Interaction} interaction
 * @param {(event: {interaction: Interaction}) => void} sent
 * @returns {Promise<void>} */
export async function openForm(interaction, sent) {
  const form = /** @type {NonNullable<Interaction["form"]>} */ (interaction.form);
  const fields = /** @type {Field[]} */ (form.fields);
  const draft = `${interaction.bot_id}/${form.title}`;
  const openDialog = await lazy("dialogs", "openDialog");
  const kept = drafts()[draft] ?? {};
  /** @type {Map<string, Entry>} */
  const entries = new Map(fields.map((field) => [field.name, entryOf(field, kept[field.name])]));
  for (const [name, entry] of entries) {
    if (kept[name] !== undefined) entry.fill(kept[name]);
    showProblem(entry, interaction.errors?.[name] ?? "");
  }
  const valuesOf = () => {
    const values = [...entries].map(([name, entry]) => [name, entry.value()]);
    return Object.fromEntries(values.filter(([, value]) => !isEmpty(value)));
  };
  const check = () => {
    const wrong = fields.filter((field) => {
      const entry = /** @type {Entry} */ (entries.get(field.name));
      return showProblem(entry, problemOf(field, entry.value())) !== "";
    });
    const first = wrong[0] && entries.get(wrong[0].name)?.element.querySelector("input, select, textarea");
    if (first instanceof HTMLElement) first.focus();
    return !wrong.length;
  };
  let isSent = false;
  const send = oneAtATime(async () => {
    if (!check()) return;
    try {
      const values = valuesOf();
      for (const [name, value] of Object.entries(values))
        if (value instanceof File) values[name] = (await upload(value, () => {}).promise).url;
      const made = await post(`/interactions/${interaction.id}/form`, { values });
      isSent = true;
      keepDraft(draft, undefined);
      dialog.close();
      sent(made);
    } catch (error) {
      const problems = error instanceof ApiError ? (error.body?.errors ?? {}) : {};
      for (const [name, entry] of entries) showProblem(entry, serverProblem(problems[name] ?? ""));
      setChildren(note, error instanceof NetworkError ? t("apps.offline") : /** @type {Error} */ (error).message);
    }
  });
  const note = h("p", { class: "app-problem", role: "alert" });
  const count = h("span", { class: "quiet" });
  const needed = fields.filter((field) => field.required !== false);
  const showCount = () =>
    setChildren(
      count,
      t("apps.filled", {
        done: needed.filter(({ name }) => !isEmpty(entries.get(name)?.value())).length,
        all: needed.length,
      }),
    );
  const cancel = h("button", { class: "b", type: "button", "data-close": true }, t("dialog.cancel"));
  const go = h("button", { class: "b go", type: "button", onclick: send }, form.submit || t("apps.send"));
  const dialog = openDialog(
    form.title,
    [
      h("p", { class: "quiet" }, askedBy(interaction.bot_id)),
      h("div", { class: "fields" }, ...[...entries.values()].map((entry) => entry.element)),
      note,
    ],
    { footer: [count, cancel, go] },
  );
  dialog.querySelector("header")?.prepend(avatar(interaction.bot_id));
  const changed = () => {
    const values = Object.entries(valuesOf()).filter(([, value]) => !(value instanceof File));
    keepDraft(draft, Object.fromEntries(values));
    showCount();
  };
  for (const kind of ["input", "change"]) dialog.addEventListener(kind, changed);
  showCount();
  await new Promise((closed) => dialog.addEventListener("close", closed));
  if (!isSent) await remove(`/interactions/${interaction.id}`).catch(() => {});
}

/** @param {number} bot */
function askedBy(bot) {
  const owner = people.get(bot)?.bot_owner_id;
  if (!owner) return t("apps.asked-by", { bot: nameOf(bot) });
  return t("apps.asked-by-of", { bot: nameOf(bot), owner: nameOf(owner) });
}

/** @returns {Record<string, Record<string, unknown>>} */
function drafts() {
  return accountValue(DRAFTS_KEY) ?? {};
}

/** @param {string} key
 * @param {Record<string, unknown> | undefined} values */
function keepDraft(key, values) {
  const { [key]: _, ...others } = drafts();
  const kept = Object.entries(others).slice(1 - MAX_DRAFTS);
  setAccountValue(DRAFTS_KEY, Object.fromEntries(values ? [...kept, [key, values]] : kept));
}

/** @param {Entry} entry
 * @param {string} text
 * @returns {string} the text */
function showProblem(entry, text) {
  entry.problem.hidden = !text;
  setChildren(entry.problem, text ? icon("alert", "s") : null, text);
  entry.element.classList.toggle("wrong-field", text !== "");
  return text;
}

/** @param {Field} field
 * @param {unknown} kept the value of the draft
 * @returns {Entry} */
function entryOf(field, kept) {
  const label = labelOfField(field);
  const shown = field.required === false ? t("apps.optional", { name: label }) : label;
  const problem = h("small", { class: "app-problem", role: "alert", hidden: true });
  const hint = field.help ? h("small", { class: "hint" }, field.help) : null;
  const wrap = (/** @type {HTMLElement} */ control) =>
    h("label", { class: "field" }, h("span", {}, shown), control, hint, problem);
  const plain = (/** @type {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} */ control) => ({
    element: wrap(control),
    value: () => control.value.trim(),
    fill: (/** @type {unknown} */ value) => {
      control.value = String(value);
    },
    problem,
  });
  if (field.type === "person" || field.type === "channel") {
    const choices =
      field.type === "person"
        ? [...people.values()].map((each) => ({ value: each.user_id, label: each.full_name }))
        : [...channels.values()].map((each) => ({ value: each.stream_id, label: each.name }));
    const control = new ChoiceField(label, choices, t("choice.unknown"), { value: kept });
    const element = h(
      "div",
      { class: "field" },
      h("span", { "aria-hidden": "true" }, shown),
      control.element,
      hint,
      problem,
    );
    return { element, value: () => control.value, fill: () => {}, problem };
  }
  if (field.type === "choice") {
    const options = (field.choices ?? []).map((each) => h("option", { value: each.value }, each.label || each.value));
    return plain(h("select", { class: "f" }, h("option", { value: "" }, t("apps.choose")), ...options));
  }
  if (field.type === "choices") {
    const boxes = (field.choices ?? []).map((each) => ({
      value: each.value,
      box: h("input", { type: "checkbox" }),
      each,
    }));
    const element = h(
      "fieldset",
      { class: "field" },
      h("legend", {}, shown),
      ...boxes.map(({ box, each }) => h("label", { class: "choice" }, box, h("span", {}, each.label || each.value))),
      hint,
      problem,
    );
    return {
      element,
      value: () => boxes.filter(({ box }) => box.checked).map(({ value }) => value),
      fill: (value) => {
        for (const each of boxes) each.box.checked = Array.isArray(value) && value.includes(each.value);
      },
      problem,
    };
  }
  if (field.type === "file") {
    const control = h("input", { class: "f", type: "file" });
    return { element: wrap(control), value: () => control.files?.[0], fill: () => {}, problem };
  }
  if (field.type === "number") {
    const control = h("input", { class: "f", type: "number", step: "any" });
    return { ...plain(control), value: () => (control.value === "" ? undefined : Number(control.value)) };
  }
  if (field.type === "long_text") return plain(h("textarea", { class: "f", rows: 4, dir: "auto" }));
  return plain(h("input", { class: "f", type: field.type === "date" ? "date" : "text", dir: "auto" }));
}
