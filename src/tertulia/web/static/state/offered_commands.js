/** The commands of bots that the reader may use, for completions. */

import { get } from "../core/api.js";

const FRESH_MS = 30_000;

/** @type {{name: string, description: string, in_direct: boolean, stream_ids: number[] | null}[]} */
let offered = [];
let fetchedAt = 0;

/** Without a connection the last known ones stay. */
export async function fetchCommands() {
  if (fetchedAt && Date.now() - fetchedAt < FRESH_MS) return;
  try {
    offered = (await get("/commands")).commands;
    fetchedAt = Date.now();
  } catch {
    // the built-in ones are offered
  }
}

/** @param {string} query
 * @param {number | undefined} channel undefined in a direct conversation */
export function commandsLike(query, channel) {
  return offered.filter(
    (each) =>
      each.name.startsWith(query) &&
      (channel === undefined ? each.in_direct : (each.stream_ids?.includes(channel) ?? true)),
  );
}
