/** A day with a time, as every form asks for it: the moments that people choose most, and a field for any other. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { formatFullTime } from "./time.js";

export class MomentField {
  #field;

  /** @param {string} label
   * @param {{value?: Date, isLabelled?: boolean, isPastAllowed?: boolean, presets?: [PlainTextKey, Date][]}} [options]
   *   without a value the first preset is chosen */
  constructor(label, { value, isLabelled = true, isPastAllowed = false, presets = momentPresets() } = {}) {
    this.#field = h("input", {
      class: "f",
      type: "datetime-local",
      required: true,
      "aria-label": label,
      value: localValue(value ?? presets[0][1]),
      min: isPastAllowed ? undefined : localValue(new Date()),
    });
    const chips = presets.map(([word, moment]) =>
      h(
        "button",
        {
          class: "chip",
          type: "button",
          title: formatFullTime(moment.getTime() / 1000),
          onclick: () => {
            this.date = moment;
          },
        },
        t(word),
      ),
    );
    this.element = h(
      "div",
      { class: "moment" },
      h("div", { class: "set" }, ...chips),
      h("label", { class: "field" }, isLabelled && h("span", { "aria-hidden": "true" }, label), this.#field),
    );
  }

  /** The moment; undefined, and said at the field, if it is none or lies in the past.
   * @returns {Date | undefined} */
  get date() {
    return this.#field.reportValidity() ? new Date(this.#field.value) : undefined;
  }

  set date(moment) {
    this.#field.value = moment ? localValue(moment) : "";
  }

  /** The local time, without a time zone. */
  get local() {
    return this.#field.value;
  }

  /** @param {boolean} isHidden a field that is not shown is not checked */
  set hidden(isHidden) {
    this.element.hidden = isHidden;
    this.#field.disabled = isHidden;
  }
}

/** The moments that are offered.
 * @returns {[PlainTextKey, Date][]} */
function momentPresets() {
  const now = new Date();
  return [
    ["schedule.hour", new Date(now.getTime() + 3600_000)],
    ["schedule.tomorrow", atNine(now, 1)],
    ["schedule.monday", atNine(now, (8 - now.getDay()) % 7 || 7)],
  ];
}

/** @param {Date} now
 * @param {number} days */
function atNine(now, days) {
  const day = new Date(now);
  day.setDate(now.getDate() + days);
  day.setHours(9, 0, 0, 0);
  return day;
}

/** A time as the value of a field.
 * @param {Date} date */
function localValue(date) {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
