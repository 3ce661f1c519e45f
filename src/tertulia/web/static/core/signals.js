/** Who wants to hear that something we know has changed. Modules that know tell, modules that show
 * listen, and neither has to import the other. The names of all signals:
 *
 *   people, presence, channels, folders, topics, unread, settings, realm   what we know has changed
 *   message (id)            a message looks different now
 *   arrived (message)       a message that we had not heard of
 *   gone (ids)              messages that are no more
 *   moved (ids)             messages that are in another conversation now
 *   relocated (event)       the same, with where they were and are
 *   lists                   lists of messages have other messages in them
 *   typing, connection, drafts, outbox
 *   place (place)           another view is shown
 *   replaced                everything was learned anew */

/** @type {Map<string, Set<(detail: any) => void>>} */
const listeners = new Map();

/** @param {string} names one or several, with spaces between
 * @param {(detail: any) => void} listener
 * @returns {() => void} stops listening */
export function on(names, listener) {
  for (const name of names.split(" ")) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name)?.add(listener);
  }
  return () => names.split(" ").forEach((name) => listeners.get(name)?.delete(listener));
}

/** @param {string} name
 * @param {any} [detail] */
export function emit(name, detail) {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(detail);
}

/** Do something soon and once, however often it is asked for until then.
 * @param {() => void} work
 * @returns {() => void} */
export function nextFrame(work) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    // Frames stop in a hidden page, and what it shows must be right when it is looked at again.
    const schedule = document.hidden ? (/** @type {() => void} */ f) => setTimeout(f, 50) : requestAnimationFrame;
    schedule(() => {
      isScheduled = false;
      work();
    });
  };
}

/** The same work, which is not begun again while it is under way: who presses twice does it once.
 * @template {unknown[]} Args
 * @param {(...args: Args) => unknown} work
 * @returns {(...args: Args) => Promise<void>} */
export function oneAtATime(work) {
  let isRunning = false;
  return async (...args) => {
    if (isRunning) return;
    isRunning = true;
    try {
      await work(...args);
    } finally {
      isRunning = false;
    }
  };
}

/** Do something when what is shown now has been painted; in a hidden page, where nothing is, soon.
 * @param {() => void} work */
export function afterPaint(work) {
  if (document.hidden) setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}
