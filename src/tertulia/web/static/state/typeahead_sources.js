/** What could be meant by what somebody is just typing: people and groups after `@`, channels and
 * topics after `#`, emoji after `:`, commands after `/`, languages after ``` or ~~~. */

import { channels, myChannels } from "./channels.js";
import { topicTitle } from "./conversations.js";
import { emojiNamed, emojiStarting, fetchEmoji } from "./emoji.js";
import { known } from "./session.js";
import { people } from "./people.js";
import { lastTalkedAt } from "./recent_contacts.js";
import { fetchTopics, topicsOf } from "./topics.js";
import { say } from "../core/i18n.js";

/** @typedef {"person" | "channel" | "topic" | "emoji" | "command" | "language"} Kind */
/** @typedef {{kind: Kind, query: string, from: number, to: number, channel?: number, silent?: boolean}} Wanted
 *   the part of the text that an offer replaces */
/** @typedef {{insert: string, label: string, hint: string, person?: number, channel?: number, emoji?: string, group?: boolean}} Offer */

const MOST = 8;
const WILDCARDS = ["all", "everyone", "channel", "topic"];
const COMMANDS = ["me", "poll", "todo"];
const LANGUAGES = ["bash", "c", "cpp", "css", "diff", "go", "html", "java", "javascript", "json", "kotlin", "latex", "math", "php", "python", "quote", "ruby", "rust", "spoiler", "sql", "swift", "text", "typescript", "xml", "yaml"];

/** @param {string} text
 * @param {number} caret
 * @returns {Wanted | undefined} */
