import assert from "node:assert/strict";
import { test } from "node:test";
import { channels } from "../../../src/tertulia/web/static/state/channels.js";
import { initStores } from "../../../src/tertulia/web/static/state/stores.js";
import { startEvents } from "../../../src/tertulia/web/static/sync/event_poller.js";
import { KITCHEN, OFFICE, serve, start } from "./scene.mjs";

/** The channel to the tab that polls. */
class Channel {
  static last;

  constructor() {
    Channel.last = this;
  }

  postMessage() {}

  /** The tab that polls has sent something. */
  receives(data) {
    this.onmessage({ data });
  }
}

const renamed = (id, channel, value) => ({ id, type: "stream", op: "update", stream_id: channel, property: "name", name: "", value });

test("a tab that does not poll keeps the events that arrive while it registers again", async () => {
  globalThis.BroadcastChannel = Channel;
  globalThis.addEventListener = () => {};
  globalThis.document = { addEventListener() {}, hidden: false };
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true, locks: { request() {} } } });
  globalThis.setInterval = () => 0;
  start({ queue_id: "own", position: 10 });
  let answer;
  serve((path) => (path.endsWith("/register") ? new Promise((resolve) => { answer = resolve; }) : {}));
  startEvents((snapshot) => initStores(snapshot));

  Channel.last.receives({ restart: true });
  Channel.last.receives({ events: [renamed(21, KITCHEN, "canteen")] });
  Channel.last.receives({ events: [renamed(22, OFFICE, "front office")] });
  await Promise.resolve();
  // The snapshot contains the first event, and not the second one.
  const subscriptions = [[KITCHEN, "canteen"], [OFFICE, "back office"]].map(([stream_id, name]) => ({ stream_id, name, folder_id: null }));
  answer({ user_id: 1, realm_users: [], user_settings: {}, subscriptions, queue_id: "new", last_event_id: 21 });
  await new Promise((resolve) => setTimeout(resolve));

  assert.equal(channels.get(KITCHEN).name, "canteen");
  assert.equal(channels.get(OFFICE).name, "front office");
});
