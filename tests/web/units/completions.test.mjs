import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { completionsFor } from "../../../src/tertulia/web/static/state/typeahead_sources.js";
import { storeMessage } from "../../../src/tertulia/web/static/state/messages.js";
import { KITCHEN, message, start } from "./scene.mjs";

const [MARTA, RUIZ, EMMA] = [5, 6, 7];
const PEOPLE = [[RUIZ, "Ana Martín"], [MARTA, "Marta Ruiz"], [EMMA, "Emma"]].map(([user_id, full_name]) => ({ user_id, full_name, email: `${user_id}@x.org` }));

beforeEach(() => start({ realm_users: PEOPLE, recent_private_conversations: [{ user_ids: [RUIZ], max_message_id: 90 }] }));

function names(query, place) {
  return completionsFor({ kind: "person", query, from: 0, to: 0 }, place).filter((each) => each.person).map((each) => each.label);
}

test("first names come before surnames, and both before the middle of a name", () => {
  assert.deepEqual(names("ma", { channel: KITCHEN, topic: "lunch" }), ["Marta Ruiz", "Ana Martín", "Emma"]);
});

test("people who write in the topic come first", () => {
  storeMessage(message({ sender_id: RUIZ, subject: "Lunch" }));

  assert.deepEqual(names("ma", { channel: KITCHEN, topic: "lunch" }), ["Ana Martín", "Marta Ruiz", "Emma"]);
  assert.deepEqual(names("ma", { channel: KITCHEN, topic: "dinner" }), ["Marta Ruiz", "Ana Martín", "Emma"]);
});
