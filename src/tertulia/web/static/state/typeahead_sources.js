/** Completions for what is being typed: people and groups after `@`, channels and topics after `#`, emoji after
 * `:`, commands after `/`, code languages after ``` or ~~~. */

import { channels, myChannels } from "./channels.js";
import { topicKey, topicTitle } from "./conversations.js";
import { findEmoji, searchEmoji, fetchEmoji } from "./emoji.js";
import { cachedMessages } from "./messages.js";
import { commandsLike, fetchCommands } from "./offered_commands.js";
import { state } from "./session.js";
import { people } from "./people.js";
import { newestMessageWith } from "./recent_contacts.js";
import { matchScore, normalizeText } from "./name_match.js";
import { fetchTopics, topicsOf } from "./topics.js";
import { t } from "../core/i18n.js";

/** @typedef {"person" | "channel" | "topic" | "emoji" | "command" | "language"} Kind */
/** @typedef {{kind: Kind, query: string, from: number, to: number, channel?: number, silent?: boolean}} CompletionQuery
 *   `from` and `to`: the part of the text that a completion replaces */
/** @typedef {{channel?: number, topic?: string}} Place where the message goes */
/** @typedef {{insert: string, label: string, hint: string, person?: number, channel?: number, emoji?: string, group?:
 *   boolean, bot?: number}} Completion `bot`: of a command; 0 if it is built in */

const MAX_COMPLETIONS = 8;
const WILDCARDS = ["all", "everyone", "channel", "topic"];
const COMMANDS = ["me", "poll", "todo"];
const CODE_LANGUAGES = [
  "bash",
  "c",
  "cpp",
  "css",
  "diff",
  "go",
  "html",
  "java",
  "javascript",
  "json",
  "kotlin",
  "latex",
  "math",
  "php",
  "python",
  "quote",
  "ruby",
  "rust",
  "spoiler",
  "sql",
  "swift",
  "text",
  "typescript",
  "xml",
  "yaml",
];

/** @param {string} text
 * @param {number} caret
 * @returns {CompletionQuery | undefined} */
