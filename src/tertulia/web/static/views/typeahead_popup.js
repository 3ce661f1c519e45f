/** The typeahead list of a field. Arrow keys select, Enter or Tab accepts, Escape closes. The focus stays in
 * the field. */

import { findEmoji, ownEmoji } from "../state/emoji.js";
import { recordEmojiUse } from "../state/emoji_use.js";
import { setChildren, h, icon } from "../core/html.js";
import { nameOf } from "../state/people.js";
import { avatar } from "./avatars.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/typeahead_sources.js").Completion} Completion */
/** @typedef {{from: number, to: number, completions: Completion[]}} Completions `from` and `to`: the part of
 * the text that a completion replaces */
/** @typedef {(text: string, caret: number) => Completions | undefined | Promise<Completions | undefined>} Source */

export class TypeaheadPopup {
  #field;
  #list;
  #source;
  /** @type {Completions} */
  #shown = { from: 0, to: 0, completions: [] };
  #selected = 0;
  /** Where the popup was closed: it stays closed until another word is typed. */
  #dismissedAt = -1;

  /** @param {HTMLTextAreaElement | HTMLInputElement} field
   * @param {HTMLUListElement} list
   * @param {Source} source */
  constructor(field, list, source) {
    this.#field = field;
    this.#list = list;
    this.#source = source;
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", list.id);
    field.addEventListener("input", () => this.update());
    field.addEventListener("click", () => this.update());
    field.addEventListener("blur", () => setTimeout(() => document.activeElement !== field && this.close(), 150));
    list.addEventListener("mousedown", (event) => {
      event.preventDefault(); // the field keeps the focus
      const item = /** @type {Element} */ (event.target).closest("[role=option]");
      if (item) this.#accept(Number(item.id.split("-").at(-1)));
    });
  }

  get isOpen() {
    return !this.#list.hidden;
  }

  /** Show the completions for the text before the caret. */
  async update() {
    const { value, selectionEnd } = this.#field;
    const found = await this.#source(value, selectionEnd ?? value.length);
    if (!found) this.#dismissedAt = -1;
    const isStale = this.#field.value !== value || document.activeElement !== this.#field;
    if (isStale) return;
    if (!found?.completions.length || found.from === this.#dismissedAt) return this.close();
    this.#shown = found;
    setChildren(this.#list, ...found.completions.map((completion, at) => this.#row(completion, at)), keyHints());
    this.#setOpen(true);
    this.#select(0);
  }

  /** Show the completions, also where the popup was closed. */
  open() {
    this.#dismissedAt = -1;
    this.update();
  }

  close() {
    this.#setOpen(false);
    this.#field.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event
   * @returns {boolean} whether the popup has handled it */
  handleKey(event) {
    if (!this.isOpen || event.isComposing) return false;
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
    if (event.key in steps)
      this.#select(
        (this.#selected + steps[event.key] + this.#shown.completions.length) % this.#shown.completions.length,
      );
    else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab")
      this.#accept(this.#selected);
    else if (event.key === "Escape") {
      this.#dismissedAt = this.#shown.from;
      this.close();
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** @param {boolean} isOpen */
  #setOpen(isOpen) {
    this.#list.hidden = !isOpen;
    if (this.#field.getAttribute("role") === "combobox") this.#field.setAttribute("aria-expanded", String(isOpen));
  }

  /** @param {Completion} completion
   * @param {number} at */
  #row(completion, at) {
    if (completion.bot !== undefined) return commandRow(`${this.#list.id}-${at}`, completion);
    return h(
      "li",
      { role: "option", id: `${this.#list.id}-${at}`, "aria-selected": "false" },
      completionMark(completion),
      h("bdi", {}, completion.label),
      completion.hint && h("small", { class: "cut" }, completion.hint),
    );
  }

  /** @param {number} at */
  #select(at) {
    this.#selected = at;
    for (const [index, item] of [...this.#list.querySelectorAll("[role=option]")].entries()) {
      item.setAttribute("aria-selected", String(index === at));
      if (index === at) {
        this.#field.setAttribute("aria-activedescendant", item.id);
        item.scrollIntoView({ block: "nearest" });
      }
    }
  }

  /** @param {number} at */
  #accept(at) {
    const { from, to, completions } = this.#shown;
    if (!completions[at]) return;
    this.#field.setRangeText(completions[at].insert, from, to, "end");
    if (completions[at].insert.startsWith(":")) recordEmojiUse(completions[at].label);
    this.#dismissedAt = from;
    this.close();
    this.#field.dispatchEvent(new Event("input", { bubbles: true }));
    this.#field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

/** A command: what it does below its name, and whose it is.
 * @param {string} id
 * @param {Completion} completion */
function commandRow(id, { label, hint, bot }) {
  return h(
    "li",
    { role: "option", id, "aria-selected": "false", class: "cmd" },
    bot ? avatar(bot) : h("span", { class: "av", "aria-hidden": "true" }, "/"),
    h("span", { class: "cx" }, h("b", { class: "mono" }, label), " ", h("small", { class: "cut" }, hint)),
    h("small", { class: "by" }, bot ? nameOf(bot) : t("command.built-in")),
  );
}

/** @param {Completion} completion */
function completionMark(completion) {
  if (completion.person) return avatar(completion.person, { presence: true });
  if (completion.emoji) return h("span", { class: "emoji", "aria-hidden": "true" }, findEmoji(completion.label) ?? "");
  const own = ownEmoji().get(completion.label);
  if (own && completion.insert.startsWith(":")) return h("img", { class: "emoji", src: own.source_url, alt: "" });
  if (completion.group) return h("span", { class: "av", "aria-hidden": "true" }, icon("people", "s"));
  return null;
}

function keyHints() {
  return h(
    "li",
    { class: "keys", role: "presentation" },
    h("span", {}, t("offers.choose")),
    h("span", {}, t("offers.insert")),
    h("span", {}, t("offers.close")),
  );
}
