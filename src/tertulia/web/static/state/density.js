/** How close lines stand: a matter of the screen, so it is kept by the browser. */

import { emit } from "../core/signals.js";

const DENSE = "tertulia-dense";

export function isDense() {
  return localStorage.getItem(DENSE) !== null;
}

/** @param {boolean} dense */
export function setDense(dense) {
  if (dense) localStorage.setItem(DENSE, "1");
  else localStorage.removeItem(DENSE);
  emit("settings");
}
