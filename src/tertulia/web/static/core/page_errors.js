/** Counts errors of the page by their place in the code and sends the counts to the server, whose operator sees them.
 * The text of an error may contain what people write, so it is never sent. */

const SEND_AFTER_MS = 10_000;
const MAX_PLACES = 20; // of one page
const PLACE = /\/static\/(?:page|dev\/[a-z]+)\/([\w./-]+\.js:\d+:\d+)/; // in a stack
const UNKNOWN = "unknown";

/** @type {Map<string, number>} not sent yet */
const counts = new Map();
/** @type {Set<string>} */
const places = new Set();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Record an error that code has caught because other work has to go on.
 * @param {unknown} error */
export function recordError(error) {
  console.error(error);
  countError(error);
}

/** Count the errors that no code catches. */
export function watchErrors() {
  addEventListener("error", (event) => countError(event.error));
  // Errors of requests are shown to the person, by a listener that prevents the default.
  addEventListener("unhandledrejection", (event) =>
    setTimeout(() => event.defaultPrevented || countError(event.reason)),
  );
  addEventListener("pagehide", send);
}

/** @param {unknown} error */
function countError(error) {
  const place = (error instanceof Error && PLACE.exec(error.stack ?? "")?.[1]) || UNKNOWN;
  if (!places.has(place) && places.size >= MAX_PLACES) return;
  places.add(place);
  counts.set(place, (counts.get(place) ?? 0) + 1);
  timer ??= setTimeout(send, SEND_AFTER_MS);
}

function send() {
  clearTimeout(timer);
  timer = undefined;
  if (!counts.size) return;
  navigator.sendBeacon("/page-errors", new URLSearchParams({ places: JSON.stringify(Object.fromEntries(counts)) }));
  counts.clear();
}
