/** Compact or comfortable rows. It depends on the screen, so this browser stores it. */

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
