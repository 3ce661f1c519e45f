/** What must survive a reload, a crash of the browser and a night without a connection: drafts and
 * messages that have not been sent yet, in the browser's own database.
 *
 * Where a browser keeps nothing (a private window, a full disk, somebody who has it forget all), everything
 * works as long as the page is open. */

/** @typedef {"drafts" | "outbox"} Shelf */

const VERSION = 1;

/** @type {Promise<IDBDatabase | null> | undefined} */
let opened;

/** @param {number} owner whose things these are: others may log in at the same browser */
export function openShelves(owner) {
  opened = new Promise((resolve) => {
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
  return opened;
}

/** Keep nothing more. */
export async function closeShelves() {
  const database = await opened;
  opened = Promise.resolve(null);
  database?.close();
}

/** @param {Shelf} shelf
 * @returns {Promise<any[]>} */
export async function allOn(shelf) {
  const database = await opened;
  if (!database) return [];
  return new Promise((resolve) => {
    const request = database.transaction(shelf).objectStore(shelf).getAll();
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve([]);
  }).catch(() => []); // the browser has thrown it away
}

/** Resolves when it is on the disk, as far as a browser can promise that.
 * @param {Shelf} shelf
 * @param {{key: string}} thing
 * @returns {Promise<boolean>} whether it is kept */
export function putOn(shelf, thing) {
  return changeShelf(shelf, (store) => store.put(thing));
}

/** @param {Shelf} shelf
 * @param {string} key */
export function takeOff(shelf, key) {
  return changeShelf(shelf, (store) => store.delete(key));
}

/** @param {Shelf} shelf
 * @param {(store: IDBObjectStore) => void} change
 * @returns {Promise<boolean>} */
async function changeShelf(shelf, change) {
  const database = await opened;
  if (!database) return false;
  return new Promise((resolve) => {
    const transaction = database.transaction(shelf, "readwrite", { durability: "strict" });
    transaction.oncomplete = () => resolve(true);
    transaction.onerror = transaction.onabort = () => resolve(false);
    change(transaction.objectStore(shelf));
  }).catch(() => false); // the browser has thrown it away
}
