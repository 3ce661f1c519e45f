/** Emoji: the server's list of names, fetched when first needed, and the custom emoji of the organization. */

import { emojiUse } from "./emoji_use.js";
import { realm } from "./session.js";

/** Emoji that people use most, the most used first. They are offered before others that the account has not used. */
export const POPULAR = [
  "+1",
  "heart",
  "smile",
  "tada",
  "eyes",
  "check",
  "thinking",
  "pray",
  "rocket",
  "joy",
  "laughing",
  "clap",
  "wave",
  "fire",
  "100",
  "sob",
  "sweat_smile",
  "wink",
  "cry",
  "sunglasses",
  "muscle",
  "raised_hands",
  "blush",
  "shrug",
  "face_palm",
  "heart_eyes",
  "coffee",
  "star",
  "sparkles",
  "warning",
  "bug",
  "ok",
  "hug",
  "cake",
  "beers",
  "point_up",
  "see_no_evil",
  "grinning",
  "smirk",
  "-1",
];

/** @type {Map<string, string>} from name to code */
const codes = new Map();
/** @type {Map<string, string[]>} */
const namesByCode = new Map();
/** @type {string[]} sorted, to be searched */
let names = [];
/** @type {Promise<void> | undefined} */
let fetching;

/** @returns {Promise<void>} */
export function fetchEmoji() {
  fetching ??= fetch("/static/emoji.json")
    .then((response) => response.json())
    .then(initEmoji, () => {
      fetching = undefined;
    });
  return fetching;
}

/** @param {{code_to_names: Record<string, string[]>}} list */
export function initEmoji(list) {
  for (const [code, aliases] of Object.entries(list.code_to_names)) {
    namesByCode.set(code, aliases);
    for (const name of aliases) codes.set(name, code);
  }
  names = [...codes.keys()].sort();
}

/** The character of a name; undefined if the emoji is custom or unknown.
 * @param {string} name */
export function findEmoji(name) {
  const code = codes.get(name);
  return code && String.fromCodePoint(...code.split("-").map((part) => parseInt(part, 16)));
}

/** The active custom emoji, by name.
 * @returns {Map<string, {id: string, name: string, source_url: string, still_url: string | null}>} */
export function ownEmoji() {
  const found = Object.values(realm("emoji") ?? {}).filter((each) => !each.deactivated);
  return new Map(found.map((each) => [each.name, each]));
}

/** Codes of all Unicode emoji that the server knows.
 * @returns {string[]} */
export function allEmojiCodes() {
  return [...namesByCode.keys()];
}

/** The names of an emoji, the best first.
 * @param {string} code */
export function emojiNames(code) {
  return namesByCode.get(code) ?? [];
}

/** Emoji with a name that contains a word. `also` is that name, if it is not the first one.
 * @param {string} query
 * @param {number} limit
 * @returns {{name: string, also?: string}[]} best first */
export function findEmojiByWord(query, limit) {
  return searchEmoji(query.toLowerCase(), limit).map((found) => {
    const name = emojiNames(codes.get(found) ?? "")[0] ?? found;
    return name.includes(query.toLowerCase().replaceAll(" ", "_")) ? { name } : { name, also: found };
  });
}

/** Names that start with the query, then names that contain it; those that the account uses most come first, then
 * popular ones, then short ones.
 * @param {string} query
 * @param {number} limit
 * @returns {string[]} */
export function searchEmoji(query, limit) {
  const prefix = query.replaceAll(" ", "_");
  const all = [...ownEmoji().keys(), ...names];
  const popularity = (/** @type {string} */ name) =>
    POPULAR.length - (POPULAR.includes(name) ? POPULAR.indexOf(name) : POPULAR.length);
  const starting = all
    .filter((name) => name.startsWith(prefix))
    .sort((a, b) => emojiUse(b) - emojiUse(a) || popularity(b) - popularity(a) || a.length - b.length);
  const inside = starting.length < limit ? all.filter((name) => !name.startsWith(prefix) && name.includes(prefix)) : [];
  const seen = new Set();
  return [...starting, ...inside].filter((name) => !isRepeated(name, seen)).slice(0, limit);
}

/** The reaction with this name, as the API describes it.
 * @param {string} name
 * @returns {{emoji_name: string, emoji_code: string, reaction_type: string}} */
export function reactionFor(name) {
  const own = ownEmoji().get(name);
  if (own) return { emoji_name: name, emoji_code: own.id, reaction_type: "realm_emoji" };
  if (name === "zulip") return { emoji_name: name, emoji_code: name, reaction_type: specialType() };
  return { emoji_name: name, emoji_code: codes.get(name) ?? "", reaction_type: "unicode_emoji" };
}

/** The server names the type of the special emoji by the User-Agent; the desktop app's is Zulip's. */
function specialType() {
  return navigator.userAgent.startsWith("Zulip") ? "zulip_extra_emoji" : "service_extra_emoji";
}

/** Whether an emoji with several names was found before.
 * @param {string} name
 * @param {Set<string>} seen */
function isRepeated(name, seen) {
  const what = codes.get(name) ?? name;
  if (seen.has(what)) return true;
  seen.add(what);
  return false;
}
