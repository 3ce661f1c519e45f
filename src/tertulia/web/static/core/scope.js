/** What lives as long as a view, a dialog or a part of one: its listeners and its parts end together. */

import { on } from "./signals.js";

/** @typedef {import("./signal_types.d.ts").Signals} Signals */
/** @typedef {import("./signal_types.d.ts").SignalName} SignalName */

export class Scope {
  /** @type {Set<() => void>} */
  #ends = new Set();
  isClosed = false;

  /** Run something when the scope ends, which it may have already.
   * @param {() => void} end */
  add(end) {
    if (this.isClosed) end();
    else this.#ends.add(end);
  }

  /** Listen to signals until the scope ends.
   * @template {SignalName} Name
   * @param {Name | Name[]} names
   * @param {(detail: Signals[Name]) => void} listener */
  on(names, listener) {
    this.add(on(names, listener));
  }

  /** The scope of a part, which may end earlier. */
  child() {
    const part = new Scope();
    const end = () => part.close();
    this.add(end);
    part.add(() => this.#ends.delete(end));
    return part;
  }

  close() {
    this.isClosed = true;
    const ends = [...this.#ends];
    this.#ends.clear();
    for (const end of ends) {
      try {
        end();
      } catch (error) {
        console.error(error); // the others have to end all the same
      }
    }
  }
}
