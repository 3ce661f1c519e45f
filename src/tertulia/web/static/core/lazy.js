/** Loads the chunks that are not part of the first file, each once. `chunks.toml` says what is in them. */

/** @typedef {import("./chunk_exports.d.ts").ChunkExports} ChunkExports */
/** @typedef {import("./chunk_exports.d.ts").Chunk} Chunk */

/** @type {{[C in Chunk]?: Promise<ChunkExports[C]>}} */
const loading = {};

/** A chunk did not load: there is no connection, or the server does not answer. */
export class ChunkError extends Error {}

/** Load a chunk, if it is not loaded yet, and return one of its exports.
 * @template {Chunk} C
 * @template {keyof ChunkExports[C]} Name
 * @param {C} chunk
 * @param {Name} name
 * @returns {Promise<ChunkExports[C][Name]>} */
export async function lazy(chunk, name) {
  loading[chunk] ??= Promise.all([
    import(document.documentElement.dataset[chunk] ?? ""),
    loadStyle(document.documentElement.dataset[`${chunk}Style`]),
  ]).then(([exports]) => exports);
  const exports = await loading[chunk]?.catch((error) => {
    delete loading[chunk];
    throw new ChunkError(chunk, { cause: error });
  });
  const found = exports?.[name];
  if (found === undefined) throw new Error(`chunk ${chunk} does not export ${String(name)}`);
  return found;
}

/** Call a function when it is loaded. Without a connection nothing happens.
 * @template Argument
 * @param {Promise<(argument: Argument) => unknown>} loading
 * @param {Argument} [argument] */
export function callLoaded(loading, argument) {
  loading.then(
    (call) => call(/** @type {Argument} */ (argument)),
    () => {},
  );
}

/** Load the stylesheet of a chunk. Without it the chunk works, too.
 * @param {string | undefined} path
 * @returns {Promise<void>} */
function loadStyle(path) {
  return new Promise((resolve) => {
    if (!path) return resolve();
    const link = Object.assign(document.createElement("link"), {
      rel: "stylesheet",
      href: path,
      onload: () => resolve(),
      onerror: () => resolve(),
    });
    return document.head.append(link);
  });
}
