/** What lives as long as a view, a dialog or a part of one: its listeners and its parts end together. */

import { recordError } from "./page_errors.js";
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

  /** Handle events of something that lives longer, such as the document, until the scope ends.
   * @param {EventTarget} target
   * @param {string} kind
   * @param {(event: any) => unknown} listener
   * @param {AddEventListenerOptions} [options] */
  listen(target, kind, listener, options) {
    target.addEventListener(kind, listener, options);
    this.add(() => target.removeEventListener(kind, listener, options));
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
        recordError(error); // the others have to end all the same
      }
    }
  }
}

/** What lives as long as the page. */
export const pageScope = new Scope();
