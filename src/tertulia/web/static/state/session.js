/** Who is looking, what they prefer, and the organization they look at. */

import { tell } from "../core/signals.js";

/** What the page was started with, and what events have changed of it since.
 * @type {Record<string, any>} */
export const known = {};

/** @param {Record<string, any>} state a register answer */
export function learnMe(state) {
  for (const key of Object.keys(known)) delete known[key];
  Object.assign(known, state);
}

/** The id of the person, or 0 for a spectator.
 * @returns {number} */
export function myId() {
  return known.user_id ?? 0;
}

export function isSpectator() {
  return myId() === 0;
}

/** @param {string} name of a personal setting
 * @returns {any} */
export function setting(name) {
  return known.user_settings?.[name];
}

/** @param {string} name
 * @param {any} value */
export function changeSetting(name, value) {
  if (known.user_settings) known.user_settings[name] = value;
  tell("settings", name);
}

/** A fact about the organization: `realm("name")` is `realm_name` of the register answer.
 * @param {string} name
 * @returns {any} */
export function realm(name) {
  return known[`realm_${name}`];
}

/** @param {Record<string, any>} facts by their name without `realm_` */
export function changeRealm(facts) {
  for (const [name, value] of Object.entries(facts)) known[`realm_${name}`] = value;
  tell("realm");
}
