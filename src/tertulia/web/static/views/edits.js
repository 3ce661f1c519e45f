/** Messages that are being edited: for each the form that stands in its row, so that what was typed
 * stays when the row is drawn anew. */

import { emit } from "../core/signals.js";

/** @type {Map<number, HTMLElement>} */
const forms = new Map();

/** @param {number} id
 * @returns {HTMLElement | undefined} */
export function editForm(id) {
  return forms.get(id);
}

/** @param {number} id
 * @param {HTMLElement} form */
export function openEditForm(id, form) {
  forms.set(id, form);
  emit("messageChanged", id);
}

/** @param {number} id */
export function closeEditForm(id) {
  forms.delete(id);
  emit("messageChanged", id);
}
