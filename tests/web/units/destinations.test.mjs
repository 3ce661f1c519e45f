import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { findDestinations, matchedPieces, recentDestinations, waitingDestinations } from "../../../src/tertulia/web/static/state/destinations.js";
import { setAccountValue } from "../../../src/tertulia/web/static/core/account_values.js";
import { emit } from "../../../src/tertulia/web/static/core/signals.js";
import { keyLabel, SHORTCUTS } from "../../../src/tertulia/web/static/state/shortcuts.js";
import { recordVisit } from "../../../src/tertulia/web/static/state/visits.js";
import { BEN, CLEO, KITCHEN, OFFICE, start } from "./scene.mjs";

const PEOPLE = 5000;
const CHANNELS = 1000;

/** An organization with people and channels of many names. */
function startLarge(people = PEOPLE, channels = CHANNELS) {
  start({
    realm_users: Array.from({ length: people }, (_, at) => ({ user_id: at + 1, full_name: `Lucía Vidal ${at}`, email: "" })),
    subscriptions: Array.from({ length: channels }, (_, at) => ({ stream_id: at + 1, name: `câmera ${at}`, description: "", is_archived: false, is_muted: at % 7 === 0 })),
  });
  emit("reset");
}

const names = (text, limit) => findDestinations(text, limit).map((each) => each.name);

beforeEach(() => {
  setAccountValue("visits", []);
  start({
    unread_msgs: {
      streams: [{ stream_id: KITCHEN, topic: "Benches", unread_message_ids: [5] }, { stream_id: OFFICE, topic: "keys", unread_message_ids: [6] }],
      pms: [{ other_user_id: CLEO, sender_id: CLEO, unread_message_ids: [8] }], huddles: [], mentions: [6],
    },
    realm_non_active_users: [{ user_id: 9, full_name: "Benito Gone", email: "" }],
    never_subscribed: [{ stream_id: 12, name: "bentō", description: "", is_archived: false }],
    muted_users: [],
  });
  emit("reset");
});

test("accents and case do not matter, and muted or deactivated ones come last", () => {
  assert.deepEqual(names("BEN"), ["Benches", "Ben Blue", "bentō", "Benito Gone"]);
  assert.deepEqual(names("bento"), ["bentō"]);
});

test("the first letter asks for one kind", () => {
  assert.deepEqual(names("@ben"), ["Ben Blue", "Benito Gone"]);
  assert.deepEqual(names("#ben"), ["bentō"]);
  assert.deepEqual(names(">ben"), ["Benches"]);
  assert.ok(names("@").length > 1);
});

test("what was opened lately is first, even if it matches later in its name", () => {
  assert.deepEqual(names("ce"), ["Recent", "back office"]);

  recordVisit({ channel: OFFICE }, 100);
  emit("reset");

  assert.equal(names("ce")[0], "back office");
  assert.equal(recentDestinations()[0].destination.name, "back office");
  assert.equal(recentDestinations()[0].at, 100);
});

test("several words match the beginnings of words, in any order", () => {
  assert.deepEqual(names("blu be"), ["Ben Blue"]);
  assert.deepEqual(names("ben x"), []);
});

test("direct messages and mentions wait for the person", () => {
  assert.deepEqual(waitingDestinations().map((each) => each.name), ["Cleo", "keys"]);
});

test("matched letters are pieces of the name as it is written", () => {
  assert.deepEqual(matchedPieces("Lucía Vidal", "cia"), ["Lu", "cía", " Vidal"]);
  assert.deepEqual(matchedPieces("door-management", "ma"), ["door-", "ma", "nagement"]);
  assert.deepEqual(matchedPieces("Marta Olmedo", "@ol ma"), ["", "Ma", "rta ", "Ol", "medo"]);
  assert.deepEqual(matchedPieces("ﬁlm", "fi"), ["", "ﬁ", "lm"]);
});

test("a key folds nothing but what was typed, however many names there are", () => {
  startLarge();
  findDestinations("x");
  const { normalize } = String.prototype;
  let folded = 0;
  String.prototype.normalize = function counted(...form) { folded++; return normalize.apply(this, form); };

  try {
    for (const text of ["l", "lu", "luc", "@luc", "came"]) assert.equal(findDestinations(text).length, 9);
    emit("unread");
    findDestinations("lucia");
  } finally {
    String.prototype.normalize = normalize;
  }

  assert.equal(folded, 6);
});

test("commands are found by their names, with their keys, and only where they work", () => {
  const [found] = findDestinations("/shortcuts");

  assert.deepEqual([found.name, found.hash, found.keys], ["Keyboard shortcuts", "keyboard-help", ["?"]]);
  assert.deepEqual(names("dark"), ["Theme: Dark"]);
  assert.deepEqual(names("/mute"), []); // there is no topic
  assert.ok(names("/").length > 0 && findDestinations("/").every((each) => each.kind === "command"));
});

test("every key has one command, and keys are written as they are pressed", () => {
  const keys = SHORTCUTS.flatMap(([, rows]) => rows.flatMap((row) => Object.keys(row.keys ?? {})));

  assert.equal(new Set(keys).size, keys.length);
  assert.deepEqual(["j", "J", "+", "Ctrl+k", "Shift+ ", "ArrowUp", "Ctrl+[", "Alt+r"].map(keyLabel), ["J", "Shift+J", "+", "Ctrl+K", "Shift+Space", "↑", "Ctrl+[", "Alt+R"]);
});
