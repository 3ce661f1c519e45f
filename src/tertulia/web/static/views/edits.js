/** Open edit forms by message, so that a redrawn row keeps its form and the text in it. */

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
