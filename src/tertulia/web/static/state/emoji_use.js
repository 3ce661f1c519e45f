/** How often the account has used each emoji in the last 90 days, and the skin tone that it prefers. Both are kept in
 * this browser. */

import { accountValue, setAccountValue } from "../core/account_values.js";

const USE = "emoji-use"; // of the account values: by name, the days of uses
const TONE = "skin-tone";
const MAX_AGE_DAYS = 90;
const MAX_USES = 100; // of one emoji
const TONES = ["", "\u{1f3fb}", "\u{1f3fc}", "\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"];
const MODIFIER_BASE = /^\p{Emoji_Modifier_Base}/u;

/** @param {string} name
 * @param {number} [now] in milliseconds */
export function recordEmojiUse(name, now = Date.now()) {
  const today = Math.floor(now / 86_400_000);
  /** @type {Record<string, number[]>} */
  const recent = {};
  for (const [each, days] of Object.entries(allUse())) {
    const kept = days.filter((day) => today - day < MAX_AGE_DAYS);
    if (kept.length) recent[each] = kept;
  }
  recent[name] = [...(recent[name] ?? []), today].slice(-MAX_USES);
  setAccountValue(USE, recent);
}

/** @param {string} name
 * @returns {number} */
export function emojiUse(name) {
  return allUse()[name]?.length ?? 0;
}

/** Names of used emoji, the most used first; among equals the last used.
 * @returns {string[]} */
export function usedEmoji() {
  const entries = Object.entries(allUse());
  return entries.sort(([, a], [, b]) => b.length - a.length || (b.at(-1) ?? 0) - (a.at(-1) ?? 0)).map(([name]) => name);
}

/** @returns {number} 0 for the emoji as it is, 1 to 5 from light to dark */
export function skinTone() {
  return accountValue(TONE) ?? 0;
}

/** @param {number} tone */
export function setSkinTone(tone) {
  setAccountValue(TONE, tone);
}

/** Whether an emoji exists in several skin tones.
 * @param {string} character */
export function hasSkinTones(character) {
  return MODIFIER_BASE.test(character);
}

/** An emoji in a skin tone; others stay as they are.
 * @param {string} character
 * @param {number} [tone] */
export function withSkinTone(character, tone = skinTone()) {
  if (!tone || !hasSkinTones(character)) return character;
  const [first, ...rest] = character;
  return first + TONES[tone] + rest.join("").replace(/^\u{fe0f}/u, "");
}

/** @returns {Record<string, number[]>} */
function allUse() {
  return accountValue(USE) ?? {};
}
