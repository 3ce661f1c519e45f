import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { enqueue, openOutbox, pendingMessages, retrySend, wakeOutbox, withdraw } from "../../../src/tertulia/web/static/sync/outbox.js";
import { KITCHEN, start } from "./scene.mjs";
import { closeHolder } from "./tabs.mjs";

const LUNCH = { channel: KITCHEN, topic: "lunch" };

mock.timers.enable({ apis: ["setTimeout"] });
start({ queue_id: "q" });
navigator.locks.request("tertulia-outbox", () => {}); // another tab sends
await openOutbox();

/** @type {{content: string, key: string}[]} */
let sent = [];
/** What the server answers next; without an answer it cannot be reached. */
let answers = [];
globalThis.fetch = async (url, { body, headers }) => {
  sent.push({ content: body.get("content"), key: headers["Idempotency-Key"] });
  const answer = answers.shift();
  if (!answer) throw new TypeError("no connection");
  return { ok: answer.status === undefined, status: answer.status ?? 200, json: async () => answer };
};

/** Let everything run that waits for no clock, and return what was sent. */
async function settled() {
  await new Promise(setImmediate);
  const found = sent;
  sent = [];
  return found;
}

test("messages wait until this tab is the one that sends", async () => {
  await enqueue(LUNCH, "One");
  await enqueue(LUNCH, "Two");
  assert.deepEqual(await settled(), []);

  closeHolder("tertulia-outbox");

  assert.deepEqual((await settled()).map(({ content }) => content), ["One"], "the server cannot be reached");
  assert.deepEqual(pendingMessages().map((entry) => entry.state), ["waiting", "sending"]);
});

test("a message is sent again after growing pauses, with the same key and before later ones", async () => {
  mock.timers.tick(700);
  assert.deepEqual(await settled(), []);
  mock.timers.tick(600); // a second, and a quarter of it more at most
  const [second] = await settled();
  mock.timers.tick(1400);
  assert.deepEqual(await settled(), []);
  answers = [{ id: 201 }, { id: 202 }];
  mock.timers.tick(1200);
  const [third, next] = await settled();

  assert.deepEqual([second.content, third.content, next.content], ["One", "One", "Two"]);
  assert.equal(second.key, third.key);
  assert.notEqual(third.key, next.key);
  assert.deepEqual(pendingMessages().map(({ id }) => id), [201, 202], "until their events arrive");
});

test("a refused message stays and does not hold up others, and can be sent again or withdrawn", async () => {
  answers = [{ status: 400, code: "BAD_REQUEST", msg: "No permission" }, { id: 204 }];
  const refused = await enqueue(LUNCH, "Three");
  await enqueue(LUNCH, "Four");

  assert.deepEqual((await settled()).map(({ content }) => content), ["Three", "Four"]);
  assert.deepEqual([refused.state, refused.why], ["failed", "No permission"]);
  answers = [{ status: 400, code: "BAD_REQUEST", msg: "No permission" }];
  await retrySend(refused.key);
  assert.deepEqual((await settled()).map(({ content }) => content), ["Three"]);
  assert.equal(withdraw(refused.key)?.content, "Three");
  assert.ok(!pendingMessages().includes(refused));
});

test("a connection that is back ends the pause", async () => {
  await enqueue(LUNCH, "Five");
  assert.equal((await settled()).length, 1);

  answers = [{ id: 205 }];
  wakeOutbox();

  assert.deepEqual((await settled()).map(({ content }) => content), ["Five"]);
});
