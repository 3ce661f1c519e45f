/** Small values of the account that this browser keeps, such as what was opened lately. They are in a database of
 * their own, which is deleted when the account logs out; a copy in memory makes reading synchronous. Where the browser
 * stores nothing, they last until the page is closed. */

const VALUES = "values";

/** @type {Map<string, unknown>} */
const values = new Map();
/** @type {IDBDatabase | null} */
let valuesDatabase = null;

/** Read the values; until then there are none.
 * @param {number} owner the account
 * @returns {Promise<void>} */
export function loadAccountValues(owner) {
  return new Promise((resolve) => {
    if (!globalThis.indexedDB || !owner) return resolve();
    const request = indexedDB.open(`tertulia-${owner}-${VALUES}`, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(VALUES);
    request.onerror = () => resolve();
    request.onsuccess = () => {
      valuesDatabase = request.result;
      valuesDatabase.onversionchange = () => valuesDatabase?.close(); // another tab or the worker deletes it
      const reading = valuesDatabase.transaction(VALUES).objectStore(VALUES).openCursor();
      reading.onerror = () => resolve();
      reading.onsuccess = () => {
        if (!reading.result) return resolve();
        values.set(String(reading.result.key), reading.result.value);
        return reading.result.continue();
      };
    };
  });
}

/** @param {string} key
 * @returns {any} undefined if there is none */
export function accountValue(key) {
  return values.get(key);
}

/** @param {string} key
 * @param {unknown} value */
export function setAccountValue(key, value) {
  values.set(key, value);
  try {
    valuesDatabase?.transaction(VALUES, "readwrite").objectStore(VALUES).put(value, key);
  } catch {
    valuesDatabase = null; // it was closed: the account has logged out
  }
}
