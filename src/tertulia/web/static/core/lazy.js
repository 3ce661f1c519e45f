/** Loads the chunks that are not part of the first file, each once. `chunks.toml` says what is in them. */

/** @typedef {import("./chunk_exports.d.ts").ChunkExports} ChunkExports */
/** @typedef {import("./chunk_exports.d.ts").Chunk} Chunk */

/** @type {{[C in Chunk]?: Promise<ChunkExports[C]>}} */
const loading = {};

/** Load a chunk, if it is not loaded yet, and return one of its exports.
 * @template {Chunk} C
 * @template {keyof ChunkExports[C]} Name
 * @param {C} chunk
 * @param {Name} name
 * @returns {Promise<ChunkExports[C][Name]>} */
export async function lazy(chunk, name) {
  loading[chunk] ??= import(document.documentElement.dataset[chunk] ?? "");
  try {
    const found = (await loading[chunk])?.[name];
    if (found === undefined) throw new Error(`chunk ${chunk} does not export ${String(name)}`);
    return found;
  } catch (error) {
    delete loading[chunk];
    throw error;
  }
}
