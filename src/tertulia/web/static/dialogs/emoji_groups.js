/** The groups of the emoji picker, as ranges of Unicode code points. The first group that contains the first code point
 * of an emoji has it; the others are objects. */

/** @typedef {{name: string, sign: string, emoji: string[]}} EmojiGroup `emoji` are codes */

/** Each line: name, sign of the tab, code points and ranges.
 * @type {[string, string, string][]} */
const RANGES = [
  ["flags", "🏳️", "1f1e6-1f1ff 1f3f3-1f3f4 1f3c1 1f6a9 1f38c"],
  [
    "symbols",
    "🖤",
    "0-2fff 3030 303d 3297 3299 1f170-1f19a 1f201-1f251 1f3a6 1f3e7 1f493-1f49f 1f4a0 1f4a2 1f4ac-1f4af 1f4b1-1f4b2 1f4f3-1f4f6 1f500-1f506 1f517-1f524 1f52f-1f53d 1f549 1f54e 1f5a4 1f5e8 1f5ef 1f5f3 1f6ab 1f6ad-1f6b1 1f6b3 1f6b7-1f6bc 1f6be 1f6c2-1f6c5 1f6d0 1f6dc 1f7e0-1f7f0 1f90d-1f90e 1f9e1 1fa75-1fa77 1faaf",
  ],
  [
    "smileys",
    "🙂",
    "1f47b 1f479-1f47a 1f47d-1f480 1f4a9 1f600-1f644 1f648-1f64a 1f910-1f917 1f920-1f925 1f927-1f92f 1f970-1f976 1f978-1f97a 1f9d0 1fae0-1fae5 1fae8-1fae9",
  ],
  [
    "people",
    "👋",
    "1f385 1f3c2-1f3c4 1f3c7 1f3ca-1f3cc 1f440-1f450 1f463-1f478 1f47c 1f481-1f483 1f485-1f487 1f48b 1f48f 1f491 1f4aa 1f574-1f575 1f57a 1f590 1f595-1f596 1f5e3 1f645-1f647 1f64b-1f64f 1f6a3 1f6b4-1f6b6 1f6c0 1f6cc 1f90c 1f90f 1f918-1f91f 1f926 1f930-1f939 1f93c-1f93e 1f977 1f9b4-1f9b9 1f9bb 1f9cd-1f9cf 1f9d1-1f9e0 1fac0-1fac6 1fae6 1faf0-1faf8",
  ],
  [
    "nature",
    "🌿",
    "1f300 1f308 1f30a-1f320 1f324-1f32c 1f331-1f335 1f337-1f33c 1f33e-1f344 1f3f5 1f400-1f43f 1f490 1f4a6-1f4a8 1f525 1f54a 1f577-1f578 1f940 1f980-1f9ae 1fab0-1fabf 1face-1facf 1fada 1fadb 1faa8 1fab4-1fabb",
  ],
  [
    "food",
    "🍞",
    "1f32d-1f330 1f336 1f33d 1f345-1f37f 1f382 1f3fa 1f52a 1f942-1f944 1f950-1f96f 1f9c0-1f9cb 1fad0-1fad9 1fadf",
  ],
  [
    "activity",
    "⚽",
    "1f004 1f0cf 1f380-1f381 1f383-1f384 1f386-1f38b 1f38d-1f391 1f396-1f397 1f39f 1f3a3 1f3a8 1f3ab 1f3ad-1f3b4 1f3bd-1f3c0 1f3c5-1f3c6 1f3c8-1f3c9 1f3cf-1f3d3 1f3f8 1f52b 1f52e 1f579 1f5bc 1f93f 1f945-1f94f 1f9e7-1f9e9 1f9f5-1f9f6 1f9f8 1fa80-1fa81 1fa84-1fa86 1faa1-1faa2 1faa9",
  ],
  [
    "travel",
    "✈️",
    "1f301-1f309 1f3a0-1f3a2 1f3aa 1f3cd-1f3ce 1f3d4-1f3f0 1f488 1f492 1f54b-1f54d 1f550-1f567 1f570 1f5fa-1f5ff 1f680-1f6a2 1f6a4-1f6a8 1f6b2 1f6cb 1f6d1 1f6d5 1f6dd-1f6df 1f6e3-1f6fc 1f9bc-1f9bd 1f9ed 1f9f1 1f9f3 1fa82 1fa90 1faa6 1fab5",
  ],
  ["objects", "💡", "3000-1ffff"],
];
/** Symbols by their blocks that belong to other groups. */
const EXCEPTIONS =
  "smileys 263a 2639 2620|people 261d 26f9 270a-270d|nature 2600-2604 2614 2618 26a1 26c4-26c5 26c8 2744 2b50|food 2615|activity 2660-2668 265f 26bd-26be 26f3 26f8 2728|travel 231a-231b 23f0-23f3 2668 2693 2708 26ea 26f0-26f2 26f4-26f5 26f7 26fa 26fd|objects 2328 23cf 2602 260e 2692-2697 2699 26b0-26b1 26cf 26d1 26d3 26f1 2702 2709 270f 2712";
/** The code points that groups begin with; smaller ones come at their end.
 * @type {Record<string, number>} */
const STARTS = {
  smileys: 0x1f600,
  people: 0x1f44b,
  nature: 0x1f400,
  food: 0x1f345,
  activity: 0x1f380,
  travel: 0x1f680,
  objects: 0x1f4a1,
  symbols: 0x2764,
};
const LAST_CODE_POINT = 0x110000;
const ORDER = ["smileys", "people", "nature", "food", "activity", "travel", "objects", "symbols", "flags"];

/** Sort emoji into groups.
 * @param {Iterable<string>} codes such as `1f1ea-1f1f8`
 * @returns {EmojiGroup[]} */
export function groupEmoji(codes) {
  const rules = [
    ...EXCEPTIONS.split("|").map((rule) => ({
      name: rule.split(" ")[0],
      ranges: parseRanges(rule.split(" ").slice(1)),
    })),
    ...RANGES.map(([name, , text]) => ({ name, ranges: parseRanges(text.split(" ")) })),
  ];
  const groups = new Map(
    ORDER.map((name) => [
      name,
      /** @type {EmojiGroup} */ ({ name, sign: RANGES.find(([each]) => each === name)?.[1] ?? "", emoji: [] }),
    ]),
  );
  for (const code of codes) {
    const first = parseInt(code, 16);
    const rule = rules.find(({ ranges }) => ranges.some(([from, to]) => first >= from && first <= to));
    groups.get(rule?.name ?? "objects")?.emoji.push(code);
  }
  for (const group of groups.values()) {
    const position = (/** @type {string} */ code) =>
      (parseInt(code, 16) - (STARTS[group.name] ?? 0) + LAST_CODE_POINT) % LAST_CODE_POINT;
    group.emoji.sort((a, b) => position(a) - position(b));
  }
  return [...groups.values()];
}

/** @param {string[]} texts
 * @returns {[number, number][]} */
function parseRanges(texts) {
  return texts.map((text) => {
    const [from, to = from] = text.split("-");
    return [parseInt(from, 16), parseInt(to, 16)];
  });
}
