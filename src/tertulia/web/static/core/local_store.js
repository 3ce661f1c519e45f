/** IndexedDB stores for what must survive a reload, a crash of the browser and a long time offline: drafts, and
 * messages that are not sent yet.
 *
 * Where the browser stores nothing (a private window, a full disk), all functions still work, and the page keeps
 * its data until it is closed. */

/** @typedef {{drafts: import("../state/drafts.js").Draft, outbox: import("../sync/outbox.js").PendingMessage}}
 *   Stored */
/** @typedef {keyof Stored} StoreName */

const VERSION = 1;

/** @type {Promise<IDBDatabase | null> | undefined} */
let opening;

/** @param {number} owner the account: others may log in with the same browser */
export function openLocalStore(owner) {
  opening = new Promise((resolve) => {
    if (!globalThis.indexedDB) return resolve(null);
    const request = indexedDB.open(`tertulia-${owner}`, VERSION);
    request.onupgradeneeded = () => {
      for (const name of ["drafts", "outbox"]) request.result.createObjectStore(name, { keyPath: "key" });
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close(); // another tab deletes the database
      resolve(request.result);
    };
    request.onerror = () => resolve(null);
  });
  return opening;
}

/** Store nothing from now on. */
export async function closeLocalStore() {
  const database = await opening;
  opening = Promise.resolve(null);
  database?.close();
}

/** @template {StoreName} Name
 * @param {Name} store
 * @returns {Promise<Stored[Name][]>} */
export async function getAll(store) {
  const database = await opening;
  if (!database) return [];
  return new Promise((/** @type {(rows: Stored[Name][]) => void} */ resolve) => {
    const request = database.transaction(store).objectStore(store).getAll();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve([]);
  }).catch(() => []); // the browser has deleted the database
}

/** Resolves when the entry is on the disk, as far as browsers promise that.
 * @template {StoreName} Name
 * @param {Name} store
 * @param {Stored[Name]} entry
 * @returns {Promise<boolean>} whether it is stored */
export function putEntry(store, entry) {
  return changeStore(store, (store) => store.put(entry));
}

/** @param {StoreName} store
 * @param {string} key */
export function removeEntry(store, key) {
  return changeStore(store, (store) => store.delete(key));
}

/** @param {StoreName} store
 * @param {(store: IDBObjectStore) => void} change
 * @returns {Promise<boolean>} */
async function changeStore(store, change) {
  const database = await opening;
  if (!database) return false;
  return new Promise((resolve) => {
    const transaction = database.transaction(store, "readwrite", { durability: "strict" });
    transaction.oncomplete = () => resolve(true);
    transaction.onerror = transaction.onabort = () => resolve(false);
    change(transaction.objectStore(store));
  }).catch(() => false); // the browser has deleted the database
}