export function wantedAt(text, caret) {
  const before = text.slice(0, caret);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const start = caret - line.length;

  const language = /^(?:```|~~~)\s?([\w+#-]*)$/.exec(line);
  if (language) return { kind: "language", query: language[1], from: caret - language[1].length, to: caret };
  const command = /^\/(\w*)$/.exec(before);
  if (command) return { kind: "command", query: command[1], from: 0, to: caret };

  const topic = /#\*\*([^*>\n]+)>([^*\n]*)$/.exec(line);
  if (topic) {
    const channel = [...channels.values()].find((each) => each.name === topic[1]);
    if (channel) return { kind: "topic", query: topic[2], from: start + topic.index, to: caret, channel: channel.stream_id };
  }
  const mark = /(^|[\s("'/[])(@_?|#|:)(\**)([^@#:*\n]*)$/.exec(line);
  if (!mark) return undefined;
  const query = mark[4];
  const from = start + mark.index + mark[1].length;
  if (/^\s/.test(query) || query.split(" ").length > 3) return undefined;
  if (mark[2] === "#") return { kind: "channel", query, from, to: caret };
  if (mark[2] === ":") return /^[\w+-]{2,}$/.test(query) ? { kind: "emoji", query, from, to: caret } : undefined;
  return { kind: "person", query, from, to: caret, silent: mark[2] === "@_" };
}

/** What to offer for what stands before the caret; asks the server for names if it has to.
 * @param {string} text
 * @param {number} caret
 * @param {{channel?: number}} where one writes to */
export async function completions(text, caret, where) {
  const wanted = wantedAt(text, caret);
  if (!wanted) return undefined;
  if (wanted.kind === "emoji") await fetchEmoji();
  if (wanted.kind === "topic" && !topicsOf(wanted.channel ?? 0)) await fetchTopics(wanted.channel ?? 0).catch(() => []);
  return { from: wanted.from, to: wanted.to, offers: completionsFor(wanted, where) };
}

/** Topics of a channel to offer for what stands in a field.
 * @param {string} text
 * @param {number} channel */
export async function topicCompletions(text, channel) {
  if (!topicsOf(channel)) await fetchTopics(channel).catch(() => []);
  const offers = topicsToChoose(channel, text).filter((topic) => topic !== text);
  return { from: 0, to: text.length, offers: offers.map((topic) => ({ insert: topic, label: topicTitle(topic), hint: "" })) };
}

/** @param {Wanted} wanted
 * @param {{channel?: number}} where one writes to
 * @returns {Offer[]} the likeliest first */
export function completionsFor(wanted, where) {
  const query = plain(wanted.query);
  if (wanted.kind === "person") return peopleOffers(query, wanted.silent ?? false, where.channel);
  if (wanted.kind === "channel") return channelOffers(query);
  if (wanted.kind === "topic") return topicOffers(query, wanted.channel ?? 0);
  if (wanted.kind === "emoji") return emojiStarting(wanted.query.toLowerCase(), MOST).map((name) => emojiOffer(name));
  if (wanted.kind === "command") return simple(COMMANDS, query, (name) => ({ insert: `/${name} `, label: `/${name}`, hint: say(`command.${name}`) }));
  return simple(LANGUAGES, query, (name) => ({ insert: `${name}\n`, label: name, hint: "" }));
}

/** People whose name fits, for places where one chooses people.
 * @param {string} query
 * @param {number[]} without
 * @returns {Offer[]} */
export function peopleToChoose(query, without = []) {
  const found = ranked(candidates(without), plain(query), (person) => person.full_name, (person) => lastTalkedAt(person.user_id));
  return found.slice(0, MOST).map((person) => ({ insert: person.full_name, label: person.full_name, hint: person.delivery_email ?? "", person: person.user_id }));
}

/** Topics of a channel that fit.
 * @param {number} channel
 * @param {string} query
 * @returns {string[]} */
export function topicsToChoose(channel, query) {
  const names = (topicsOf(channel) ?? []).map((topic) => topic.name).filter(Boolean);
  return ranked(names, plain(query), (name) => name, () => 0).slice(0, MOST);
}

/** Letters as they are compared: small, without accents.
 * @param {string} text */
export function plain(text) {
  return text.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

/** How well a name fits: its beginning, the beginning of one of its words, somewhere; -1 not at all.
 * @param {string} name
 * @param {string} query both plain */
export function fit(name, query) {
  if (name.startsWith(query)) return 3;
  const at = name.indexOf(query);
  if (at < 0) return -1;
  return /[\s._-]/.test(name[at - 1]) ? 2 : 1;
}

/** @template T
 * @param {Iterable<T>} things
 * @param {string} query
 * @param {(thing: T) => string} name
 * @param {(thing: T) => number} weight
 * @returns {T[]} */
function ranked(things, query, name, weight) {
  /** @type {{thing: T, how: number, weight: number, name: string}[]} */
  const found = [];
  for (const thing of things) {
    const called = plain(name(thing));
    const how = fit(called, query);
    if (how >= 0) found.push({ thing, how: Math.min(how, 2), weight: weight(thing), name: called });
  }
  found.sort((a, b) => b.how - a.how || b.weight - a.weight || (a.name < b.name ? -1 : 1));
  return found.map((each) => each.thing);
}

/** @param {number[]} without */
function candidates(without) {
  return [...people.values()].filter((person) => person.is_active && !person.is_system_bot && !without.includes(person.user_id));
}

/** @param {string} query
 * @param {boolean} silent
 * @param {number | undefined} channel */
function peopleOffers(query, silent, channel) {
  const mark = silent ? "@_" : "@";
  const inside = new Set(channels.get(channel ?? 0)?.subscribers ?? []);
  const weight = (/** @type {{user_id: number}} */ person) => lastTalkedAt(person.user_id) + (inside.has(person.user_id) ? 1 : 0);
  const persons = ranked(candidates([]), query, (person) => person.full_name, weight).slice(0, MOST);
  const offers = persons.map((person) => ({ insert: `${mark}**${mentionName(person)}** `, label: person.full_name, hint: person.is_bot ? say("people.bot") : (person.delivery_email ?? ""), person: person.user_id }));
  const groups = (known.realm_user_groups ?? []).filter((/** @type {any} */ group) => !group.is_system_group && !group.deactivated);
  const named = ranked(groups, query, (/** @type {any} */ group) => group.name, () => 0).slice(0, 3);
  const wild = query ? WILDCARDS.filter((word) => !silent && word.startsWith(query) && (channel || word === "all" || word === "everyone")) : [];
  return [
    ...offers.slice(0, MOST - named.length - wild.length),
    ...named.map((group) => ({ insert: `${mark}*${group.name}* `, label: group.name, hint: say("people.group", { count: group.members?.length ?? 0 }), group: true })),
    ...wild.map((word) => ({ insert: `@**${word}** `, label: word, hint: say("people.wildcard"), group: true })),
  ];
}

/** Two people with one name are told apart by their number.
 * @param {import("./people.js").Person} person */
function mentionName(person) {
  const twins = [...people.values()].filter((each) => each.full_name === person.full_name);
  return twins.length > 1 || WILDCARDS.includes(person.full_name) ? `${person.full_name}|${person.user_id}` : person.full_name;
}

/** @param {string} query */
function channelOffers(query) {
  const mine = new Set(myChannels().map((channel) => channel.stream_id));
  const open = [...channels.values()].filter((channel) => !channel.is_archived);
  const found = ranked(open, query, (channel) => channel.name, (channel) => (mine.has(channel.stream_id) ? 1 : 0));
  return found.slice(0, MOST).map((channel) => ({ insert: `#**${channel.name}** `, label: channel.name, hint: channel.description.slice(0, 60), channel: channel.stream_id }));
}

/** @param {string} query
 * @param {number} channel */
function topicOffers(query, channel) {
  const name = channels.get(channel)?.name ?? "";
  return topicsToChoose(channel, query).map((topic) => ({ insert: `#**${name}>${topic}** `, label: topicTitle(topic), hint: name, channel }));
}

/** @param {string} name */
function emojiOffer(name) {
  return { insert: `:${name}: `, label: name, hint: "", emoji: emojiNamed(name) };
}

/** @param {string[]} names
 * @param {string} query
 * @param {(name: string) => Offer} offer */
function simple(names, query, offer) {
  return names.filter((name) => name.startsWith(query)).slice(0, MOST).map(offer);
}

/** Whether this writes to more people than one may have thought of.
 * @param {string} text
 * @returns {"everyone" | undefined} */
export function callsAll(text) {
  return /(^|[^\w`])@\*\*(all|everyone|channel|stream)\*\*/.test(text) ? "everyone" : undefined;
}

