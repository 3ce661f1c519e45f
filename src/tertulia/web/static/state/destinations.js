/** Destinations: the people, group conversations, channels, topics and views that one can go to, and commands, searched
 * by name.
 *
 * A search runs at every key, over 6,000 names and more in a large organization. So names are folded (lower case, no
 * accents) once, ranks are computed when the list is built, and a search keeps the best few in place of sorting all. */

import { on } from "../core/signals.js";
import { formatLabel, t } from "../core/i18n.js";
import { channels } from "./channels.js";
import { isInChannel, keyOf, topicKey, topicTitle } from "./conversations.js";
import { recentDirectMessages } from "./direct_messages.js";
import { channelHash, conversationHash, topicsHash } from "./narrow.js";
import { isMuted, namesOf, people } from "./people.js";
import { newestMessageWith } from "./recent_contacts.js";
import { isSpectator, setting } from "./session.js";
import { keyLabel, offeredCommands } from "./shortcuts.js";
import { isTopicMuted, topicsOf } from "./topics.js";
import { normalizeText } from "./name_match.js";
import { allUnread, mentionsIn } from "./unread.js";
import { allVisits, targetKey } from "./visits.js";

/** @typedef {"person" | "group" | "channel" | "topic" | "view" | "command"} DestinationKind */
/** @typedef {{people?: number[], channel?: number, topic?: string, hash?: string, icon?: string, keys?: string[]}} Target
 *   people of a direct conversation, a channel and its topic, the address and icon of a view, or the name, icon and keys
 *   of a command */

export const MAX_FOUND = 9;
const LAST = -100;
/** The score of a match by its position; recency adds up to 2. */
const AT_START = 3;
const AT_WORD = 2.5;
const INSIDE = 1.5;
const NOT_SUBSCRIBED = -0.5;
const UNREAD = 0.3;
const COMMAND = 0.5; // below views, and people and conversations of late
/** The first letter of a query that asks for one kind.
 * @type {Record<string, DestinationKind[]>} */
const PREFIXES = { "@": ["person", "group"], "#": ["channel"], ">": ["topic"], "/": ["command"] };

/** Views, with their icons.
 * @type {[string, string, PlainTextKey][]} */
const VIEWS = [
  ["#inbox", "inbox", "view.inbox"],
  ["#recent", "clock", "view.recent"],
  ["#narrow/is/mentioned", "at", "view.mentioned"],
  ["#feed", "list", "view.feed"],
  ["#narrow/is/starred", "star", "view.starred"],
  ["#narrow/is/followed", "bell", "view.followed"],
  ["#narrow/is/dm", "chat", "view.dm"],
  ["#drafts", "draft", "view.drafts"],
  ["#later", "later", "view.later"],
  ["#scheduled", "later", "view.scheduled"],
  ["#reminders", "clock", "view.reminders"],
  ["#channels", "list", "view.channels"],
  ["#members", "people", "view.members"],
  ["#settings", "gear", "view.settings"],
];
const SPECTATOR_VIEWS = new Set(["#recent", "#feed"]);

/** All kinds have the same fields in the same order: with several shapes of objects the search takes ten times as
 * long. */
export class Destination {
  /** @param {DestinationKind} kind
   * @param {string} key
   * @param {string} name
   * @param {Target} target
   * @param {number} rank between 0 and 2, higher for recent ones
   * @param {boolean} [isLast] whether it is muted, archived or deactivated */
  constructor(kind, key, name, { people: others, channel, topic, hash, icon, keys }, rank, isLast = false) {
    this.kind = kind;
    this.key = key;
    this.name = name;
    this.folded = foldedName(name);
    this.people = others;
    this.channel = channel;
    this.topic = topic;
    this.hash = hash;
    this.icon = icon;
    this.keys = keys;
    this.rank = rank;
    this.isLast = isLast;
  }
}

/** @type {Destination[] | undefined} */
let destinations;
/** @type {Map<string, string>} folded names; they stay when the list is built again */
const foldedNames = new Map();

on(["people", "channels", "topics", "unread", "route", "settings", "reset"], () => (destinations = undefined));

/** All destinations. The list is built when it is first needed after a change.
 * @returns {Destination[]} */
export function allDestinations() {
  if (destinations) return destinations;
  const rank = ranking();
  destinations = [
    ...viewDestinations(),
    ...commandDestinations(),
    ...peopleDestinations(rank),
    ...groupDestinations(rank),
    ...channelDestinations(rank),
    ...topicDestinations(rank),
  ];
  return destinations;
}

/** The address of a destination.
 * @param {Destination} destination */
