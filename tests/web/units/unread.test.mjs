import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { on } from "../../../src/tertulia/web/static/core/signals.js";
import { updateChannel } from "../../../src/tertulia/web/static/state/channels.js";
import { emit } from "../../../src/tertulia/web/static/core/signals.js";
import { setPolicy } from "../../../src/tertulia/web/static/state/topics.js";
import { addUnread, allUnread, channelTotals, clearUnread, isUnread, mentionsIn, moveUnread, removeUnread, restoreUnread, unreadBadgeCount, unreadCount, unreadIds, unreadTotals } from "../../../src/tertulia/web/static/state/unread.js";
import { BEN, CLEO, direct, KITCHEN, message, OFFICE, start } from "./scene.mjs";

const LUNCH = { channel: KITCHEN, topic: "lunch" };
const WITH_BEN = { people: [BEN] };

beforeEach(() => start({
  unread_msgs: {
    streams: [{ stream_id: KITCHEN, topic: "Lunch", unread_message_ids: [5, 3] }, { stream_id: OFFICE, topic: "", unread_message_ids: [4] }],
    pms: [{ other_user_id: BEN, sender_id: BEN, unread_message_ids: [8] }],
    huddles: [{ user_ids_string: "1,2,3", unread_message_ids: [9] }],
    mentions: [5],
  },
}));

test("the snapshot gives ids by conversation, whatever the case of a topic", () => {
  assert.deepEqual(unreadIds(LUNCH), [3, 5]);
  assert.equal(unreadCount(WITH_BEN), 1);
  assert.equal(unreadCount({ people: [BEN, CLEO] }), 1);
  assert.deepEqual(unreadTotals(), { all: 5, direct: 2, mentions: 1 });
  assert.deepEqual([...channelTotals()].map(([id, { unread }]) => [id, unread]), [[KITCHEN, 2], [OFFICE, 1]]);
  assert.deepEqual(allUnread().map(({ ids }) => Math.max(...ids)), [9, 8, 5, 4]);
});

test("a new message is unread unless its flags say otherwise", () => {
  addUnread(message({ id: 20, flags: ["mentioned"] }));
  addUnread(message({ id: 21, flags: ["read"] }));

  assert.deepEqual(unreadIds(LUNCH), [3, 5, 20]);
  assert.equal(mentionsIn(LUNCH), 2);
});

test("reading returns what was unread, and signals once", () => {
  let signals = 0;
  const stop = on("unread", () => signals++);

  assert.deepEqual(removeUnread([3, 5, 999]), [3, 5]);
  assert.deepEqual(removeUnread([3]), []);
  stop();

  assert.equal(signals, 1);
  assert.equal(unreadTotals().mentions, 0);
  assert.deepEqual(allUnread().length, 3);
});

test("all of a direct conversation counts as mentions", () => {
  addUnread(direct([BEN], { id: 22 }));

  assert.equal(mentionsIn(WITH_BEN), 2);
});

test("a move keeps mentions", () => {
  moveUnread([3, 5, 77], { channel: OFFICE, topic: "menu" });

  assert.equal(unreadCount(LUNCH), 0);
  assert.deepEqual(unreadIds({ channel: OFFICE, topic: "menu" }), [3, 5]);
  assert.equal(mentionsIn({ channel: OFFICE, topic: "menu" }), 1);
  assert.equal(isUnread(77), false);
});

test("messages become unread again where they are", () => {
  clearUnread();
  assert.equal(unreadTotals().all, 0);

  restoreUnread({ 5: { type: "stream", stream_id: KITCHEN, topic: "lunch", mentioned: true }, 8: { type: "private", user_ids: [BEN] } });

  assert.deepEqual([unreadIds(LUNCH), mentionsIn(LUNCH), unreadIds(WITH_BEN)], [[5], 1, [8]]);
});

test("muted topics, channels and people do not count", () => {
  assert.equal(unreadTotals().all, 5);
  setPolicy(KITCHEN, "lunch", 1);
  emit("topicPolicy", KITCHEN);
  assert.equal(unreadTotals().all, 3);
  assert.deepEqual(channelTotals().get(KITCHEN), { unread: 0, muted: 2, mentions: 0 });

  updateChannel(OFFICE, { is_muted: true });
  assert.equal(unreadTotals().all, 2);

  start({ muted_users: [{ id: BEN, timestamp: 0 }], unread_msgs: { streams: [], pms: [{ other_user_id: BEN, sender_id: BEN, unread_message_ids: [8] }], huddles: [], mentions: [] } });
  assert.equal(unreadTotals().direct, 0);
});

const counts = () => ({ ...unreadTotals(), channels: [...channelTotals()].filter(([, each]) => each.unread || each.muted).sort(([a], [b]) => a - b) });
for (const [name, change] of Object.entries({
  "a message arrives": () => addUnread(message({ id: 20, flags: ["mentioned"] })),
  "a message of a muted topic arrives": () => addUnread(message({ id: 20, subject: "menu" })),
  "a message is announced twice": () => [20, 20].forEach((id) => addUnread(message({ id }))),
  "messages are read": () => removeUnread([4, 5, 8, 70]),
  "everything is read": () => clearUnread(),
  "messages are unread again": () => restoreUnread({ 30: { type: "stream", stream_id: OFFICE, topic: "menu", mentioned: true }, 8: { type: "private", user_ids: [BEN] } }),
  "messages move to a muted topic": () => moveUnread([3, 5], { channel: KITCHEN, topic: "menu" }),
})) {
  test(`when ${name}, the counts change as much as a new count says`, () => {
    setPolicy(KITCHEN, "menu", 1);
    emit("topicPolicy", KITCHEN);
    counts();

    change();

    const changed = counts();
    emit("topicPolicy", KITCHEN); // counts anew
    assert.deepEqual(changed, counts());
  });
}

for (const [policy, count] of [[undefined, 5], [1, 5], [2, 3], [3, 3], [4, 0]]) {
  test(`the badge shows ${count} with setting ${policy}`, () => {
    start({ user_settings: { desktop_icon_count_display: policy }, unread_msgs: {
      streams: [{ stream_id: KITCHEN, topic: "lunch", unread_message_ids: [3, 4, 5] }], pms: [{ sender_id: BEN, unread_message_ids: [8, 9] }], huddles: [], mentions: [5] } });

    assert.equal(unreadBadgeCount(), count);
  });
}
