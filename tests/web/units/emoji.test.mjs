import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setAccountValue } from "../../../src/tertulia/web/static/core/account_values.js";
import { findEmojiByWord, initEmoji, searchEmoji } from "../../../src/tertulia/web/static/state/emoji.js";
import { emojiUse, recordEmojiUse, setSkinTone, usedEmoji, withSkinTone } from "../../../src/tertulia/web/static/state/emoji_use.js";
import { groupEmoji } from "../../../src/tertulia/web/static/dialogs/emoji_groups.js";
import { start } from "./scene.mjs";

const DAY = 86_400_000;
const NOW = 1000 * DAY;

beforeEach(() => {
  start();
  setAccountValue("emoji-use", {});
  setAccountValue("skin-tone", 0);
  initEmoji({ code_to_names: { "1f44b": ["wave", "hello"], "1f30a": ["ocean", "wave_of_water"], "1f3a5": ["movie_camera", "film_camera"], "1f39e-fe0f": ["film"] } });
});

test("the most used emoji come first, in completion and in the picker", () => {
  assert.deepEqual(searchEmoji("wa", 5), ["wave", "wave_of_water"]);

  recordEmojiUse("wave_of_water", NOW);
  recordEmojiUse("film", NOW);
  recordEmojiUse("film", NOW);

  assert.deepEqual(searchEmoji("wa", 5), ["wave_of_water", "wave"]);
  assert.deepEqual(usedEmoji(), ["film", "wave_of_water"]);
});

test("popular emoji come before others that the account has not used", () => {
  initEmoji({ code_to_names: { "1f604": ["smile", "big_smile"], "1f927": ["smug"], "1f60f": ["smirk"] } });

  assert.deepEqual(searchEmoji("sm", 5), ["smile", "smirk", "smug"]);
  recordEmojiUse("smug", NOW);
  assert.deepEqual(searchEmoji("sm", 5), ["smug", "smile", "smirk"]);
});

test("uses are forgotten after 90 days", () => {
  recordEmojiUse("wave", NOW);
  recordEmojiUse("film", NOW + 89 * DAY);
  assert.equal(emojiUse("wave"), 1);

  recordEmojiUse("film", NOW + 90 * DAY);

  assert.deepEqual(usedEmoji(), ["film"]);
});

test("an emoji that is found by another name says so", () => {
  assert.deepEqual(findEmojiByWord("film", 5), [{ name: "film" }, { name: "movie_camera", also: "film_camera" }]);
});

test("a skin tone changes only emoji that have tones", () => {
  setSkinTone(3);

  assert.equal(withSkinTone("👋"), "👋🏽");
  assert.equal(withSkinTone("☝️"), "☝🏽");
  assert.equal(withSkinTone("🌊"), "🌊");
  assert.equal(withSkinTone("👋", 0), "👋");
});

test("every emoji is in one group", () => {
  const codes = ["1f600", "1f44b", "1f42d", "1f345", "26bd", "2708-fe0f", "1f4a1", "2764-fe0f", "1f1ea-1f1f8", "0023-20e3"];

  const groups = groupEmoji(codes);

  assert.deepEqual(groups.map(({ name, emoji }) => [name, emoji]), [["smileys", ["1f600"]], ["people", ["1f44b"]], ["nature", ["1f42d"]], ["food", ["1f345"]], ["activity", ["26bd"]],
    ["travel", ["2708-fe0f"]], ["objects", ["1f4a1"]], ["symbols", ["2764-fe0f", "0023-20e3"]], ["flags", ["1f1ea-1f1f8"]]]);
});
