/** The page's other files: `living` follows the first view, `later` is what a click asks for. Each is
 * fetched once. */

/** @type {Map<string, Promise<Record<string, any>>>} */
const fetched = new Map();

/** Something that a module of `living/` exports.
 * @param {string} name
 * @returns {Promise<any>} */
export function living(name) {
  return exportOf("living", name);
}

/** Something that a module of `later/` exports.
 * @param {string} name
 * @returns {Promise<any>} */
export function later(name) {
  return exportOf("later", name);
}

/** @param {string} file
 * @param {string} name */
async function exportOf(file, name) {
  const fetching = fetched.get(file) ?? import(document.documentElement.dataset[file] ?? "");
  fetched.set(file, fetching);
  try {
    const found = (await fetching)[name];
    if (found === undefined) throw new Error(`nothing ${file} is called ${name}`);
    return found;
  } catch (error) {
    fetched.delete(file);
    throw error;
  }
}
