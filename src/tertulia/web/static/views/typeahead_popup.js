/** The list of offers above a field, while somebody types: arrows choose, Enter or Tab takes,
 * Escape closes. The focus stays in the field. */

import { emojiNamed, ownEmoji } from "../state/emoji.js";
import { fill, h, icon } from "../core/html.js";
import { face } from "./avatars.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/typeahead_sources.js").Offer} Offer */
/** @typedef {{from: number, to: number, offers: Offer[]}} Offered which part of the text an offer replaces */
/** @typedef {(text: string, caret: number) => Offered | undefined | Promise<Offered | undefined>} Source */

export class Offers {
  #field;
  #list;
  #source;
  /** @type {Offered} */
  #offered = { from: 0, to: 0, offers: [] };
  #chosen = 0;
  /** What was closed by Escape stays closed until something else is wanted. */
  #closed = -1;

  /** @param {HTMLTextAreaElement | HTMLInputElement} field
   * @param {HTMLUListElement} list
   * @param {Source} source */
  constructor(field, list, source) {
    this.#field = field;
    this.#list = list;
    this.#source = source;
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", list.id);
    field.addEventListener("input", () => this.look());
    field.addEventListener("click", () => this.look());
    field.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    list.addEventListener("mousedown", (event) => {
      event.preventDefault(); // the field keeps the focus
      const item = /** @type {Element} */ (event.target).closest("[role=option]");
      if (item) this.#take(Number(item.id.split("-").at(-1)));
    });
  }

  get isOpen() {
    return !this.#list.hidden;
  }

  /** Offer what fits to what stands before the caret. */
  async look() {
    const { value, selectionEnd } = this.#field;
    const offered = await this.#source(value, selectionEnd ?? value.length);
    const isLate = this.#field.value !== value || document.activeElement !== this.#field;
    if (isLate) return;
    if (!offered) this.#closed = -1;
    if (!offered?.offers.length || offered.from === this.#closed) return this.close();
    this.#offered = offered;
    fill(this.#list, ...offered.offers.map((offer, at) => this.#row(offer, at)), keysRow());
    this.#list.hidden = false;
    this.#choose(0);
  }

  close() {
    this.#list.hidden = true;
    this.#field.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event
   * @returns {boolean} whether it was ours */
  key(event) {
    if (!this.isOpen || event.isComposing) return false;
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 });
    if (event.key in steps) this.#choose((this.#chosen + steps[event.key] + this.#offered.offers.length) % this.#offered.offers.length);
    else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") this.#take(this.#chosen);
    else if (event.key === "Escape") {
      this.#closed = this.#offered.from;
      this.close();
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  /** @param {Offer} offer
   * @param {number} at */
  #row(offer, at) {
    return h("li", { role: "option", id: `${this.#list.id}-${at}`, "aria-selected": "false" }, offerMark(offer), h("bdi", {}, offer.label), offer.hint && h("small", { class: "cut" }, offer.hint));
  }

  /** @param {number} at */
  #choose(at) {
    this.#chosen = at;
    for (const [index, item] of [...this.#list.querySelectorAll("[role=option]")].entries()) {
      item.setAttribute("aria-selected", String(index === at));
      if (index === at) {
        this.#field.setAttribute("aria-activedescendant", item.id);
        item.scrollIntoView({ block: "nearest" });
      }
    }
  }

  /** @param {number} at */
  #take(at) {
    const { from, to, offers } = this.#offered;
    if (!offers[at]) return;
    this.#field.setRangeText(offers[at].insert, from, to, "end");
    this.#closed = from;
    this.close();
    this.#field.dispatchEvent(new Event("input", { bubbles: true }));
    this.#field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

/** @param {Offer} offer */
function offerMark(offer) {
  if (offer.person) return face(offer.person, { presence: true });
  if (offer.emoji) return h("span", { class: "emoji", "aria-hidden": "true" }, emojiNamed(offer.label) ?? "");
  const own = ownEmoji().get(offer.label);
  if (own && offer.insert.startsWith(":")) return h("img", { class: "emoji", src: own.source_url, alt: "" });
  if (offer.group) return h("span", { class: "av", "aria-hidden": "true" }, icon("people", "s"));
  return null;
}

function keysRow() {
  return h("li", { class: "keys", role: "presentation" }, h("span", {}, say("offers.choose")), h("span", {}, say("offers.insert")), h("span", {}, say("offers.close")));
}