export function destinationHash({ hash, people: others, channel, topic }) {
  if (hash) return hash;
  if (others) return conversationHash({ people: others });
  if (channel === undefined) return "#";
  if (topic !== undefined) return conversationHash({ channel, topic });
  return isSpectator() || setting("web_channel_default_view") === 2 ? channelHash(channel) : topicsHash(channel);
}

/** The best matches of what was typed; `@`, `#`, `>` and `/` ask for people, channels, topics and commands.
 * @param {string} text
 * @param {number} [limit]
 * @returns {Destination[]} best first */
export function findDestinations(text, limit = MAX_FOUND) {
  const { kinds, query } = parseQuery(text);
  const words = query.split(" ").filter(Boolean);
  /** @type {{score: number, destination: Destination}[]} */
  const best = [];
  for (const destination of allDestinations()) {
    if (kinds && !kinds.includes(destination.kind)) continue;
    const match = matchQuality(destination.folded, query, words);
    if (match === 0) continue;
    const score = match + destination.rank + (destination.isLast ? LAST : 0);
    if (best.length === limit && score <= best[limit - 1].score) continue;
    insertSorted(best, { score, destination });
    if (best.length > limit) best.pop();
  }
  return best.map((each) => each.destination);
}

/** A name in pieces, every second of which was matched by what was typed.
 * @param {string} name
 * @param {string} text
 * @returns {string[]} */
export function matchedPieces(name, text) {
  const { query } = parseQuery(text);
  const { folded, origins } = foldWithOrigins(name);
  const words = folded.includes(query) ? [query] : query.split(" ");
  const pieces = [];
  let end = 0;
  for (const [from, to] of words
    .filter(Boolean)
    .map((word) => wordRange(folded, word))
    .sort((a, b) => a[0] - b[0])) {
    const start = origins[from];
    if (from < 0 || start < end) continue;
    pieces.push(name.slice(end, start), name.slice(start, origins[to]));
    end = origins[to];
  }
  return [...pieces, name.slice(end)];
}

/** Unread conversations with direct messages or mentions, the newest first.
 * @returns {Destination[]} */
export function waitingDestinations() {
  const byKey = new Map(allDestinations().map((each) => [each.key, each]));
  return allUnread().flatMap(({ conversation }) => {
    const found = byKey.get(keyOf(conversation));
    return found && !found.isLast && mentionsIn(conversation) ? [found] : [];
  });
}

/** What the person has opened or written in lately, then the newest direct conversations.
 * @returns {{destination: Destination, at: number | undefined}[]} `at` in seconds */
export function recentDestinations() {
  const byKey = new Map(allDestinations().map((each) => [each.key, each]));
  const visited = allVisits().map(({ target, at }) => ({
    destination: byKey.get(targetKey(target)),
    at: /** @type {number | undefined} */ (at),
  }));
  const directs = recentDirectMessages().map(({ conversation }) => ({
    destination: byKey.get(keyOf(conversation)),
    at: undefined,
  }));
  const seen = new Set();
  return /** @type {{destination: Destination, at: number | undefined}[]} */ (
    [...visited, ...directs].filter(({ destination }) => {
      if (!destination || seen.has(destination.key)) return false;
      seen.add(destination.key);
      return true;
    })
  );
}

/** @returns {Destination[]} */
export function viewDestinations() {
  const shown = VIEWS.filter(([hash]) => !isSpectator() || SPECTATOR_VIEWS.has(hash));
  return shown.map(([hash, icon, name]) => new Destination("view", hash, t(name), { hash, icon }, 1));
}

/** @returns {Destination[]} */
function commandDestinations() {
  if (isSpectator()) return [];
  return offeredCommands().map(({ text, value, run, icon, keys = {} }) => {
    const name = value ? formatLabel(t(text), t(value)) : t(text);
    const labels = Object.keys(keys).slice(0, 1).map(keyLabel);
    return new Destination("command", `/${run}`, name, { hash: run, icon, keys: labels }, COMMAND);
  });
}

/** @param {string} text */
function parseQuery(text) {
  const kinds = PREFIXES[text[0]];
  return { kinds, query: normalizeText(kinds ? text.slice(1) : text).trim() };
}

/** How well a folded name matches: 0 if not at all.
 * @param {string} name
 * @param {string} query
 * @param {string[]} words of the query */
function matchQuality(name, query, words) {
  const at = name.indexOf(query);
  if (at === 0) return AT_START;
  if (at > 0) return isWordStart(name, at) || name.includes(` ${query}`) ? AT_WORD : INSIDE;
  if (words.length < 2) return 0;
  return words.every((word) => name.startsWith(word) || name.includes(` ${word}`)) ? AT_WORD : 0;
}

/** @param {string} name
 * @param {number} at */
