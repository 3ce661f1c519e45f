/** Fields with a searchable list of choices: what is typed filters the list, and only a choice is a value. */

import { h, iconButton, setChildren } from "../core/html.js";
import { matchScore, normalizeText } from "../state/name_match.js";
import { TypeaheadPopup } from "./typeahead_popup.js";

/** @template Value
 * @typedef {{value: Value, label: string, hint?: string}} Choice */

const MAX_SHOWN = 50;
let fields = 0;

/** @template Value */
export class ChoiceField {
  #choices;
  #unknown;
  /** @type {HTMLInputElement} */
  #input;
  #isEdited = false; // whether the text was changed since the field got the focus

  /** @param {string} label
   * @param {Choice<Value>[]} choices
   * @param {string} unknown what to say if the text is none of them
   * @param {{value?: Value, changed?: () => void, attributes?: import("../core/html.js").Attributes}} [options]
   *   attributes of the input */
  constructor(label, choices, unknown, { value, changed, attributes } = {}) {
    this.#unknown = unknown;
    const id = `choices-${++fields}`;
    this.#choices = choices.map(withText);
    this.#input = h("input", {
      class: "f",
      role: "combobox",
      "aria-label": label,
      "aria-expanded": "false",
      autocomplete: "off",
      spellcheck: "false",
      dir: "auto",
      value: choices.find((choice) => choice.value === value)?.label ?? "",
      ...attributes,
    });
    const list = h("ul", { class: "offer still", id, role: "listbox", "aria-label": label, hidden: true });
    this.element = h("div", { class: "anchor" }, this.#input, list);
    this.#input.addEventListener("input", () => this.#edit());
    const popup = new TypeaheadPopup(this.#input, list, (text) => this.#find(text));
    this.#input.addEventListener("focus", () => this.#input.select());
    this.#input.addEventListener("keydown", (event) => {
      if (popup.handleKey(event) || event.key !== "ArrowDown") return;
      event.preventDefault();
      popup.open();
    });
    this.#input.addEventListener("change", () => {
      this.#isEdited = false;
      if (this.value !== undefined) changed?.();
    });
  }

  /** The choice whose name is in the field; undefined if there is none.
   * @returns {Value | undefined} */
  get value() {
    const text = normalizeText(this.#input.value).replaceAll("/", " ").trim();
    return this.#choices.find((choice) => choice.text === text)?.value;
  }

  /** Empty the field, and offer these choices.
   * @param {Choice<Value>[]} choices */
  offer(choices) {
    this.#choices = choices.map(withText);
    this.#input.value = "";
    this.#edit();
  }

  /** Say that the text is not one of the choices, if so.
   * @returns {boolean} whether it is one */
  validate() {
    this.#input.setCustomValidity(this.value === undefined ? this.#unknown : "");
    return this.#input.reportValidity();
  }

  focus() {
    this.#input.focus();
  }

  #edit() {
    this.#isEdited = true;
    this.#input.setCustomValidity("");
  }

  /** @param {string} text */
  #find(text) {
    if (this.#isEdited && this.value !== undefined) return undefined;
    const query = this.#isEdited ? normalizeText(text).replaceAll("/", " ") : "";
    const found = this.#choices
      .map((choice) => ({ choice, score: matchScore(choice.text, query) }))
      .filter(({ score }) => score >= 0);
    const current = this.value;
    const isCurrent = (/** @type {{choice: Choice<Value>}} */ { choice }) =>
      Number(current !== undefined && choice.value === current);
    // Enter and Tab keep the present choice
    found.sort((one, other) => isCurrent(other) - isCurrent(one) || other.score - one.score);
    return {
      from: 0,
      to: text.length,
      completions: found
        .slice(0, MAX_SHOWN)
        .map(({ choice: { label, hint = "" } }) => ({ insert: label, label, hint })),
    };
  }
}

/** Several choices of a list: chips of those that are chosen, and a field that adds others.
 * @template Value */
export class ChoicesField {
  #choices;
  #removeText;
  #field;
  #chips;
  /** @type {Choice<Value>[]} */
  #chosen = [];
  #changed;

  /** @param {string} label
   * @param {Choice<Value>[]} choices
   * @param {string} unknown what to say if the text is none of them
   * @param {(name: string) => string} removeText the label of the button of a chip
   * @param {{values?: Value[], changed?: () => void}} [options] */
  constructor(label, choices, unknown, removeText, { values = [], changed } = {}) {
    this.#choices = choices;
    this.#removeText = removeText;
    this.#changed = changed;
    this.#field = new ChoiceField(label, choices, unknown, { changed: () => this.#add() });
    this.#chips = h("ul", { class: "plain set", "aria-label": label, "aria-live": "polite" });
    this.element = h(
      "div",
      { class: "field" },
      h("span", { "aria-hidden": "true" }, label),
      h("div", { class: "permission" }, this.#chips, this.#field.element),
    );
    this.values = values;
  }

  /** @returns {Value[]} */
  get values() {
    return this.#chosen.map((choice) => choice.value);
  }

  set values(values) {
    this.#chosen = this.#choices.filter((choice) => values.includes(choice.value));
    this.#draw();
  }

  #add() {
    this.values = [...this.values, /** @type {Value} */ (this.#field.value)];
    this.#changed?.();
  }

  /** @param {Value} value */
  #remove(value) {
    this.values = this.values.filter((each) => each !== value);
    this.#field.focus();
    this.#changed?.();
  }

  #draw() {
    this.#chips.hidden = this.#chosen.length === 0;
    setChildren(
      this.#chips,
      ...this.#chosen.map(({ value, label }) =>
        h(
          "li",
          { class: "pill" },
          h("bdi", {}, label),
          iconButton("close", this.#removeText(label), { onclick: () => this.#remove(value) }),
        ),
      ),
    );
    this.#field.offer(this.#choices.filter((choice) => !this.#chosen.includes(choice)));
  }
}

/** @template Value
 * @param {Choice<Value>} choice */
function withText(choice) {
  return { ...choice, text: normalizeText(choice.label).replaceAll("/", " ") };
}
