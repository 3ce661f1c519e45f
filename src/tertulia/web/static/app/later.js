/** What a click asks for and the first view does not need is in a file of its own, fetched once. */

/** @type {Promise<Record<string, any>> | null} */
let fetched = null;

/** Something that a module of `later/` exports.
 * @param {string} name
 * @returns {Promise<any>} */
export async function later(name) {
  fetched ??= import(document.documentElement.dataset.later ?? "");
  try {
    const found = (await fetched)[name];
    if (found === undefined) throw new Error(`nothing later is called ${name}`);
    return found;
  } catch (error) {
    fetched = null;
    throw error;
  }
}
