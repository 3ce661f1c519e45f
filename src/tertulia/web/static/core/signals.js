/** Signals between modules: a store emits, a view listens, and neither imports the other. `signal_types.d.ts`
 * lists the signals and their payloads. Also here: functions that say when or how often work runs. */

import { recordError } from "./page_errors.js";

/** @typedef {import("./signal_types.d.ts").Signals} Signals */
/** @typedef {import("./signal_types.d.ts").SignalName} SignalName */

/** @type {Map<SignalName, Set<(detail: unknown) => void>>} */
const listeners = new Map();

/** @template {SignalName} Name
 * @param {Name | Name[]} names
 * @param {(detail: Signals[Name]) => void} listener
 * @returns {() => void} a function that removes the listener */
export function on(names, listener) {
  const added = /** @type {(detail: unknown) => void} */ (listener);
  for (const name of [names].flat()) {
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name)?.add(added);
  }
  return () => [names].flat().forEach((name) => listeners.get(name)?.delete(added));
}

/** @template {SignalName} Name
 * @param {Name} name
 * @param {import("./signal_types.d.ts").Payload<Name>} detail */
export function emit(name, ...detail) {
  for (const listener of [...(listeners.get(name) ?? [])]) {
    try {
      listener(detail[0]);
    } catch (error) {
      recordError(error); // one bad listener must not stop the others
    }
  }
}

/** A function that runs `work` once in the next frame, however often it is called until then.
 * @param {() => void} work
 * @returns {() => void} */
export function nextFrame(work) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    // A hidden page has no frames, and must be up to date when it is shown again.
    const schedule = document.hidden ? (/** @type {() => void} */ f) => setTimeout(f, 50) : requestAnimationFrame;
    schedule(() => {
      isScheduled = false;
      work();
    });
  };
}

/** A function that ignores calls while an earlier call is still running: a double click works once.
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

/** Run `work` after the browser has painted what is shown now; in a hidden page, at once.
 * @param {() => void} work */
export function afterPaint(work) {
  if (document.hidden) setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}
