/** Which rows of a long list are in the document. A window is a range of indexes, without `to`. */

/** @typedef {{from: number, to: number}} Range */

/** A window of `size` rows around an index.
 * @param {number} length of the list
 * @param {number} at
 * @param {number} size
 * @returns {Range} */
export function centredRange(length, at, size) {
  const from = Math.max(0, Math.min(at - (size >> 1), length - size));
  return { from, to: Math.min(length, from + size) };
}

/** A window extended by some rows towards the start (-1) or the end (1), and cut to `size` on the other side.
 * @param {Range} range
 * @param {number} length
 * @param {-1 | 1} direction
 * @param {number} step
 * @param {number} size
 * @returns {Range} */
export function shiftedRange(range, length, direction, step, size) {
  if (direction < 0) {
    const from = Math.max(0, range.from - step);
    return { from, to: Math.min(range.to, Math.max(from + size, 0)) };
  }
  const to = Math.min(length, range.to + step);
  return { from: Math.max(range.from, to - size), to };
}

/** The window of the same rows after the list has changed, found by the ids at its ends.
 * @param {number[]} before
 * @param {Range} range
 * @param {number[]} ids the list now
 * @param {(ids: number[], id: number) => number} indexOf
 * @returns {Range} */
export function reindexedRange(before, range, ids, indexOf) {
  if (range.from >= range.to) return { from: 0, to: 0 };
  const first = before[range.from];
  const last = before[range.to - 1];
  return { from: indexOf(ids, first), to: Math.min(ids.length, indexOf(ids, last) + 1) };
}