export function completionAt(text, caret) {
  const before = text.slice(0, caret);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const start = caret - line.length;

  const language = /^(?:```|~~~)\s?([\w+#-]*)$/.exec(line);
  const fences = before.match(/^(?:```|~~~)/gm)?.length ?? 0; // every second one ends a block and has no language
  if (language && fences % 2)
    return { kind: "language", query: language[1], from: caret - language[1].length, to: caret };
  const command = /^\/([\p{L}\p{N}_-]*)$/u.exec(before);
  if (command) return { kind: "command", query: command[1], from: 0, to: caret };

  const topic = /#\*\*([^*>\n]+)>([^*\n]*)$/.exec(line);
  if (topic) {
    const channel = [...channels.values()].find((each) => each.name === topic[1]);
    if (channel)
      return { kind: "topic", query: topic[2], from: start + topic.index, to: caret, channel: channel.stream_id };
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

/** The completions for the text before the caret. May fetch emoji or topics first.
 * @param {string} text
 * @param {number} caret
 * @param {Place} place */
export async function completions(text, caret, place) {
  const request = completionAt(text, caret);
  if (!request) return undefined;
  if (request.kind === "emoji") await fetchEmoji();
  if (request.kind === "command") await fetchCommands();
  if (request.kind === "topic" && !topicsOf(request.channel ?? 0))
    await fetchTopics(request.channel ?? 0).catch(() => []);
  return { from: request.from, to: request.to, completions: completionsFor(request, place) };
}

/** Completions of a topic field.
 * @param {string} text
 * @param {number} channel */
export async function topicFieldCompletions(text, channel) {
  if (!topicsOf(channel)) await fetchTopics(channel).catch(() => []);
  const found = findTopics(channel, text).filter((topic) => topic !== text);
  return {
    from: 0,
    to: text.length,
    completions: found.map((topic) => ({ insert: topic, label: topicTitle(topic), hint: "" })),
  };
}

/** @param {CompletionQuery} request
 * @param {Place} place
 * @returns {Completion[]} best first */
export function completionsFor(request, place) {
  const query = normalizeText(request.query);
  if (request.kind === "person") return peopleCompletions(query, request.silent ?? false, place);
  if (request.kind === "channel") return channelCompletions(query);
  if (request.kind === "topic") return topicLinkCompletions(query, request.channel ?? 0);
  if (request.kind === "emoji")
    return searchEmoji(request.query.toLowerCase(), MAX_COMPLETIONS).map((name) => emojiCompletion(name));
  if (request.kind === "command")
    return [
      ...commandsLike(query, place.channel).map(({ name, description, bot_id }) => ({
        insert: `/${name} `,
        label: `/${name}`,
        hint: description,
        bot: bot_id,
      })),
      ...wordCompletions(COMMANDS, query, (name) => ({
        insert: `/${name} `,
        label: `/${name}`,
        hint: t(`command.${name}`),
        bot: 0,
      })),
    ].slice(0, MAX_COMPLETIONS);
  return wordCompletions(CODE_LANGUAGES, query, (name) => ({ insert: `${name}\n`, label: name, hint: "" }));
}

/** People whose name matches, for fields that select people.
 * @param {string} query
 * @param {number[]} without
 * @returns {Completion[]} */
export function findPeople(query, without = []) {
  const found = rankMatches(
    mentionablePeople(without),
    normalizeText(query),
    (person) => person.full_name,
    (person) => newestMessageWith(person.user_id),
    (_, score) => score,
  );
  return found.slice(0, MAX_COMPLETIONS).map((person) => ({
    insert: person.full_name,
    label: person.full_name,
    hint: person.delivery_email ?? "",
    person: person.user_id,
  }));
}

/** Topics of a channel that match.
 * @param {number} channel
 * @param {string} query
 * @returns {string[]} */
export function findTopics(channel, query) {
  const names = (topicsOf(channel) ?? []).map((topic) => topic.name).filter(Boolean);
  return rankMatches(
    names,
    normalizeText(query),
    (name) => name,
    () => 0,
  ).slice(0, MAX_COMPLETIONS);
}

/** @template T
 * @param {Iterable<T>} items
 * @param {string} query
 * @param {(item: T) => string} name
 * @param {(item: T) => number} weight among equal matches
 * @param {(item: T, score: number) => number} [rank] how good a match is
 * @returns {T[]} best first */
function rankMatches(items, query, name, weight, rank = (_, score) => Math.min(score, 2)) {
  /** @type {{thing: T, how: number, weight: number, name: string}[]} */
  const found = [];
  for (const item of items) {
    const itemName = normalizeText(name(item));
    const score = matchScore(itemName, query);
    if (score >= 0) found.push({ thing: item, how: rank(item, score), weight: weight(item), name: itemName });
  }
  found.sort((a, b) => b.how - a.how || b.weight - a.weight || (a.name < b.name ? -1 : 1));
  return found.map((each) => each.thing);
}

/** @param {number[]} without */
function mentionablePeople(without) {
  return [...people.values()].filter(
    (person) => person.is_active && !person.is_system_bot && !without.includes(person.user_id),
  );
}

/** @param {string} query
 * @param {boolean} silent
 * @param {Place} place */
function peopleCompletions(query, silent, place) {
  const mark = silent ? "@_" : "@";
  const { channel } = place;
  const subscribers = new Set(channels.get(channel ?? 0)?.subscribers ?? []);
  const authors = authorsIn(place);
  /** People of the topic, then first names, then surnames.
   * @param {import("./people.js").Person} person
   * @param {number} score */
  const rank = (person, score) => (score > 1 && authors.has(person.user_id) ? 4 : score);
  const weight = (/** @type {{user_id: number}} */ person) =>
    newestMessageWith(person.user_id) + (subscribers.has(person.user_id) ? 1 : 0);
  const persons = rankMatches(mentionablePeople([]), query, (person) => person.full_name, weight, rank).slice(
    0,
    MAX_COMPLETIONS,
  );
  const found = persons.map((person) => ({
    insert: `${mark}**${mentionName(person)}** `,
    label: person.full_name,
    hint: person.is_bot ? t("people.bot") : (person.delivery_email ?? ""),
    person: person.user_id,
  }));
  const groups = (state.realm_user_groups ?? []).filter((group) => !group.is_system_group && !group.deactivated);
  const named = rankMatches(
    groups,
    query,
    (group) => group.name,
    () => 0,
  ).slice(0, 3);
  const wildcards = query
    ? WILDCARDS.filter(
        (word) => !silent && word.startsWith(query) && (channel || word === "all" || word === "everyone"),
      )
    : [];
  return [
    ...found.slice(0, MAX_COMPLETIONS - named.length - wildcards.length),
    ...named.map((group) => ({
      insert: `${mark}*${group.name}* `,
      label: group.name,
      hint: t("people.group", { count: group.members?.length ?? 0 }),
      group: true,
    })),
    ...wildcards.map((word) => ({ insert: `@**${word}** `, label: word, hint: t("people.wildcard"), group: true })),
  ];
}

/** Who has written in a topic, as far as its messages are loaded.
 * @param {Place} place
 * @returns {Set<number>} */
function authorsIn({ channel, topic }) {
  if (channel === undefined || topic === undefined) return new Set();
  const key = topicKey(channel, topic);
  const found = cachedMessages().filter(
    (message) => message.type === "stream" && topicKey(message.stream_id, message.subject) === key,
  );
  return new Set(found.map((message) => message.sender_id));
}

/** The name for a mention; people who share a name get their id appended.
 * @param {import("./people.js").Person} person */
export function mentionName(person) {
  const twins = [...people.values()].filter((each) => each.full_name === person.full_name);
  return twins.length > 1 || WILDCARDS.includes(person.full_name)
    ? `${person.full_name}|${person.user_id}`
    : person.full_name;
}

/** @param {string} query */
function channelCompletions(query) {
  const mine = new Set(myChannels().map((channel) => channel.stream_id));
  const open = [...channels.values()].filter((channel) => !channel.is_archived);
  const found = rankMatches(
    open,
    query,
    (channel) => channel.name,
    (channel) => (mine.has(channel.stream_id) ? 1 : 0),
  );
  return found.slice(0, MAX_COMPLETIONS).map((channel) => ({
    insert: `#**${channel.name}** `,
    label: channel.name,
    hint: channel.description.slice(0, 60),
    channel: channel.stream_id,
  }));
}

/** @param {string} query
 * @param {number} channel */
function topicLinkCompletions(query, channel) {
  const name = channels.get(channel)?.name ?? "";
  return findTopics(channel, query).map((topic) => ({
    insert: `#**${name}>${topic}** `,
    label: topicTitle(topic),
    hint: name,
    channel,
  }));
}

/** @param {string} name */
function emojiCompletion(name) {
  return { insert: `:${name}: `, label: name, hint: "", emoji: findEmoji(name) };
}

/** @param {string[]} names
 * @param {string} query
 * @param {(name: string) => Completion} toCompletion */
function wordCompletions(names, query, toCompletion) {
  return names
    .filter((name) => name.startsWith(query))
    .slice(0, MAX_COMPLETIONS)
    .map(toCompletion);
}

/** Whether the text mentions everyone in the channel.
 * @param {string} text
 * @returns {"everyone" | undefined} */
export function mentionsEveryone(text) {
  return /(^|[^\w`])@\*\*(all|everyone|channel|stream)\*\*/.test(text) ? "everyone" : undefined;
}
