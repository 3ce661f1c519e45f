/** The people of the organization, with bots and deactivated accounts. */

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

/** @param {import("./types.d.ts").Snapshot} snapshot */
export function initPeople(snapshot) {
  people.clear();
  for (const person of snapshot.realm_non_active_users ?? [])
    people.set(person.user_id, { ...DEFAULT_PERSON, ...person, is_active: false });
  for (const person of [...(snapshot.realm_users ?? []), ...(snapshot.cross_realm_bots ?? [])]) {
    people.set(person.user_id, { ...DEFAULT_PERSON, ...person, is_active: true });
  }
}

/** @param {number} id
 * @returns {Person} a placeholder if the person is unknown */
export function getPerson(id) {
  return people.get(id) ?? /** @type {Person} */ ({ ...DEFAULT_PERSON, user_id: id, full_name: t("people.unknown") });
}

/** @param {number} id */
export function nameOf(id) {
  return getPerson(id).full_name;
}

/** The first name, for small spaces; bots keep their whole name.
 * @param {number} id */
export function shortName(id) {
  const person = getPerson(id);
  return person.is_bot ? person.full_name : person.full_name.split(" ")[0];
}

/** @param {number} id
 * @returns {number} 1 to 9, always the same for a person */
export function avatarHue(id) {
  return (id % HUES) + 1;
}

/** @param {number} id */
export function initialOf(id) {
  return (Array.from(nameOf(id).trim())[0] ?? "?").toUpperCase();
}

/** @param {number} id */
export function isMuted(id) {
  return (state.muted_users ?? []).some((muted) => muted.id === id);
}

/** The title of a direct conversation.
 * @param {number[]} others
 * @returns {string} */
export function namesOf(others) {
  if (others.length === 1) return nameOf(others[0]);
  if (others.length === 0) return nameOf(myId());
  return others.map(shortName).join(", ");
}

/** @param {Partial<Person> & {user_id: number}} changed */
export function updatePerson(changed) {
  const before = people.get(changed.user_id);
  people.set(changed.user_id, { ...DEFAULT_PERSON, ...before, ...changed });
  emit("people", changed.user_id);
}

/** The server leaves out these values, to keep the page small (bootstrap.py). @type {Person} */
const DEFAULT_PERSON = {
  user_id: 0,
  full_name: "",
  email: "",
  delivery_email: null,
  avatar_url: null,
  is_bot: false,
  is_guest: false,
  is_admin: false,
  is_owner: false,
  role: 400,
  timezone: "",
  date_joined: "",
  bot_type: null,
  is_active: true,
};
