import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { channelIn, conversationHash, conversationIn, hashOf, matchesTerms, parseNarrow, searchText, termsForApi } from "../../../src/tertulia/web/static/state/narrow.js";
import { datesLike, isoDate, parseDate, parseSearch } from "../../../src/tertulia/web/static/state/search_terms.js";
import { parseRoute } from "../../../src/tertulia/web/static/state/routes.js";
import { setPolicy } from "../../../src/tertulia/web/static/state/topics.js";
import { ANA, BEN, CLEO, direct, KITCHEN, message, OFFICE, start } from "./scene.mjs";

beforeEach(() => start());

test("an address and its terms are the same thing in two forms", () => {
  const hash = "#narrow/channel/11-back-office/topic/50.25.20off.2E";

  const terms = parseNarrow(hash.slice("#narrow/".length));

  assert.deepEqual(terms, [{ operator: "channel", operand: OFFICE }, { operator: "topic", operand: "50% off." }]);
  assert.equal(hashOf(terms), hash);
});

test("addresses of older clients are understood", () => {
  assert.deepEqual(parseNarrow("stream/10-kitchen/subject/lunch"), [{ operator: "channel", operand: KITCHEN }, { operator: "topic", operand: "lunch" }]);
  assert.deepEqual(parseNarrow("pm-with/2,3-group"), [{ operator: "dm", operand: [BEN, CLEO] }]);
  assert.deepEqual(parseNarrow("-is/private"), [{ operator: "is", operand: "dm", negated: true }]);
});

test("a number at the beginning of a channel's name is not an id", () => {
  start({ subscriptions: [{ stream_id: 20, name: "7 wonders", description: "" }] });

  assert.deepEqual(parseNarrow("channel/7-wonders"), [{ operator: "channel", operand: 20 }]);
});

test("terms name a conversation only if they select nothing else", () => {
  const topic = parseNarrow("channel/10-kitchen/topic/lunch");

  assert.deepEqual(conversationIn(topic), { channel: KITCHEN, topic: "lunch" });
  assert.deepEqual(conversationIn([...topic, { operator: "near", operand: 5 }]), { channel: KITCHEN, topic: "lunch" });
  assert.equal(conversationIn([...topic, { operator: "is", operand: "starred" }]), undefined);
  assert.equal(conversationIn([topic[0], { ...topic[1], negated: true }]), undefined);
  assert.deepEqual(conversationIn(parseNarrow("dm/1,2-group")), { people: [BEN] });
  assert.equal(channelIn(topic), undefined);
  assert.equal(channelIn(topic.slice(0, 1)), KITCHEN);
});

test("the search field knows operators, quotes and negation, and can be filled again", () => {
  const terms = parseSearch('from:"Ben Blue" -is:starred channel:kitchen "hot soup" now');

  assert.deepEqual(terms, [
    { operator: "sender", operand: BEN },
    { operator: "is", operand: "starred", negated: true },
    { operator: "channel", operand: KITCHEN },
    { operator: "search", operand: '"hot soup" now' },
  ]);
  assert.equal(searchText(terms), 'from:"Ben Blue" -is:starred channel:kitchen "hot soup" now');
  assert.deepEqual(parseSearch('dm-including:"Ben Blue"'), [{ operator: "dm-including", operand: BEN }]);
  assert.equal(searchText([{ operator: "mentions", operand: BEN }]), 'mentions:"Ben Blue"');
  assert.deepEqual(parseSearch("http://x"), [{ operator: "search", operand: "http://x" }]);
});

test("a message matches terms, does not, or only the server knows", () => {
  const soup = message();
  const matches = (text, each = soup) => matchesTerms(parseSearch(text), each);

  assert.equal(matches("channel:kitchen topic:Lunch from:me"), false);
  assert.equal(matches('channel:kitchen topic:LUNCH from:"Ben Blue"'), true);
  assert.equal(matches("-channel:kitchen"), false);
  assert.equal(matches("is:unread"), true);
  assert.equal(matches("has:link"), undefined);
  assert.equal(matches("has:link is:starred"), false);
  assert.equal(matches("dm:Cleo", direct([CLEO])), true);
  assert.equal(matches("dm:Cleo", direct([BEN, CLEO])), false);
  assert.equal(matches("is:dm", direct([CLEO])), true);
});

test("the feed hides muted topics but not mentions in them", () => {
  const home = [{ operator: "in", operand: "home" }];
  setPolicy(KITCHEN, "Lunch", 1);

  assert.equal(matchesTerms(home, message()), false);
  assert.equal(matchesTerms(home, message({ flags: ["mentioned"] })), true);
});

test("the position is not part of a request, and spectators ask for public channels only", () => {
  const terms = parseNarrow("channel/10-kitchen/near/7");

  assert.deepEqual(termsForApi(terms), [{ operator: "channel", operand: KITCHEN, negated: false }]);
  start({ user_id: undefined });
  assert.deepEqual(termsForApi([]), [{ operator: "channels", operand: "web-public", negated: false }]);
});

test("addresses lead to views, dialogs or the home view", () => {
  const lunch = conversationHash({ channel: KITCHEN, topic: "lunch" }, 7);

  assert.deepEqual([parseRoute(lunch).view, parseRoute(lunch).near, parseRoute(lunch).conversation], ["talk", 7, { channel: KITCHEN, topic: "lunch" }]);
  assert.equal(parseRoute("#narrow/is/starred").view, "talk");
  assert.equal(parseRoute("#narrow/has/link").view, "search");
  assert.equal(parseRoute("#narrow/topic/lunch").view, "search", "it is in several channels");
  assert.deepEqual(parseRoute("#settings/profile").rest, ["profile"]);
  assert.equal(parseRoute("#nowhere").view, "inbox");
  start({ user_settings: { web_home_view: "recent_topics" } });
  assert.equal(parseRoute("").view, "recent");
});

test("notes to oneself are a conversation with oneself", () => {
  assert.equal(conversationHash({ people: [ANA] }), "#narrow/dm/1-Ana");
});

test("dates may be given as people write them", () => {
  const daysAgo = (days) => { const day = new Date(); day.setDate(day.getDate() - days); return isoDate(day); };
  const monday = parseDate("monday");

  assert.equal(parseDate("Yesterday"), daysAgo(1));
  assert.equal(parseDate("2 weeks ago"), daysAgo(14));
  assert.equal(parseDate("last week"), daysAgo(7));
  assert.equal(new Date(`${monday}T12:00`).getDay(), 1);
  assert.ok(monday <= daysAgo(0) && monday > daysAgo(7));
  assert.equal(parseDate("2026-11-01"), undefined, "it is a date already");
  assert.deepEqual(parseSearch("after:2 weeks ago soup"), [{ operator: "after", operand: daysAgo(14) }, { operator: "search", operand: "soup" }]);
  assert.deepEqual(parseSearch("before:yesterday soup from:me"), [{ operator: "before", operand: daysAgo(1) }, { operator: "sender", operand: ANA }, { operator: "search", operand: "soup" }]);
});

test("a day is offered once for what was typed", () => {
  assert.deepEqual(datesLike("mo").map(({ hint }) => hint), ["Monday"]);
  assert.deepEqual(datesLike("yest").map(({ hint }) => hint), ["yesterday"]);
});

test("in: names a channel", () => {
  assert.deepEqual(parseSearch("in:kitchen"), [{ operator: "channel", operand: KITCHEN }]);
  assert.deepEqual(parseSearch("in:#kitchen"), [{ operator: "channel", operand: KITCHEN }]);
  assert.deepEqual(parseSearch("in:home"), [{ operator: "in", operand: "home" }]);
});
