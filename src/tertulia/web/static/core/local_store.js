/** What must survive a reload, a crash of the browser and a night without a connection: drafts and
 * messages that have not been sent yet, in the browser's own database.
 *
 * Where a browser keeps nothing (a private window, a full disk, somebody who has it forget all), everything
 * works as long as the page is open. */

/** @typedef {"drafts" | "outbox"} StoreName */

const VERSION = 1;

/** @type {Promise<IDBDatabase | null> | undefined} */
let opening;

/** @param {number} owner whose things these are: others may log in at the same browser */
export function openLocalStore(owner) {
  opening = new Promise((resolve) => {
    if (!globalThis.indexedDB) return resolve(null);
    const request = indexedDB.open(`tertulia-${owner}`, VERSION);
    request.onupgradeneeded = () => {
      for (const name of ["drafts", "outbox"]) request.result.createObjectStore(name, { keyPath: "key" });
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close(); // it is about to be deleted
      resolve(request.result);
    };
    request.onerror = () => resolve(null);
  });
  return opening;
}

/** Keep nothing more. */
export async function closeLocalStore() {
  const database = await opening;
  opening = Promise.resolve(null);
  database?.close();
}

/** @param {StoreName} store
 * @returns {Promise<any[]>} */
export async function getAll(store) {
  const database = await opening;
  if (!database) return [];
  return new Promise((resolve) => {
    const request = database.transaction(store).objectStore(store).getAll();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve([]);
  }).catch(() => []); // the browser has thrown it away
}

/** Resolves when it is on the disk, as far as a browser can promise that.
 * @param {StoreName} store
 * @param {{key: string}} entry
 * @returns {Promise<boolean>} whether it is kept */
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
  }).catch(() => false); // the browser has thrown it away
}
