import assert from "node:assert/strict";
import { test } from "node:test";
import { sortedIndex } from "../../../src/tertulia/web/static/state/message_lists.js";
import { centredRange, reindexedRange, shiftedRange } from "../../../src/tertulia/web/static/state/row_window.js";

test("a window is centred, and stays inside the list", () => {
  assert.deepEqual(centredRange(100, 50, 10), { from: 45, to: 55 });
  assert.deepEqual(centredRange(100, 2, 10), { from: 0, to: 10 });
  assert.deepEqual(centredRange(100, 99, 10), { from: 90, to: 100 });
  assert.deepEqual(centredRange(4, 2, 10), { from: 0, to: 4 });
  assert.deepEqual(centredRange(0, 0, 10), { from: 0, to: 0 });
});

test("a window grows on one side and is cut on the other", () => {
  assert.deepEqual(shiftedRange({ from: 40, to: 60 }, 100, -1, 5, 20), { from: 35, to: 55 });
  assert.deepEqual(shiftedRange({ from: 40, to: 60 }, 100, 1, 5, 20), { from: 45, to: 65 });
  assert.deepEqual(shiftedRange({ from: 2, to: 10 }, 100, -1, 5, 20), { from: 0, to: 10 });
  assert.deepEqual(shiftedRange({ from: 90, to: 98 }, 100, 1, 5, 20), { from: 90, to: 100 });
});

test("a window keeps its rows when the list changes", () => {
  const before = [10, 20, 30, 40, 50];
  const window = { from: 1, to: 4 }; // 20, 30, 40

  assert.deepEqual(reindexedRange(before, window, [5, 10, 20, 25, 30, 40, 50], sortedIndex), { from: 2, to: 6 });
  assert.deepEqual(reindexedRange(before, window, [10, 30, 40, 50], sortedIndex), { from: 1, to: 3 });
  assert.deepEqual(reindexedRange(before, window, [], sortedIndex), { from: 0, to: 0 });
  assert.deepEqual(reindexedRange(before, { from: 0, to: 0 }, [1, 2], sortedIndex), { from: 0, to: 0 });
});

test("an id has its index, or the index where it would be", () => {
  assert.deepEqual([5, 10, 15, 30, 31].map((id) => sortedIndex([10, 20, 30], id)), [0, 0, 1, 2, 3]);
});
