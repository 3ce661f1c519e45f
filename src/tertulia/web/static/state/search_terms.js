/** The text of the search field: operators, words, and dates as people write them. */

import { currentLanguage } from "../core/i18n.js";
import { makeTerm, OPERATOR_ALIASES } from "./narrow.js";
import { normalizeText } from "./name_match.js";

/** @typedef {import("./narrow.js").Term} Term */

const SEARCHABLE = new Set([
  "channel",
  "channels",
  "topic",
  "sender",
  "dm",
  "dm-including",
  "is",
  "has",
  "before",
  "after",
  "id",
  "near",
  "with",
  "mentions",
  "in",
  "search",
]);
const IN_PLACES = new Set(["home", "all"]); // what `in:` means besides a channel
const DATED = /(^|\s)(-?(?:before|after):)([^\s":]+(?: [^\s":]+){1,3})/gi;

/** Parses the text of the search field: `from:ana is:starred "some words"`.
 * @param {string} text
 * @returns {Term[]} */
export function parseSearch(text) {
  const terms = [];
  const words = [];
  for (const found of text.replace(DATED, quoteDate).matchAll(/(-?)([a-z-]+):("[^"]*"|\S+)|("[^"]*"|\S+)/gi)) {
    const word = found[2]?.toLowerCase();
    const operator = OPERATOR_ALIASES[word] ?? word;
    if (!operator || !SEARCHABLE.has(operator)) words.push(found[0]);
    else terms.push(searchTerm(operator, found[3].replaceAll('"', "").replaceAll("+", " "), found[1] === "-"));
  }
  if (words.length) terms.push({ operator: "search", operand: words.join(" ") });
  return terms;
}

/** @param {string} operator
 * @param {string} operand
 * @param {boolean} negated
 * @returns {Term} */
function searchTerm(operator, operand, negated) {
  if (operator === "in" && !IN_PLACES.has(operand)) return makeTerm("channel", operand.replace(/^#/, ""), negated);
  if (operator === "before" || operator === "after") return makeTerm(operator, parseDate(operand) ?? operand, negated);
  return makeTerm(operator, operand, negated);
}

/** `after:2 weeks ago soup` with quotes around the date.
 * @param {string} whole
 * @param {string} space
 * @param {string} operator
 * @param {string} words */
function quoteDate(whole, space, operator, words) {
  const parts = words.split(" ");
  for (let count = parts.length; count > 1; count--) {
    const date = parts.slice(0, count).join(" ");
    if (parseDate(date))
      return `${space}${operator}"${date}"${parts
        .slice(count)
        .map((part) => ` ${part}`)
        .join("")}`;
  }
  return whole;
}

/** The day that words name: `yesterday`, `monday`, `2 weeks ago`, in English and in the person's language.
 * @param {string} text
 * @returns {string | undefined} `2026-11-01` */
export function parseDate(text) {
  const wanted = normalizeText(text.trim());
  return datesLike(wanted).find(({ words }) => words === wanted)?.date;
}

/** The days whose words begin with a text, the last day first.
 * @param {string} start normalized; a number in it is the number of days, weeks, months or years
 * @returns {{words: string, hint: string, date: string}[]} `words` are normalized */
export function datesLike(start) {
  const count = Number(/\d+/.exec(start)?.[0] ?? 1);
  const found = [currentLanguage(), "en"].flatMap((language) => {
    const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    const counted = new Intl.RelativeTimeFormat(language);
    const days = [0, 1, 2, 3, 4, 5, 6];
    return [
      ...days.map((day) => ({ hint: relative.format(-day, "day"), date: daysAgo(day) })),
      ...days.map((day) => ({
        hint: new Intl.DateTimeFormat(language, { weekday: "long" }).format(daysAgo(day)),
        date: daysAgo(day),
      })),
      ...UNITS.flatMap(([unit, ago]) => [
        { hint: relative.format(-1, unit), date: ago(1) },
        { hint: counted.format(-count, unit), date: ago(count) },
      ]),
    ];
  });
  const named = found.map(({ hint, date }) => ({ words: normalizeText(hint), hint, date: isoDate(date) }));
  // a language may be English, and -1 days are yesterday
  const unique = new Map(named.reverse().map((each) => [each.words, each]));
  return [...unique.values()].reverse().filter(({ words }) => words.startsWith(start));
}

/** @type {[Intl.RelativeTimeFormatUnit, (count: number) => Date][]} */
const UNITS = [
  ["day", daysAgo],
  ["week", (count) => daysAgo(7 * count)],
  ["month", (count) => monthsAgo(count)],
  ["year", (count) => monthsAgo(12 * count)],
];

/** @param {number} days */
export function daysAgo(days) {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return day;
}

/** @param {number} months */
function monthsAgo(months) {
  const day = new Date();
  const date = day.getDate();
  day.setMonth(day.getMonth() - months);
  if (day.getDate() !== date) day.setDate(0); // a shorter month
  return day;
}

/** @param {Date} day
 * @returns {string} `2026-11-01` */
export function isoDate(day) {
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}
