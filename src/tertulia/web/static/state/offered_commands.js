/** The commands of bots that the reader may use. */

import { get } from "../core/api.js";
import { pageScope } from "../core/scope.js";

/** @typedef {Awaited<ReturnType<typeof import("../core/api.js").get<"/commands">>>["commands"][number]} Command */

const FRESH_MS = 30_000; // a right or a channel may have changed

/** @type {Command[]} */
let offered = [];
let fetchedAt = 0;
/** @type {Promise<void> | undefined} */
let fetching;

pageScope.on(["commands", "reset"], () => {
  fetchedAt = 0;
});

/** Fetch the list, unless it is fresh. Without a connection the last known one stays.
 * @returns {Promise<boolean>} whether it is fresh */
export async function fetchCommands() {
  if (Date.now() - fetchedAt < FRESH_MS) return true;
  fetching ??= get("/commands")
    .then(
      ({ commands }) => {
        offered = commands;
        fetchedAt = Date.now();
      },
      () => {},
    )
    .finally(() => {
      fetching = undefined;
    });
  await fetching;
  return Date.now() - fetchedAt < FRESH_MS;
}

/** @param {string} name
 * @param {number | undefined} channel undefined in a direct conversation */
export function commandNamed(name, channel) {
  return commandsLike(name.toLowerCase(), channel).find((each) => each.name === name.toLowerCase());
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
