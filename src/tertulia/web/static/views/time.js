/** Formats dates and times in the person's language. All arguments are in seconds. */

import { setting } from "../state/session.js";
import { t, currentLanguage } from "../core/i18n.js";

export const DAY_SECONDS = 86_400;

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {number} seconds
 * @param {string} [timeZone] by default that of the browser
 * @returns {string} 09:12, or 9:12 AM */
export function formatTime(seconds, timeZone) {
  const hour12 = setting("twenty_four_hour_time") === false && prefersTwelveHours();
  return dateFormat({ hour: hour12 ? "numeric" : "2-digit", minute: "2-digit", hour12, timeZone }).format(
    seconds * 1000,
  );
}

/** @param {number} seconds
 * @returns {string} the same string for all times of a day */
export function dayKey(seconds) {
  return new Date(seconds * 1000).toDateString();
}

/** The same for the day before. A day may have 23 or 25 hours.
 * @param {number} seconds */
export function dayKeyBefore(seconds) {
  const day = new Date(seconds * 1000);
  day.setDate(day.getDate() - 1);
  return day.toDateString();
}

/** A day as a heading: "Today, 15 November".
 * @param {number} seconds
 * @param {number} [now] */
export function formatDay(seconds, now = Date.now() / 1000) {
  const isThisYear = new Date(seconds * 1000).getFullYear() === new Date(now * 1000).getFullYear();
  const date = dateFormat({ day: "numeric", month: "long", ...(!isThisYear && { year: "numeric" }) }).format(
    seconds * 1000,
  );
  if (dayKey(seconds) === dayKey(now)) return t("time.today", { date });
  if (dayKey(seconds) === dayKeyBefore(now)) return t("time.yesterday", { date });
  const day = dateFormat({ weekday: "long" }).format(seconds * 1000);
  return t("time.day", { day, date });
}

/** Short, for lists: the time today, the weekday this week, the date before.
 * @param {number} seconds
 * @param {boolean} [withClock] also add the time to a weekday */
export function formatShortTime(seconds, withClock = false) {
  const now = Date.now() / 1000;
  if (dayKey(seconds) === dayKey(now)) return formatTime(seconds);
  if (now - seconds < 6 * DAY_SECONDS) {
    const day = dateFormat({ weekday: "short" }).format(seconds * 1000);
    return withClock ? `${day} ${formatTime(seconds)}` : day;
  }
  const isThisYear = new Date(seconds * 1000).getFullYear() === new Date(now * 1000).getFullYear();
  return dateFormat({ day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" }) }).format(seconds * 1000);
}

/** The full date and time, for tooltips and screen readers.
 * @param {number} seconds */
export function formatFullTime(seconds) {
  return dateFormat({ dateStyle: "full", timeStyle: "short" }).format(seconds * 1000);
}

/** How long ago: "2 hours ago".
 * @param {number} seconds
 * @param {number} [now] */
export function formatAgo(seconds, now = Date.now() / 1000) {
  const age = Math.max(60, now - seconds);
  const [size, unit] = /** @type {[number, Intl.RelativeTimeFormatUnit]} */ (
    age < 3600 ? [60, "minute"] : age < DAY_SECONDS ? [3600, "hour"] : [DAY_SECONDS, "day"]
  );
  return new Intl.RelativeTimeFormat(preferredLocale()).format(-Math.floor(age / size), unit);
}

/** A date: "16 Oct 2026".
 * @param {number} seconds */
export function formatDate(seconds) {
  return dateFormat({ dateStyle: "medium" }).format(seconds * 1000);
}

/** @param {Intl.DateTimeFormatOptions} options */
function dateFormat(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(preferredLocale(), options));
  return /** @type {Intl.DateTimeFormat} */ (formats.get(key));
}

/** The browser's regional variant of the language, such as British English. */
export function preferredLocale() {
  const language = currentLanguage();
  return navigator.languages.find((each) => each.startsWith(language)) ?? language;
}

/** @type {boolean | undefined} */
let twelveHours;

function prefersTwelveHours() {
  twelveHours ??= dateFormat({ hour: "numeric" }).resolvedOptions().hour12 ?? false;
  return twelveHours;
}

/** Minutes and seconds: 0:34.
 * @param {number} seconds */
export function clockTime(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