function isWordStart(name, at) {
  return at === 0 || " -_.,/(".includes(name[at - 1]);
}

/** The range of a word in a name; the beginning of one of the name's words is better.
 * @param {string} name
 * @param {string} word
 * @returns {[number, number]} */
function wordRange(name, word) {
  let at = name.indexOf(word);
  for (let next = at; next >= 0; next = name.indexOf(word, next + 1)) {
    if (!isWordStart(name, next)) continue;
    at = next;
    break;
  }
  return [at, at + word.length];
}

/** The folded name, and for each of its characters where it begins in the name.
 * @param {string} name */
function foldWithOrigins(name) {
  let folded = "";
  /** @type {number[]} */
  const origins = [];
  let at = 0;
  for (const character of name) {
    const piece = normalizeText(character);
    for (let each = 0; each < piece.length; each++) origins.push(at);
    folded += piece;
    at += character.length;
  }
  origins.push(at);
  return { folded, origins };
}

/** @param {{score: number, destination: Destination}[]} best sorted
 * @param {{score: number, destination: Destination}} added */
function insertSorted(best, added) {
  let at = best.length;
  while (at > 0 && best[at - 1].score < added.score) at--;
  best.splice(at, 0, added);
}

/** @param {string} name */
function foldedName(name) {
  let folded = foldedNames.get(name);
  if (folded === undefined) foldedNames.set(name, (folded = normalizeText(name)));
  return folded;
}

/** @typedef {(key: string, newest?: number) => number} Ranking */

/** A function that gives the rank of a destination: by visits, else by its newest message.
 * @returns {Ranking} */
function ranking() {
  const visits = allVisits();
  const positions = new Map(visits.map((visit, at) => [targetKey(visit.target), at]));
  const unread = new Set(allUnread().map(({ conversation }) => keyOf(conversation)));
  const newestOfAll = recentDirectMessages()[0]?.newest ?? 1;
  return (key, newest = 0) => {
    const position = positions.get(key);
    const recency = position === undefined ? Math.min(1, newest / newestOfAll) : 2 - position / visits.length;
    return Math.min(2, recency + (unread.has(key) ? UNREAD : 0));
  };
}

/** @param {Ranking} rank
 * @returns {Destination[]} */
function peopleDestinations(rank) {
  const found = [];
  for (const person of people.values()) {
    if (person.is_system_bot) continue;
    const others = [person.user_id];
    const key = keyOf({ people: others });
    const isLast = !person.is_active || isMuted(person.user_id);
    found.push(
      new Destination(
        "person",
        key,
        person.full_name,
        { people: others },
        rank(key, newestMessageWith(person.user_id)),
        isLast,
      ),
    );
  }
  return found;
}

/** @param {Ranking} rank
 * @returns {Destination[]} */
function groupDestinations(rank) {
  return recentDirectMessages()
    .filter(({ conversation }) => conversation.people.length > 1)
    .map(({ conversation, newest }) => {
      const key = keyOf(conversation);
      return new Destination("group", key, namesOf(conversation.people), conversation, rank(key, newest));
    });
}

/** @param {Ranking} rank
 * @returns {Destination[]} */
function channelDestinations(rank) {
  return [...channels.values()].map((channel) => {
    const id = channel.stream_id;
    const isLast = channel.is_archived || (channel.is_muted ?? false);
    return new Destination(
      "channel",
      `c${id}`,
      channel.name,
      { channel: id },
      rank(`c${id}`) + (channel.subscribed ? 0 : NOT_SUBSCRIBED),
      isLast,
    );
  });
}

/** The topics that the page knows: of channels that were fetched, unread ones, and those of visits.
 * @param {Ranking} rank
 * @returns {Destination[]} */
function topicDestinations(rank) {
  /** @type {Map<string, Destination>} */
  const found = new Map();
  const add = (/** @type {number} */ channel, /** @type {string} */ topic, /** @type {number} */ newest) => {
    const key = topicKey(channel, topic);
    if (found.has(key) || !channels.has(channel)) return;
    const isArchived = channels.get(channel)?.is_archived ?? false;
    found.set(
      key,
      new Destination(
        "topic",
        key,
        topicTitle(topic),
        { channel, topic },
        rank(key, newest),
        isArchived || isTopicMuted(channel, topic),
      ),
    );
  };
  for (const id of channels.keys()) for (const topic of topicsOf(id) ?? []) add(id, topic.name, topic.max_id);
  for (const { conversation, ids } of allUnread())
    if (isInChannel(conversation)) add(conversation.channel, conversation.topic, Math.max(...ids));
  for (const { target } of allVisits())
    if ("channel" in target && target.topic !== undefined) add(target.channel, target.topic, 0);
  return [...found.values()];
}
