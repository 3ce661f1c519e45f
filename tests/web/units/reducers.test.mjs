import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { on } from "../../../src/tertulia/web/static/core/signals.js";
import { channels } from "../../../src/tertulia/web/static/state/channels.js";
import { findMessage } from "../../../src/tertulia/web/static/state/messages.js";
import { people } from "../../../src/tertulia/web/static/state/people.js";
import { newestMessageWith } from "../../../src/tertulia/web/static/state/recent_contacts.js";
import { realm, setting, state } from "../../../src/tertulia/web/static/state/session.js";
import { typingText } from "../../../src/tertulia/web/static/state/typing.js";
import { unreadIds } from "../../../src/tertulia/web/static/state/unread.js";
import { applyEvent } from "../../../src/tertulia/web/static/sync/reducers.js";
import { BEN, CLEO, direct, KITCHEN, message, OFFICE, start } from "./scene.mjs";

const LUNCH = { channel: KITCHEN, topic: "lunch" };

beforeEach(() => start());

const apply = (type, event = {}) => applyEvent({ id: 1, type, ...event });

test("a message is stored, unread and announced, and its sender has stopped typing", () => {
  const arrived = [];
  const stop = on("messageArrived", (each) => arrived.push([each.id, each.local_message_id]));
  apply("typing", { op: "start", message_type: "stream", sender: { user_id: BEN }, stream_id: KITCHEN, topic: "lunch" });
  assert.equal(typingText(LUNCH), "Ben is writing");

  apply("message", { message: message({ id: 30 }), flags: [], local_message_id: "key" });
  stop();

  assert.equal(findMessage(30).subject, "lunch");
  assert.deepEqual(unreadIds(LUNCH), [30]);
  assert.deepEqual(arrived, [[30, "key"]]);
  assert.equal(typingText(LUNCH), "");
});

test("recent contacts are known from the snapshot and from new direct messages", () => {
  start({ recent_private_conversations: [{ user_ids: [BEN], max_message_id: 5 }] });
  assert.equal(newestMessageWith(BEN), 5);

  apply("message", { message: direct([BEN, CLEO], { id: 40 }), flags: ["read"] });

  assert.deepEqual([newestMessageWith(BEN), newestMessageWith(CLEO)], [40, 40]);
});

test("an edit changes the content and keeps what is one's own", () => {
  apply("message", { message: message({ id: 31, match_content: "<b>" }), flags: ["read", "starred", "mentioned"] });

  apply("update_message", { message_id: 31, message_ids: [31], stream_id: KITCHEN, rendered_content: "<p>Cake</p>", edit_timestamp: 9, flags: ["has_alert_word"] });

  const { content, flags, last_edit_timestamp: edited } = findMessage(31);
  assert.deepEqual([content, flags.sort(), edited], ["<p>Cake</p>", ["has_alert_word", "read", "starred"], 9]);
});

test("a move changes the conversation of messages and of what is unread", () => {
  apply("message", { message: message({ id: 32 }), flags: [] });

  apply("update_message", { message_id: 32, message_ids: [32], stream_id: KITCHEN, orig_subject: "lunch", subject: "tea", new_stream_id: OFFICE, edit_timestamp: 9 });

  assert.deepEqual([findMessage(32).stream_id, findMessage(32).subject, findMessage(32).last_moved_timestamp], [OFFICE, "tea", 9]);
  assert.deepEqual(unreadIds({ channel: OFFICE, topic: "tea" }), [32]);
});

test("reactions are added once and removed", () => {
  apply("message", { message: message({ id: 33 }), flags: [] });
  const tada = { message_id: 33, user_id: BEN, emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji" };

  apply("reaction", { op: "add", ...tada });
  apply("reaction", { op: "add", ...tada });
  assert.equal(findMessage(33).reactions.length, 1);
  apply("reaction", { op: "remove", ...tada });
  assert.equal(findMessage(33).reactions.length, 0);
});

test("deleted messages are gone everywhere", () => {
  start({ starred_messages: [34, 35] });
  apply("message", { message: message({ id: 34 }), flags: [] });

  apply("delete_message", { message_ids: [34] });

  assert.equal(findMessage(34), undefined);
  assert.deepEqual([unreadIds(LUNCH), state.starred_messages], [[], [35]]);
});

test("channels, settings, people and rows follow their events", () => {
  apply("stream", { op: "update", stream_id: KITCHEN, property: "description", value: "Food", rendered_description: "<p>Food</p>" });
  apply("subscription", { op: "remove", subscriptions: [{ stream_id: OFFICE }] });
  apply("user_settings", { property: "enter_sends", value: true });
  apply("realm", { op: "update_dict", data: { name: "Home" } });
  apply("realm_user", { op: "update", person: { user_id: BEN, role: 200 } });
  apply("user_status", { user_id: BEN, status_text: "away" });
  apply("user_status", { user_id: BEN, emoji_name: "tada" });
  apply("saved_snippets", { op: "add", saved_snippet: { id: 1, title: "a" } });
  apply("saved_snippets", { op: "add", saved_snippet: { id: 2, title: "b" } });
  apply("saved_snippets", { op: "remove", saved_snippet_id: 1 });

  assert.deepEqual([channels.get(KITCHEN).description, channels.get(KITCHEN).rendered_description, channels.get(OFFICE).subscribed], ["Food", "<p>Food</p>", false]);
  assert.deepEqual([setting("enter_sends"), realm("name"), people.get(BEN).is_admin], [true, "Home", true]);
  assert.deepEqual(state.user_status[BEN], { status_text: "away", emoji_name: "tada" });
  assert.deepEqual(state.saved_snippets.map((each) => each.id), [2]);
});

test("members and subgroups of a group come and go", () => {
  const group = { id: 5, name: "cooks", members: [BEN], direct_subgroup_ids: [] };
  apply("user_group", { op: "add", group });
  apply("user_group", { op: "add_members", group_id: 5, user_ids: [BEN, CLEO] });
  apply("user_group", { op: "remove_members", group_id: 5, user_ids: [BEN] });
  apply("user_group", { op: "add_subgroups", group_id: 5, direct_subgroup_ids: [7] });
  assert.deepEqual([state.realm_user_groups[0].members, state.realm_user_groups[0].direct_subgroup_ids], [[CLEO], [7]]);

  apply("user_group", { op: "remove", group_id: 5 });
  assert.deepEqual(state.realm_user_groups, []);
});

test("an unknown kind of event is ignored", () => {
  apply("weather", { sunny: true });
});
