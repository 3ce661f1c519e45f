import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { recordError } from "../../../src/tertulia/web/static/core/page_errors.js";

function failed(stack) {
  return Object.assign(new Error("see you at 8"), { stack: `Error: see you at 8\n    at draw (https://chat.example${stack})` });
}

test("errors are sent together, as counts of places and without texts", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(console, "error", () => {});
  const sent = [];
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { sendBeacon: (url, body) => sent.push([url, JSON.parse(body.get("places"))]) } });

  recordError(failed("/static/page/initial-en-abc.js:3:41"));
  recordError(failed("/static/page/initial-en-abc.js:3:41"));
  recordError(failed("/elsewhere.js:1:1"));
  recordError("see you at 8");
  assert.deepEqual(sent, []);
  mock.timers.tick(10_000);

  assert.deepEqual(sent, [["/page-errors", { "initial-en-abc.js:3:41": 2, unknown: 2 }]]);

  for (let line = 1; line < 50; line++) recordError(failed(`/static/page/initial-en-abc.js:${line}:1`));
  mock.timers.tick(10_000);

  assert.equal(Object.keys(sent[1][1]).length, 18, "a page sends at most 20 places");
});
