import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Scope } from "../../../src/tertulia/web/static/core/scope.js";
import { emit, on } from "../../../src/tertulia/web/static/core/signals.js";

mock.timers.enable({ apis: ["setTimeout"] });

test("a listener that throws does not stop the others", () => {
  const reported = mock.method(console, "error", () => {});
  let calls = 0;
  on("folders", () => { throw new Error("broken"); });
  on("folders", () => calls++);

  emit("folders");

  assert.equal(calls, 1);
  assert.equal(reported.mock.callCount(), 1);
});

test("a scope ends its listeners and its parts, and each end runs although another one throws", () => {
  const reported = mock.method(console, "error", () => {});
  const scope = new Scope();
  let calls = 0;
  scope.on("folders", () => calls++);
  scope.add(() => { throw new Error("broken"); });
  scope.child().on("folders", () => calls++);

  scope.close();
  emit("folders");

  assert.equal(calls, 0);
  assert.ok(reported.mock.callCount() >= 1);
});
