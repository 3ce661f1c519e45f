import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { on } from "../../../src/tertulia/web/static/core/signals.js";
import { connectionState } from "../../../src/tertulia/web/static/state/connection.js";
import { pollNow, startEvents } from "../../../src/tertulia/web/static/sync/event_poller.js";
import { start } from "./scene.mjs";
import "./tabs.mjs";

globalThis.addEventListener = () => {};
globalThis.localStorage = { getItem: () => null, setItem() {} };
globalThis.document = { addEventListener() {}, hidden: false, querySelector: () => null, documentElement: { lang: "en" } };
mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
mock.method(Math, "random", () => 1); // pauses have their full length

/** @type {{path: string, params: Record<string, string>, answer(body: object, status?: number): void, fail(): void}[]} */
const requests = [];
globalThis.fetch = (url, { method, body } = {}) => new Promise((resolve, reject) => {
  const { pathname, searchParams } = new URL(url, "https://chat.example");
  if (method === "DELETE" || pathname === "/sw.js") return resolve({ ok: true, status: 200, json: async () => ({}), text: async () => "" });
  requests.push({
    path: pathname.replace("/json", ""), params: Object.fromEntries(body ?? searchParams),
    answer: (found, status = 200) => resolve({ ok: status < 400, status, json: async () => found }),
    fail: () => reject(new TypeError("no connection")),
  });
});

/** The request that is open after everything has run that waits for no clock. */
async function open() {
  await new Promise(setImmediate);
  assert.ok(requests.length <= 1, "one poll at a time");
  return requests.shift();
}

const states = [];
on("connection", (state) => states.push(state));

test("a poll that fails is repeated after growing pauses, and the bar says what is wrong", async () => {
  start({ queue_id: "q", position: 10 });
  startEvents(() => assert.fail("the queue is not lost"));
  const first = await open();
  assert.deepEqual([first.path, first.params.queue_id, first.params.last_event_id], ["/events", "q", "-1"]);

  first.fail();
  for (const pause of [500, 1000, 2000, 4000]) {
    assert.equal(await open(), undefined);
    mock.timers.tick(pause - 1);
    assert.equal(await open(), undefined, "the pause is not over");
    mock.timers.tick(1);
    (await open()).fail();
  }
  assert.equal(await open(), undefined);
  assert.equal(connectionState(), "unreachable", "this computer has a network");

  pollNow();
  (await open()).answer({ events: [{ id: 11, type: "heartbeat" }] });
  const next = await open();

  assert.equal(next.params.last_event_id, "11");
  assert.deepEqual(states, ["live", "reconnecting", "unreachable", "live"]);
  next.answer({ events: [{ id: 12, type: "heartbeat" }] });
});

test("a lost queue is replaced by a new one with a new state", async () => {
  const lost = await open();
  lost.answer({ code: "BAD_EVENT_QUEUE_ID", msg: "" }, 400);
  const register = await open();
  assert.equal(register.path, "/register");
});
