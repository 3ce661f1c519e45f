/** Whether the inbox shows the card of the first days: to owners of a new organization and to newcomers.
 * It is hidden for good in this browser; without that it disappears by itself. */

import { getPerson } from "../state/people.js";
import { isSpectator, myId, realm, state } from "../state/session.js";

const DAY_MS = 24 * 3600 * 1000;
const NEWCOMER_DAYS = 7;
const OWNER_DAYS = 30;

export function isInFirstDays() {
  if (isSpectator() || localStorage.getItem(storageKey()) !== null) return false;
  const start = state.is_owner ? (realm("date_created") ?? 0) * 1000 : getPerson(myId()).date_joined;
  return Date.now() - new Date(start).getTime() < (state.is_owner ? OWNER_DAYS : NEWCOMER_DAYS) * DAY_MS;
}

export function hideStartCard() {
  localStorage.setItem(storageKey(), "1");
}

function storageKey() {
  return `start-card-${myId()}`;
}
