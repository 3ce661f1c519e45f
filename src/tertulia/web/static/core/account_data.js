/** Data of an account in this browser: its databases, the local storage, the session storage of each tab, and the
 * responses that the service worker caches. All of it is deleted when the account logs out, in this tab, in another one
 * or by the server. */

import { closeLocalStore } from "./local_store.js";

const RESPONSE_CACHE = "tertulia-read"; // as in sw.js
const LOGOUT_CHANNEL = "tertulia-logout"; // as in sw.js
const DATABASE_NAME = /^tertulia-(\d+)(-values)?$/; // as in sw.js
const MAX_DELETE_MS = 1000;

let isDeleted = false;
/** @type {BroadcastChannel | undefined} */
let otherTabs;

/** @param {() => void} onLogout called when another tab or the worker has logged out */
export function watchLogout(onLogout) {
  if (!globalThis.BroadcastChannel) return;
  otherTabs = new BroadcastChannel(LOGOUT_CHANNEL);
  otherTabs.onmessage = onLogout;
}

/** Store a value for this tab, unless the account has logged out.
 * @param {string} key
 * @param {string} value */
export function storeForTab(key, value) {
  if (!isDeleted) sessionStorage.setItem(key, value);
}

/** Store a value for all tabs, unless the account has logged out.
 * @param {string} key
 * @param {string} value */
export function storeForBrowser(key, value) {
  if (!isDeleted) localStorage.setItem(key, value);
}

/** Delete the account's data in this browser, and store nothing from now on. */
export async function deleteAccountData() {
  isDeleted = true;
  sessionStorage.clear();
  localStorage.clear();
  await closeLocalStore();
  await Promise.all([deleteDatabases(), globalThis.caches?.delete(RESPONSE_CACHE)]).catch(() => {});
}

/** Delete the databases of all accounts but one.
 * @param {number} [owner] */
export async function deleteDatabases(owner) {
  const found = (await globalThis.indexedDB?.databases?.()) ?? [];
  for (const { name } of found) {
    const match = DATABASE_NAME.exec(name ?? "");
    if (match && Number(match[1]) !== owner) indexedDB.deleteDatabase(match[0]);
  }
}

/** Log out in all tabs. */
export async function logOut() {
  otherTabs?.postMessage("logout");
  await Promise.race([deleteAccountData(), new Promise((resolve) => setTimeout(resolve, MAX_DELETE_MS))]);
  /** @type {HTMLFormElement | null} */ (document.querySelector("#logout"))?.submit();
}
