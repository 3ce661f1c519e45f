/** Units of time and size. */

import { currentLanguage } from "../core/i18n.js";

export const DAY_SECONDS = 86_400;

const UNITS = /** @type {const} */ (["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"]);

/** @param {number} bytes
 * @returns {string} 1.5 kB */
export function formatSize(bytes) {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(currentLanguage(), { style: "unit", unit: UNITS[step], maximumFractionDigits: step ? 1 : 0 }).format(bytes / 1000 ** step);
}
