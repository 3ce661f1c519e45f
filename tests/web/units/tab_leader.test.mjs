import assert from "node:assert/strict";
import { test } from "node:test";
import { TabLeader } from "../../../src/tertulia/web/static/sync/tab_leader.js";
import { closeHolder } from "./tabs.mjs";

/** A tab that writes down what it is told. */
function tab(last = 10) {
  const seen = { events: [], connections: [], restarts: 0, position: undefined };
  const leader = new TabLeader("tertulia-1", {
    onEvents(events, position) {
      seen.events.push(...events.map((event) => event.id));
      seen.position = position;
    },
    lastEvent: () => last,
    onConnection: (state) => seen.connections.push(state),
    onRestart: () => seen.restarts++,
  });
  return { seen, leader, polls: leader.becomeLeader() };
}

const heartbeat = (id) => ({ id, type: "heartbeat" });

test("one tab polls and forwards events to the others, also to tabs that are opened later", async () => {
  const [first, second] = [tab(), tab()];
  await first.polls;
  assert.deepEqual([first.leader.isLeader, second.leader.isLeader], [true, false]);

  first.leader.position = { queue: "q", last: 12 };
  first.leader.forward([heartbeat(11), heartbeat(12)], { queue: "q", last: 12 });
  const third = tab(11);

  assert.deepEqual(first.seen.events, []);
  assert.deepEqual(second.seen.events, [11, 12, 12], "it ignores what it has, by the id");
  assert.deepEqual(third.seen.events, [12]);
  assert.deepEqual(third.seen.position, { queue: "q", last: 12 });
  first.leader.forwardConnection("reconnecting");
  first.leader.forwardRestart();
  assert.equal(second.seen.connections.at(-1), "reconnecting");
  assert.deepEqual([first.seen.restarts, second.seen.restarts, third.seen.restarts], [0, 1, 1]);

  closeHolder("tertulia-1-poll");
  await second.polls;

  assert.deepEqual([second.leader.isLeader, third.leader.isLeader], [true, false]);
  second.leader.forward([heartbeat(13)], { queue: "q", last: 13 });
  assert.equal(third.seen.events.at(-1), 13);
});
