/** Formats durations in the person's language. */

import { DAY_SECONDS, preferredLocale } from "./time.js";

/** @type {[string, number][]} */
const TIME_UNITS = [
  ["day", DAY_SECONDS],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** "30 seconds", "5 minutes", "1 hour": in the largest unit of which it is a whole number.
 * @param {number} seconds */
export function formatLength(seconds) {
  const [unit, size] = TIME_UNITS.find((each) => seconds % each[1] === 0) ?? TIME_UNITS[3];
  return new Intl.NumberFormat(preferredLocale(), { style: "unit", unit, unitDisplay: "long" }).format(seconds / size);
}
