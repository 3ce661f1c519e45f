/** The people we know of, bots and those who have left included. */

import { state, myId } from "./session.js";
import { emit } from "../core/signals.js";
import { t } from "../core/i18n.js";

/** @typedef {{user_id: number, full_name: string, email: string, delivery_email: string | null,
 *   avatar_url: string | null, is_bot: boolean, is_guest: boolean, is_admin: boolean, is_owner: boolean,
 *   role: number, timezone: string, date_joined: string, bot_type: number | null,
 *   bot_owner_id?: number | null, is_system_bot?: boolean, is_active: boolean,
 *   profile_data?: Record<string, {value: string, rendered_value?: string}>}} Person */

const HUES = 9;

/** @type {Map<number, Person>} */
export const people = new Map();

/** @param {Record<string, any>} snapshot a register answer */
export function initPeople(snapshot) {
  people.clear();
  for (const person of snapshot.realm_non_active_users ?? []) people.set(person.user_id, { ...DEFAULT_PERSON, ...person, is_active: false });
  for (const person of [...(snapshot.realm_users ?? []), ...(snapshot.cross_realm_bots ?? [])]) {
    people.set(person.user_id, { ...DEFAULT_PERSON, ...person, is_active: true });
  }
}

/** @param {number} id
 * @returns {Person} somebody unknown if we know nothing of them */
export function getPerson(id) {
  return people.get(id) ?? /** @type {Person} */ ({ ...DEFAULT_PERSON, user_id: id, full_name: t("people.unknown") });
}

/** @param {number} id */
export function nameOf(id) {
  return getPerson(id).full_name;
}

/** The part of a name that fits into small places.
 * @param {number} id */
export function shortName(id) {
  const person = getPerson(id);
  return person.is_bot ? person.full_name : person.full_name.split(" ")[0];
}

/** @param {number} id
 * @returns {number} one of nine hues, always the same for the same person */
export function avatarHue(id) {
  return (id % HUES) + 1;
}

/** @param {number} id */
export function initialOf(id) {
  return (Array.from(nameOf(id).trim())[0] ?? "?").toUpperCase();
}

/** @param {number} id */
export function isMuted(id) {
  return (state.muted_users ?? []).some((/** @type {{id: number}} */ muted) => muted.id === id);
}

/** What to call the conversation with these people.
 * @param {number[]} others
 * @returns {string} */
export function namesOf(others) {
  if (others.length === 1) return nameOf(others[0]);
  if (others.length === 0) return nameOf(myId());
  return others.map(shortName).join(", ");
}

/** @param {Record<string, any>} changed a person with what is new about them */
export function updatePerson(changed) {
  const before = people.get(changed.user_id);
  people.set(changed.user_id, { ...DEFAULT_PERSON, ...before, ...changed });
  emit("people", changed.user_id);
}

/** What is so of most people, and of somebody of whom we are told nothing else. @type {Person} */
const DEFAULT_PERSON = {
  user_id: 0, full_name: "", email: "", delivery_email: null, avatar_url: null, is_bot: false, is_guest: false,
  is_admin: false, is_owner: false, role: 400, timezone: "", date_joined: "", bot_type: null, is_active: true,
};
