/** Who is looking, what they prefer, and the organization they look at. */

import { emit } from "../core/signals.js";

/** What the page was started with, and what events have changed of it since.
 * @type {Record<string, any>} */
export const state = {};

/** @param {Record<string, any>} snapshot a register answer */
export function initSession(snapshot) {
  for (const key of Object.keys(state)) delete state[key];
  Object.assign(state, snapshot);
}

/** The id of the person, or 0 for a spectator.
 * @returns {number} */
export function myId() {
  return state.user_id ?? 0;
}

export function isSpectator() {
  return myId() === 0;
}

/** @param {string} name of a personal setting
 * @returns {any} */
export function setting(name) {
  return state.user_settings?.[name];
}

/** @param {string} name
 * @param {any} value */
export function updateSetting(name, value) {
  if (state.user_settings) state.user_settings[name] = value;
  emit("settings", name);
}

/** A fact about the organization: `realm("name")` is `realm_name` of the register answer.
 * @param {string} name
 * @returns {any} */
export function realm(name) {
  return state[`realm_${name}`];
}

/** @param {Record<string, any>} changes by their name without `realm_` */
export function updateRealm(changes) {
  for (const [name, value] of Object.entries(changes)) state[`realm_${name}`] = value;
  emit("realm");
}
