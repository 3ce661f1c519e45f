/** The parameters of a command as slots in the compose box. The text of the command stays in the hidden text field, so
 * that it is kept as the draft. */

import { ApiError, NetworkError, post } from "../core/api.js";
import { h, icon, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { oneAtATime } from "../core/signals.js";
import { channels } from "../state/channels.js";
import { isInChannel } from "../state/conversations.js";
import { matchScore, normalizeText } from "../state/name_match.js";
import { commandNamed, fetchCommands } from "../state/offered_commands.js";
import { nameOf } from "../state/people.js";
import { findPeople, topicFieldCompletions } from "../state/typeahead_sources.js";
import { applyInteraction } from "./apps.js";
import { isEmpty, labelOfField, problemOf, serverProblem, valueOfText } from "./field_values.js";
import { TypeaheadPopup } from "./typeahead_popup.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */
/** @typedef {import("./field_values.js").Field} Field */
/** @typedef {import("../state/offered_commands.js").Command} Command */
/** @typedef {{field: Field, element: HTMLElement, input: HTMLInputElement, list: HTMLUListElement, popup?:
 *   TypeaheadPopup}} Slot */

const LINE = /^\s*\/([\p{L}\p{N}_-]+)(?:\s+([\s\S]*))?$/u;
const MAX_SHOWN = 8;

/** @type {WeakMap<ComposeBox, CommandSlots>} */
const opened = new WeakMap();
/** @type {WeakMap<ComposeBox, string>} the command that the person wants to write as text */
const dismissed = new WeakMap();

/** Send a text that begins with a slash: call a command, ask, or send it as a message.
 * @param {ComposeBox} compose
 * @param {string} text
 * @returns {Promise<boolean>} whether a message is in the outbox */
export async function runCommand(compose, text) {
  const typed = LINE.exec(text);
  if (text.trim().startsWith("//") || !typed) return sendAsText(compose, text, text.trim().replace(/^\/\//, "/"));
  if (!(await fetchCommands())) {
    compose.showNote(t("apps.offline"));
    return false;
  }
  const command = commandNamed(typed[1], channelOf(compose));
  if (command) {
    await slotsOf(compose, command, typed[2] ?? "").run();
    return false;
  }
  const confirmAction = await lazy("dialogs", "confirmAction");
  const title = t("apps.unknown", { name: typed[1] });
  return (await confirmAction(title, t("apps.unknown-text"), t("apps.send-as-text")))
    ? sendAsText(compose, text, text)
    : false;
}

/** Show slots if the text of the box begins with a command that has parameters.
 * @param {ComposeBox} compose */
export function offerSlots(compose) {
  const typed = /\s$|\s\S/.test(compose.box.value) ? LINE.exec(compose.box.value) : null;
  if (!typed) dismissed.delete(compose);
  if (!typed || opened.has(compose) || dismissed.get(compose) === typed[1]) return;
  const command = commandNamed(typed[1], channelOf(compose));
  if (command?.parameters.length) slotsOf(compose, command, typed[2] ?? "").focusFirst();
}

/** @param {ComposeBox} compose
 * @param {Command} command
 * @param {string} words
 * @returns {CommandSlots} */
function slotsOf(compose, command, words) {
  const present = opened.get(compose);
  if (present?.command.id === command.id) return present;
  present?.close();
  const slots = new CommandSlots(compose, command, words);
  opened.set(compose, slots);
  return slots;
}

/** @param {ComposeBox} compose
 * @param {string} text in the box
 * @param {string} message */
function sendAsText(compose, text, message) {
  if (compose.box.value === text) compose.box.value = message;
  return compose.sendMessage(message);
}

/** @param {ComposeBox} compose */
function channelOf({ conversation }) {
  return isInChannel(conversation) ? conversation.channel : undefined;
}

class CommandSlots {
  #compose;
  /** @type {Slot[]} */
  #slots;
  #note = h("div", { class: "note bad", role: "alert", hidden: true });
  #hint = h("p", { class: "hint command-hint" });
  #run;
  #end;
  #element;
  #key = crypto.randomUUID();

  /** @param {ComposeBox} compose
   * @param {Command} command
   * @param {string} words */
  constructor(compose, command, words) {
    this.#compose = compose;
    this.command = command;
    const fields = /** @type {Field[]} */ (command.parameters);
    const values = splitWords(words, fields.length);
    this.#slots = fields.map((field, at) => this.#slot(field, at, values[at] ?? ""));
    this.#element = h(
      "div",
      { class: "slots", role: "group", "aria-label": t("apps.command", { name: command.name }) },
      h("b", { class: "mono" }, `/${command.name}`),
      ...this.#slots.map((slot) => slot.element),
    );
    const run = oneAtATime(() => this.run());
    this.#run = h("button", { class: "b go", type: "button", onclick: run }, t("apps.run"));
    this.#end = () => this.close();
    if (!fields.length) return;
    const { frame } = compose;
    frame.classList.add("is-command");
    frame.querySelector("textarea")?.before(this.#element, this.#hint);
    frame.prepend(this.#note);
    frame.before(...this.#slots.map((slot) => slot.list));
    frame.querySelector(".end")?.append(this.#run);
    compose.scope.add(this.#end);
    this.#explain();
  }

  /** @param {Field} field
   * @param {number} at
   * @param {string} text
   * @returns {Slot} */
  #slot(field, at, text) {
    const isOptional = field.required === false;
    const name = labelOfField(field);
    const list = h("ul", { class: "offer cmds", id: `slot-offers-${at}`, role: "listbox", "aria-label": name });
    list.hidden = true;
    const input = h("input", {
      "aria-label": t(isOptional ? "apps.optional" : "apps.needed", { name }),
      type: field.type === "date" ? "date" : "text",
      inputmode: field.type === "number" ? "decimal" : "text",
      autocomplete: "off",
      spellcheck: "false",
      dir: "auto",
      value: text,
    });
    const element = h(
      "label",
      { class: isOptional ? "slot opt" : "slot" },
      h("small", {}, isOptional ? t("apps.optional", { name }) : name),
      input,
    );
    /** @type {Slot} */
    const slot = { field, element, input, list };
    if (["choice", "person", "channel", "topic"].includes(field.type)) {
      input.setAttribute("role", "combobox");
      input.setAttribute("aria-expanded", "false");
      slot.popup = new TypeaheadPopup(input, list, (typed) => this.#offers(field, typed));
    }
    input.addEventListener("keydown", (event) => this.#onKey(event, at));
    input.addEventListener("input", () => this.#changed(slot));
    input.addEventListener("focus", () => {
      this.#explain(field);
      if (!isOptional && !input.value) slot.popup?.open();
    });
    input.addEventListener("change", () => input.value && this.#check(slot));
    return slot;
  }

  /** Say what will happen, and what the slot is for.
   * @param {Field} [field] */
  #explain(field) {
    const { bot_id, description, agent } = this.command;
    const bot = agent ?? nameOf(bot_id);
    setChildren(this.#hint, [field?.help, description, t("apps.goes-to", { bot })].filter(Boolean).join(" · "));
  }

  focusFirst() {
    const empty = this.#slots.find((slot) => !slot.input.value) ?? this.#slots[0];
    empty.input.focus();
  }

  /** @param {Field} field
   * @param {string} typed */
  async #offers(field, typed) {
    if (typed && valueOfText(field, typed) !== undefined && field.type !== "topic") return undefined;
    const channel = channelOf(this.#compose);
    if (field.type === "topic") return channel === undefined ? undefined : topicFieldCompletions(typed, channel);
    return { from: 0, to: typed.length, completions: choicesOf(field, typed).slice(0, MAX_SHOWN) };
  }

  /** @param {KeyboardEvent} event
   * @param {number} at */
  #onKey(event, at) {
    const { input, popup } = this.#slots[at];
    if (event.isComposing) return;
    if (!(event.key === "Tab" && event.shiftKey) && popup?.handleKey(event)) {
      if (event.key === "Tab" || event.key === "Enter") this.#slots[at + 1]?.input.focus();
      return;
    }
    if (event.key === "Backspace" && !input.value) {
      event.preventDefault();
      if (at > 0) this.#slots[at - 1].input.focus();
      else this.#writeAsText();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.#run.click();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.#writeAsText();
    }
  }

  #writeAsText() {
    dismissed.set(this.#compose, this.command.name);
    this.close();
    this.#compose.box.focus();
  }

  /** @param {Slot} slot */
  #changed(slot) {
    this.#key = crypto.randomUUID();
    this.#show(slot, "");
    const { box } = this.#compose;
    box.value = `/${this.command.name} ${joinWords(this.#slots.map(({ input }) => input.value))}`;
    box.dispatchEvent(new Event("input", { bubbles: true })); // it is saved as the draft
  }

  /** @param {Slot} slot
   * @returns {boolean} whether it is right */
  #check(slot) {
    const { field, input } = slot;
    const problem = problemOf(field, valueOfText(field, input.value), input.value);
    this.#show(slot, problem);
    return !problem;
  }

  /** @param {Slot | undefined} slot
   * @param {string} problem */
  #show(slot, problem) {
    slot?.element.classList.toggle("bad", problem !== "");
    slot?.input.setAttribute("aria-invalid", String(problem !== ""));
    this.#note.hidden = !problem;
    this.#run.disabled = problem !== "" && slot !== undefined;
    setChildren(this.#note, icon("alert"), h("span", {}, problem));
  }

  /** Check the values and call the command. */
  async run() {
    const wrong = this.#slots.find((slot) => !this.#check(slot));
    if (wrong) return wrong.input.focus();
    const compose = this.#compose;
    const { conversation, box } = compose;
    const text = box.value;
    const place = isInChannel(conversation)
      ? { type: "channel", to: conversation.channel, topic: conversation.topic }
      : { type: "direct", to: conversation.people };
    const entries = this.#slots.map(({ field, input }) => [field.name, valueOfText(field, input.value)]);
    const values = Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)));
    try {
      const { interaction } = await post(`/commands/${this.command.id}/calls`, { ...place, values, key: this.#key });
      this.close();
      compose.removeSent(text, conversation);
      box.focus();
      applyInteraction({ interaction });
    } catch (error) {
      this.#refused(/** @type {Error} */ (error));
    }
    return undefined;
  }

  /** @param {Error} error */
  #refused(error) {
    const errors = error instanceof ApiError ? (error.body?.errors ?? {}) : {};
    const slot = this.#slots.find(({ field }) => errors[field.name]);
    const problem = slot ? serverProblem(errors[slot.field.name]) : "";
    const text = error instanceof NetworkError ? t("apps.offline") : error.message;
    this.#show(slot, problem || text);
    if (!this.#element.isConnected) this.#compose.showNote(text);
  }

  close() {
    for (const each of [this.#element, this.#note, this.#hint, this.#run]) each.remove();
    for (const { list } of this.#slots) list.remove();
    this.#compose.frame.classList.remove("is-command");
    if (opened.get(this.#compose) === this) opened.delete(this.#compose);
  }
}

/** @param {Field} field
 * @param {string} typed
 * @returns {import("../state/typeahead_sources.js").Completion[]} */
function choicesOf(field, typed) {
  if (field.type === "person") return findPeople(typed);
  const query = normalizeText(typed);
  const found =
    field.type === "channel"
      ? [...channels.values()].map(({ name, description }) => ({ label: name, hint: description.slice(0, 60) }))
      : (field.choices ?? []).map(({ value, label }) => ({ label: label || value, hint: label ? value : "" }));
  return found
    .filter(({ label }) => matchScore(normalizeText(label), query) >= 0)
    .map(({ label, hint }) => ({ insert: label, label, hint }));
}

/** Divide a line into words; a word with spaces is in quotes, and the last one has the rest.
 * @param {string} line
 * @param {number} count
 * @returns {string[]} */
export function splitWords(line, count) {
  const words = [];
  let rest = line.trim();
  while (rest && words.length < count - 1) {
    const [whole, quoted, plain] = /** @type {RegExpExecArray} */ (/^(?:"([^"]*)"|(\S+))\s*/.exec(rest));
    words.push(quoted ?? plain);
    rest = rest.slice(whole.length);
  }
  return rest ? [...words, rest.replace(/^"([^"]*)"$/, "$1")] : words;
}

/** @param {string[]} values
 * @returns {string} */
export function joinWords(values) {
  const last = values.findLastIndex(Boolean);
  const quote = (/** @type {string} */ value) =>
    value && !/[\s"]/.test(value) ? value : `"${value.replaceAll('"', "”")}"`;
  return values
    .slice(0, last + 1)
    .map(quote)
    .join(" ");
}
