/** Commands, buttons and forms of bots: buttons under messages, the dialogs of commands and forms, and what a bot says
 * to the reader alone. */

import { get, NetworkError, post, remove } from "../core/api.js";
import { h, icon, parseServerHtml, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { oneAtATime } from "../core/signals.js";
import { channels } from "../state/channels.js";
import { isInChannel } from "../state/conversations.js";
import { findMessage } from "../state/messages.js";
import { nameOf, people } from "../state/people.js";
import { isSpectator, myId } from "../state/session.js";
import { upload } from "../sync/upload.js";
import { ChoiceField } from "./choice_field.js";
import { toast } from "./layout.js";
import { currentMessageView } from "./message_view.js";
import { formatShortTime } from "./time.js";

/** @typedef {import("../core/api_types.d.ts").ServerEvents["interaction_update"]["interaction"]} Interaction */
/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {{id?: string, short_name: string, long_name: string, reply: string, style?: string, disabled?: boolean}}
 *   Button */
/** @typedef {{heading?: unknown, choices?: Button[], may_press?: unknown, select?: string, for_each?: boolean}}
 *   ButtonData */
/** @typedef {{choice: string, interaction: number, at: number, sender: number}} Press */
/** @typedef {{name: string, type: string, label?: string, help?: string, required?: boolean, choices?: {value: string,
 *   label?: string}[], min?: number | null, max?: number | null, max_length?: number | null}} Field */
/** @typedef {{element: HTMLElement, value: () => unknown, problem: HTMLElement, fill: (value: unknown) => void}} Entry */
/** @typedef {import("./compose.js").ComposeBox} ComposeBox */

const PATIENCE_MS = 10_000;
const COMMAND = /^\/([\p{L}\p{N}_-]+)(?:\s+([\s\S]*))?$/u;

/** @type {Map<number, Interaction>} */
const interactions = new Map();
/** @type {Map<number, number>} when the reader pressed or called, by interaction */
const began = new Map();
const openForms = new Set();
const drafts = new Map();

// --- buttons ---

/** @param {Message} message
 * @param {ButtonData} initial
 * @returns {HTMLElement} */
export function drawButtons(message, initial) {
  const card = h("div", { class: "appcard", "data-app": message.id });
  fillCard(card, message, initial);
  return card;
}

/** @param {HTMLElement} card
 * @param {Message} message
 * @param {ButtonData} initial */
function fillCard(card, message, initial) {
  let data = initial;
  /** @type {Map<number, Press>} */
  const presses = new Map();
  for (const { sender_id, content } of message.submessages.slice(1)) {
    const part = JSON.parse(content);
    if (part.type === "buttons" && sender_id === message.sender_id) data = part.extra_data;
    else if (part.type === "press") presses.set(part.interaction, { ...part, sender: sender_id });
    else if (part.type === "release") presses.delete(part.interaction);
  }
  const all = [...presses.values()];
  const own = all.find((press) => press.sender === myId());
  const mine = own && interactions.get(own.interaction);
  const isPending = mine !== undefined && ["waiting", "fetched"].includes(mine.state);
  const isGone = !people.get(message.sender_id) || people.get(message.sender_id)?.is_active === false;
  const isClosed = own !== undefined || (all.length > 0 && data.for_each !== true);
  const bot = nameOf(message.sender_id);
  const redraw = () => fillCard(card, message, initial);
  const press = async (/** @type {string} */ button) => {
    try {
      const { interaction } = await post(`/messages/${message.id}/press`, { button });
      keep(interaction);
      began.set(interaction.id, Date.now());
      setTimeout(redraw, PATIENCE_MS + 100);
      redraw();
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  };
  const isLate = isPending && Date.now() - (began.get(mine.id) ?? mine.date_created * 1000) >= PATIENCE_MS;
  const isOff = isPending || isGone || isSpectator();
  const heading = String(data.heading ?? "");
  setChildren(
    card,
    heading ? h("p", {}, h("b", {}, h("bdi", {}, heading))) : null,
    (!isClosed || isPending) && buttonRow(data, bot, isOff, press),
    isGone && h("p", { class: "fate" }, icon("alert"), t("apps.gone")),
    isPending && own
      ? h(
          "div",
          { class: isLate ? "fate bad" : "fate", role: "status" },
          icon(isLate ? "alert" : "wait"),
          h(
            "span",
            {},
            isLate ? t("apps.late", { bot }) : t("apps.pressed-by-you", { button: labelOf(data, own.choice), bot }),
          ),
          isLate && h("button", { class: "b", type: "button", onclick: () => press(own.choice) }, t("apps.again")),
        )
      : null,
    ...(isPending ? [] : all).map((each) =>
      h(
        "p",
        { class: "pressed" },
        icon("check"),
        h(
          "span",
          {},
          t("apps.pressed", {
            button: labelOf(data, each.choice),
            name: nameOf(each.sender),
            time: formatShortTime(each.at),
          }),
        ),
      ),
    ),
  );
}

/** @param {ButtonData} data
 * @param {string} bot
 * @param {boolean} isOff
 * @param {(button: string) => unknown} press */
function buttonRow(data, bot, isOff, press) {
  const choices = (data.choices ?? []).filter((each) => each.id);
  const label = t("apps.buttons", { bot });
  if (data.select) {
    const field = h(
      "select",
      { class: "f", "aria-label": String(data.heading || label), disabled: isOff },
      h("option", { value: "" }, t("apps.choose")),
      ...choices.map((each) => h("option", { value: each.id, disabled: Boolean(each.disabled) }, each.long_name)),
    );
    const go = h(
      "button",
      { class: "b first", type: "button", disabled: true, onclick: oneAtATime(async () => press(field.value)) },
      data.select,
    );
    field.addEventListener("change", () => {
      go.disabled = isOff || !field.value;
    });
    return h("div", { class: "btns", role: "group", "aria-label": label }, field, go);
  }
  return h(
    "div",
    { class: "btns", role: "group", "aria-label": label },
    ...choices.map((each, at) =>
      h(
        "button",
        {
          class: `b ${each.style === "danger" ? "risk" : at ? "" : "first"}`,
          type: "button",
          disabled: isOff || Boolean(each.disabled),
          onclick: oneAtATime(async () => press(String(each.id))),
        },
        h("bdi", {}, each.long_name),
      ),
    ),
  );
}

/** @param {ButtonData} data
 * @param {string} choice */
function labelOf(data, choice) {
  return data.choices?.find((each) => each.id === choice)?.long_name ?? choice;
}

// --- what the server says ---

/** @param {Interaction} interaction */
function keep(interaction) {
  const known = interactions.get(interaction.id);
  if (known && ["answered", "ended", "taken_back"].includes(known.state) && interaction.state === "waiting") return;
  interactions.set(interaction.id, interaction);
}

/** @param {{interaction: Interaction}} event */
export function applyInteraction({ interaction }) {
  keep(interaction);
  if (interaction.message_id) {
    const card = document.querySelector(`[data-app="${interaction.message_id}"]`);
    const message = findMessage(interaction.message_id);
    if (card && message) {
      const initial = JSON.parse(message.submessages[0]?.content ?? "{}").extra_data ?? {};
      fillCard(/** @type {HTMLElement} */ (card), message, initial);
    }
  }
  if (interaction.state === "ended" && interaction.kind !== "button")
    toast(t("apps.late", { bot: nameOf(interaction.bot_id) }));
  if (interaction.rendered_content && interaction.state === "answered") showOnlyYou(interaction);
  if (interaction.form) openForm(interaction);
}

/** @param {Interaction} interaction */
function showOnlyYou(interaction) {
  const view = currentMessageView();
  if (document.querySelector(`[data-only="${interaction.id}"]`)) return;
  const line = h(
    "div",
    { class: "only-you", role: "status", "data-only": interaction.id },
    h("p", {}, icon("eye"), h("b", {}, nameOf(interaction.bot_id)), t("apps.only-you")),
    h("div", { class: "what", dir: "auto" }, ...parseServerHtml(interaction.rendered_content ?? "").childNodes),
  );
  if (view) view.typing.before(line);
}

// --- forms and commands ---

/** @param {Interaction} interaction */
async function openForm(interaction) {
  const { form } = interaction;
  if (!form || openForms.has(interaction.id)) return;
  openForms.add(interaction.id);
  const bot = nameOf(interaction.bot_id);
  await openFields({
    title: form.title,
    intro: t("apps.asked-by", { bot }),
    fields: /** @type {Field[]} */ (form.fields),
    submit: form.submit || t("apps.send"),
    errors: interaction.errors ?? {},
    draft: `${interaction.command}/${form.title}`,
    save: async (values) => {
      const made = await post(`/interactions/${interaction.id}/form`, { values });
      keep(made.interaction);
    },
    dismissed: () => remove(`/interactions/${interaction.id}`).catch(() => {}),
  });
}

/** @param {{title: string, intro: string, fields: Field[], submit: string, errors?: Record<string, string>, draft:
 *   string, start?: Record<string, unknown>, save: (values: Record<string, unknown>) => Promise<unknown>, dismissed?:
 *   () => unknown}} options */
async function openFields({ title, intro, fields, submit, errors = {}, draft, start = {}, save, dismissed }) {
  const openDialog = await lazy("dialogs", "openDialog");
  /** @type {Map<string, Entry>} */
  const entries = new Map(fields.map((field) => [field.name, entryOf(field)]));
  const kept = { ...start, ...drafts.get(draft) };
  for (const [name, entry] of entries) {
    if (kept[name] !== undefined) entry.fill(kept[name]);
    if (errors[name]) showProblem(entry, errors[name]);
  }
  const valuesOf = () =>
    Object.fromEntries(
      [...entries].map(([name, entry]) => [name, entry.value()]).filter(([, value]) => !isEmpty(value)),
    );
  let isSent = false;
  const go = oneAtATime(async () => {
    for (const entry of entries.values()) showProblem(entry, "");
    const missing = fields.filter((field) => field.required !== false && isEmpty(entries.get(field.name)?.value()));
    for (const field of missing) showProblem(/** @type {Entry} */ (entries.get(field.name)), t("apps.wrong.missing"));
    if (missing.length) return;
    try {
      const values = valuesOf();
      for (const [name, value] of Object.entries(values))
        if (value instanceof File) values[name] = (await upload(value, () => {}).promise).url;
      await save(values);
      isSent = true;
      drafts.delete(draft);
      dialog.close();
    } catch (error) {
      const problems = /** @type {any} */ (error).body?.errors ?? {};
      for (const [name, problem] of Object.entries(problems)) {
        const entry = entries.get(name);
        if (entry) showProblem(entry, wrong(String(problem)));
      }
      note.textContent = /** @type {Error} */ (error).message;
    }
  });
  const note = h("p", { class: "app-problem", role: "alert" });
  const button = h("button", { class: "b go", type: "button", onclick: go }, submit);
  const dialog = openDialog(
    title,
    [
      h("p", { class: "quiet" }, intro),
      h("div", { class: "fields" }, ...[...entries.values()].map((e) => e.element)),
      note,
    ],
    { footer: [button] },
  );
  dialog.addEventListener("input", () => {
    const values = valuesOf();
    drafts.set(draft, Object.fromEntries(Object.entries(values).filter(([, value]) => !(value instanceof File))));
  });
  dialog.addEventListener("close", () => !isSent && dismissed?.());
}

/** @param {unknown} value */
function isEmpty(value) {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);
}

/** @param {Entry} entry
 * @param {string} text */
function showProblem(entry, text) {
  entry.problem.textContent = text;
}

/** @param {string} problem */
function wrong(problem) {
  if (problem === "missing") return t("apps.wrong.missing");
  if (problem === "too-long") return t("apps.wrong.too-long");
  return t("apps.wrong.value");
}

/** @param {Field} field
 * @returns {Entry} */
function entryOf(field) {
  const label = field.label || field.name;
  const shown = field.required === false ? t("apps.optional", { name: label }) : label;
  const problem = h("small", { class: "app-problem", role: "alert" });
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
    const control = new ChoiceField(label, choices, t("choice.unknown"));
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

/** What Send does with a text that begins with a slash.
 * @param {ComposeBox} compose
 * @param {string} text
 * @param {() => void} called removes the text
 * @returns {Promise<string | undefined>} the text to send; undefined if it is not to be sent */
export async function textOfCommand(compose, text, called) {
  if (text.startsWith("//")) return text.slice(1);
  const typed = COMMAND.exec(text);
  if (!typed) return text;
  const { conversation } = compose;
  let commands;
  try {
    ({ commands } = await get("/commands"));
  } catch (error) {
    toast(error instanceof NetworkError ? t("apps.offline") : /** @type {Error} */ (error).message);
    return undefined;
  }
  const channel = isInChannel(conversation) ? conversation.channel : undefined;
  const found = commands.find(
    (each) =>
      each.name === typed[1].toLowerCase() &&
      (channel === undefined ? each.in_direct : (each.stream_ids?.includes(channel) ?? true)),
  );
  if (!found) {
    const confirmAction = await lazy("dialogs", "confirmAction");
    const name = typed[1];
    const isText = await confirmAction(t("apps.unknown", { name }), t("apps.unknown-text"), t("apps.send-as-text"));
    return isText ? text : undefined;
  }
  const place = isInChannel(conversation)
    ? { type: "channel", to: conversation.channel, topic: conversation.topic }
    : { type: "direct", to: conversation.people };
  const key = crypto.randomUUID();
  const save = async (/** @type {Record<string, unknown>} */ values) => {
    const { interaction } = await post(`/commands/${found.id}/calls`, { ...place, values, key });
    keep(interaction);
    called();
    waitFor(interaction);
  };
  const fields = /** @type {Field[]} */ (found.parameters);
  const words = (typed[2] ?? "").trim().split(/\s+/).filter(Boolean);
  const start = Object.fromEntries(
    fields.map((field, at) => [field.name, at === fields.length - 1 ? words.slice(at).join(" ") : words[at]]),
  );
  if (fields.length) {
    const intro = t("apps.asked-by", { bot: nameOf(found.bot_id) });
    await openFields({ title: `/${found.name}`, intro, fields, submit: t("apps.run"), draft: key, start, save });
  } else await save({}).catch((error) => toast(error.message));
  return undefined;
}

/** Tell the reader if the bot does not answer, and offer to take the call back.
 * @param {Interaction} interaction */
function waitFor(interaction) {
  setTimeout(async () => {
    const now = interactions.get(interaction.id);
    if (!now || !["waiting", "fetched"].includes(now.state)) return;
    if (now.state === "fetched") return toast(t("apps.late", { bot: nameOf(now.bot_id) }));
    const confirmAction = await lazy("dialogs", "confirmAction");
    const text = t("apps.not-fetched", { bot: nameOf(now.bot_id) });
    if (await confirmAction(`/${now.command}`, text, t("apps.take-back")))
      await remove(`/interactions/${now.id}`).catch((error) => toast(error.message));
    return undefined;
  }, PATIENCE_MS);
}
