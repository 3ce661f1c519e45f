import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { emit, on } from "../../../src/tertulia/web/static/core/signals.js";
import { closeList, forgetMessageLists, forgetOtherLists, insertIntoLists, messageListOf, openList, trimMessageLists } from "../../../src/tertulia/web/static/state/message_lists.js";
import { findMessage, storeMessage, updateMessage } from "../../../src/tertulia/web/static/state/messages.js";
import { ANA, BEN, KITCHEN, message, serve, start } from "./scene.mjs";

const LUNCH = [{ operator: "channel", operand: KITCHEN }, { operator: "topic", operand: "lunch" }];

beforeEach(() => start());

/** Serve messages with these ids, all of them in one response. */
function serveIds(ids, more = {}) {
  return serve(() => ({ messages: ids.map((id) => message({ id })), found_oldest: true, found_newest: true, anchor: ids[0], ...more }));
}

test("a list loads around an anchor, then older and newer messages", async () => {
  const list = messageListOf(LUNCH);
  const requests = serve((path, { anchor, num_before: before }) => {
    const around = Number(anchor);
    const ids = anchor === "first_unread" ? [50, 51, 52] : Number(before) ? [around - 2, around - 1, around] : [around, around + 1];
    return { messages: ids.map((id) => message({ id })), found_oldest: false, found_newest: false, anchor: 51 };
  });

  assert.equal(await list.load("first_unread"), 51);
  await Promise.all([list.loadOlder(), list.loadOlder()]);
  await list.loadNewer();

  assert.deepEqual(list.ids, [48, 49, 50, 51, 52, 53]);
  assert.deepEqual(requests.map(({ params }) => params.anchor), ["first_unread", "50", "52"]);
  assert.equal(findMessage(48).content, "<p>Soup</p>");
});

test("a list that is complete asks for nothing more", async () => {
  const list = messageListOf(LUNCH);
  const requests = serveIds([1, 2]);
  await list.load("newest");

  await list.loadOlder();
  await list.loadNewer();

  assert.equal(requests.length, 1);
});

test("new messages enter the lists that they match, and only those that reach the end", async () => {
  const lunch = messageListOf(LUNCH);
  const tea = messageListOf([{ operator: "topic", operand: "tea" }]);
  serveIds([1, 2]);
  await lunch.load("newest");
  await tea.load("newest");
  let signals = 0;
  const stop = on("lists", () => signals++);

  insertIntoLists(storeMessage(message({ id: 3 })));
  assert.deepEqual([lunch.ids, tea.ids], [[1, 2, 3], [1, 2]]);

  lunch.hasNewest = false;
  insertIntoLists(storeMessage(message({ id: 4 })));
  stop();

  assert.deepEqual(lunch.ids, [1, 2, 3]);
  assert.equal(signals, 1);
});

test("a message that arrives or is deleted during a fetch is not lost and does not return", async () => {
  const list = messageListOf(LUNCH);
  let answer = () => {};
  serve(() => new Promise((resolve) => { answer = () => resolve({ messages: [1, 2].map((id) => message({ id })), found_oldest: true, found_newest: true, anchor: 1 }); }));
  const loading = list.load("newest");
  await new Promise((resolve) => setTimeout(resolve));

  insertIntoLists(storeMessage(message({ id: 3 })));
  emit("messagesDeleted", [1]);
  answer();
  await loading;

  assert.deepEqual(list.ids, [2, 3]);
});

test("a response to an earlier load does not replace a later one", async () => {
  const list = messageListOf(LUNCH);
  const answers = [];
  serve(() => new Promise((resolve) => answers.push(resolve)));
  const first = list.load(5);
  const second = list.load("newest");
  await new Promise((resolve) => setTimeout(resolve));

  answers[1]({ messages: [message({ id: 90 })], found_oldest: false, found_newest: true, anchor: 90 });
  await second;
  answers[0]({ messages: [message({ id: 5 })], found_oldest: false, found_newest: false, anchor: 5 });
  await first;

  assert.deepEqual(list.ids, [90]);
});

test("moved messages leave their list and enter another", async () => {
  const lunch = messageListOf(LUNCH);
  const tea = messageListOf([{ operator: "channel", operand: KITCHEN }, { operator: "topic", operand: "tea" }]);
  serveIds([1, 2]);
  await lunch.load("newest");
  serveIds([]);
  await tea.load("newest");

  updateMessage(2, { subject: "tea" });
  emit("messagesMoved", [2]);

  assert.deepEqual([lunch.ids, tea.ids], [[1], [2]]);
});

test("the server decides where the page cannot", async () => {
  const found = messageListOf([{ operator: "search", operand: "soup" }]);
  serveIds([1]);
  await found.load("newest");
  serve(() => ({ messages: { 7: { match_content: "<p><b>Soup</b></p>", match_subject: "lunch" } } }));

  const arrived = new Promise((resolve) => { const stop = on("lists", () => { stop(); resolve(); }); });
  insertIntoLists(storeMessage(message({ id: 7 })));
  await arrived;

  assert.deepEqual(found.ids, [1, 7]);
  assert.equal(findMessage(7).match_content, "<p><b>Soup</b></p>");
});

test("long lists are shortened, except the one that is read", async () => {
  const ids = Array.from({ length: 2500 }, (_, at) => at + 1);
  const read = messageListOf(LUNCH);
  const other = messageListOf([{ operator: "channel", operand: KITCHEN }]);
  serveIds(ids);
  await read.load("newest");
  await other.load("newest");

  openList(read, () => false);
  trimMessageLists();
  assert.deepEqual([read.ids.length, other.ids.length, other.ids.at(-1), other.hasOldest], [2500, 1000, 2500, false]);

  openList(read, () => true);
  trimMessageLists();
  assert.equal(read.ids.length, 1000);
  closeList(read);
});

test("the same terms give the same list, until lists are forgotten", () => {
  const lunch = messageListOf(LUNCH);
  const tea = messageListOf([{ operator: "topic", operand: "tea" }]);
  assert.equal(messageListOf([...LUNCH, { operator: "near", operand: 5 }]), lunch);

  openList(lunch, () => true);
  forgetOtherLists();
  assert.equal(messageListOf(LUNCH), lunch);
  assert.notEqual(messageListOf([{ operator: "topic", operand: "tea" }]), tea);

  forgetMessageLists();
  assert.notEqual(messageListOf(LUNCH), lunch);
});

test("a message that is fetched again is drawn again if another person has reacted, although the number is the same", () => {
  const thanks = (user_id) => ({ emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji", user_id });
  const { id, version } = storeMessage(message({ reactions: [thanks(BEN)] }));

  storeMessage(message({ id, reactions: [thanks(ANA)] }));

  assert.equal(findMessage(id).version, version + 1);
});
