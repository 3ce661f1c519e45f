/** Loads the chunks that are not part of the first file, each once. `chunks.toml` says what is in them. */

/** @typedef {"interactive" | "dialogs"} Chunk */

/** @type {Map<Chunk, Promise<Record<string, any>>>} */
const loading = new Map();

/** Load a chunk, if it is not loaded yet, and return one of its exports.
 * @param {Chunk} chunk
 * @param {string} name
 * @returns {Promise<any>} */
export async function lazy(chunk, name) {
  const exports = loading.get(chunk) ?? import(document.documentElement.dataset[chunk] ?? "");
  loading.set(chunk, exports);
  try {
    const found = (await exports)[name];
    if (found === undefined) throw new Error(`chunk ${chunk} does not export ${name}`);
    return found;
  } catch (error) {
    loading.delete(chunk);
    throw error;
  }
}
