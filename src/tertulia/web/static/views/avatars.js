/** Avatars of people and bots, dots of channels, badges with numbers. */

import { channelColor, channels } from "../state/channels.js";
import { srOnly, h, icon } from "../core/html.js";
import { avatarHue, initialOf, getPerson } from "../state/people.js";
import { presenceOf } from "../state/presence.js";
import { realm, state } from "../state/session.js";
import { glyph } from "./rendered_content.js";
import { formatIncrease, formatNumber, t } from "../core/i18n.js";

/** @param {number} channel
 * @returns {Element} */
export function channelDot(channel) {
  const info = channels.get(channel);
  const mark = info?.invite_only
    ? icon("lock", "drop lock")
    : info?.is_web_public
      ? icon("globe", "drop lock")
      : h("span", { class: "drop", "aria-hidden": "true" });
  /** @type {HTMLElement} */ (mark).style.setProperty("--c", channelColor(channel));
  return mark;
}

/** @param {number} id
 * @param {{presence?: boolean, extra?: string}} [options]
 * @returns {HTMLElement} */
export function avatar(id, { presence = false, extra = "" } = {}) {
  const person = getPerson(id);
  const presenceClass = presence && !person.is_bot ? presenceOf(id) : "";
  const names = ["av", `p${avatarHue(id)}`, person.is_bot && "bot", presenceClass, extra].filter(Boolean).join(" ");
  const picture = chosenPicture(person);
  const shown = picture ? h("img", { src: picture, alt: "", loading: "lazy" }) : initialOf(id);
  return h("span", { class: names, "aria-hidden": "true", "data-face": id }, shown);
}

/** Everything that an avatar shows.
 * @param {number} id */
export function avatarData(id) {
  const person = getPerson(id);
  return [id, person.avatar_url, person.is_bot, initialOf(id)];
}

/** Everything that the dot of a channel shows.
 * @param {number} channel */
export function dotData(channel) {
  const info = channels.get(channel);
  return [info?.invite_only, info?.is_web_public, channelColor(channel)];
}

/** The emoji of a person's status; its text is the label.
 * @param {number} id
 * @param {string} [before] text before it
 * @returns {HTMLElement | false} */
export function statusEmoji(id, before = "") {
  const status = state.user_status?.[id];
  if (!status?.emoji_code) return false;
  const label = status.status_text || (status.emoji_name ?? "").replaceAll("_", " ");
  const own = status.reaction_type === "realm_emoji" ? realm("emoji")?.[status.emoji_code] : undefined;
  if (status.reaction_type !== "unicode_emoji" && !own) return false;
  const sign = own
    ? h("img", { class: "emoji", src: own.source_url, alt: label })
    : h("span", { class: "emoji", role: "img", "aria-label": label, title: label }, glyph(status.emoji_code));
  return before ? h("span", {}, before, sign) : sign;
}

/** The avatars of the last three participants, and how many more there are.
 * @param {number[]} ids
 * @returns {HTMLElement} */
export function avatarStack(ids) {
  const shown = ids.slice(0, 3).map((id) => avatar(id));
  const more = ids.length > 3 && h("span", { class: "more" }, formatIncrease(ids.length - 3));
  return h("span", { class: "avatars", "aria-hidden": "true" }, ...shown, more);
}

/** @typedef {{isMention?: boolean, soft?: boolean, word?: string}} BadgeOptions */

/** A badge with a number, of unread messages or what `word` says.
 * @param {number} count
 * @param {BadgeOptions} [options]
 * @returns {HTMLElement | false} */
export function badge(count, { isMention = false, soft = false, word = "unread" } = {}) {
  if (!count) return false;
  return h(
    "span",
    { class: `n ${isMention ? "call" : soft ? "soft" : ""}`.trim() },
    formatNumber(count),
    srOnly(` ${t(`badge.${word}`, { count })}`),
  );
}

/** The presence of a person as text; a bot has none.
 * @param {number} id */
export function presenceText(id) {
  return t(getPerson(id).is_bot ? "people.bot" : `presence.${presenceOf(id)}`);
}

/** @type {Map<string, boolean>} by URL, whether the person has chosen the picture */
const chosenByUrl = new Map();

/** The URL of a picture that the person has chosen. In place of generated pictures the page shows a letter.
 * @param {import("../state/people.js").Person} person
 * @returns {string | null} */
function chosenPicture(person) {
  const address = person.avatar_url;
  if (!address) return null;
  if (!chosenByUrl.has(address)) chosenByUrl.set(address, isChosen(address));
  return chosenByUrl.get(address) ? address : null;
}

/** @param {string} address */
function isChosen(address) {
  if (!URL.canParse(address, location.href)) return false;
  const { origin, pathname } = new URL(address, location.href);
  return origin === location.origin && !/\/user_avatars\/\d+\/\d+(-medium)?\.png$/.test(pathname);
}
