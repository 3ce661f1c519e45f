/** Open edit forms by message, so that a redrawn row keeps its form and the text in it; and edits that were left
 * without saving. */

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
  kept.delete(id);
  emit("messageChanged", id);
}

/** Messages whose edit was left without saving; the text is in the session storage. @type {Set<number>} */
const kept = new Set();

/** @param {number} id */
export function isEditKept(id) {
  return kept.has(id);
}

/** Leave an edit; the row offers to continue it.
 * @param {number} id */
export function keepEdit(id) {
  kept.add(id);
  closeEditForm(id);
}

/** @param {number} id */
export function discardEdit(id) {
  sessionStorage.removeItem(`edit-${id}`);
  kept.delete(id);
  closeEditForm(id);
}

/** @param {number} id */
export function closeEditForm(id) {
  forms.delete(id);
  emit("messageChanged", id);
}
