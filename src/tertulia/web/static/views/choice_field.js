/** A field with a searchable list of choices: what is typed filters the list, and only a choice is a value. */

import { h } from "../core/html.js";
import { matchScore, normalizeText } from "../state/typeahead_sources.js";
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
   * @param {{value?: Value, changed?: () => void}} [options] */
  constructor(label, choices, unknown, { value, changed } = {}) {
    this.#unknown = unknown;
    const id = `choices-${++fields}`;
    this.#choices = choices.map((choice) => ({ ...choice, text: normalizeText(choice.label).replaceAll("/", " ") }));
    this.#input = h("input", { class: "f", role: "combobox", "aria-label": label, "aria-expanded": "false", autocomplete: "off", spellcheck: "false", dir: "auto",
      value: choices.find((choice) => choice.value === value)?.label ?? "" });
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

  /** Say that the text is not one of the choices, if so.
   * @returns {boolean} whether it is one */
  validate() {
    this.#input.setCustomValidity(this.value === undefined ? this.#unknown : "");
    return this.#input.reportValidity();
  }

  #edit() {
    this.#isEdited = true;
    this.#input.setCustomValidity("");
  }

  /** @param {string} text */
  #find(text) {
    if (this.#isEdited && this.value !== undefined) return undefined;
    const query = this.#isEdited ? normalizeText(text).replaceAll("/", " ") : "";
    const found = this.#choices.map((choice) => ({ choice, score: matchScore(choice.text, query) })).filter(({ score }) => score >= 0);
    found.sort((one, other) => other.score - one.score);
    return { from: 0, to: text.length, completions: found.slice(0, MAX_SHOWN).map(({ choice: { label, hint = "" } }) => ({ insert: label, label, hint })) };
  }
}
