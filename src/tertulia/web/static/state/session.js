/** The account that is logged in, its settings, and facts about the organization. */

import { emit } from "../core/signals.js";

/** @typedef {import("./types.d.ts").Snapshot} Snapshot */
/** @typedef {import("./types.d.ts").UserSettings} UserSettings */
/** @typedef {import("./types.d.ts").SettingValue} SettingValue */
/** @typedef {import("./types.d.ts").RealmName} RealmName */

/** The snapshot that the page started with, kept up to date by events.
 * @type {Snapshot} */
export const state = {};

/** @param {Snapshot} snapshot */
export function initSession(snapshot) {
  for (const key of Object.keys(state)) delete state[/** @type {keyof Snapshot} */ (key)];
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

/** @template {keyof UserSettings} Name
 * @param {Name} name of a personal setting
 * @returns {UserSettings[Name] | undefined} */
export function setting(name) {
  return /** @type {Partial<UserSettings> | undefined} */ (state.user_settings)?.[name];
}

/** @param {string} name
 * @param {SettingValue} value */
export function updateSetting(name, value) {
  if (state.user_settings) Object.assign(state.user_settings, { [name]: value });
  emit("settings", name);
}

/** A fact about the organization: `realm("name")` is `realm_name` of the snapshot.
 * @template {RealmName} Name
 * @param {Name} name
 * @returns {Snapshot[`realm_${Name}`]} */
export function realm(name) {
  return state[`realm_${name}`];
}

/** @param {Record<string, unknown>} changes by their name without `realm_` */
export function updateRealm(changes) {
  for (const [name, value] of Object.entries(changes)) Object.assign(state, { [`realm_${name}`]: value });
  emit("realm");
}
