/** Narrows: which messages a view shows, as terms and as an address behind `#`. The addresses are the same as
 * Zulip's, so that links in mails and apps work. */

import { channelName, findChannel, channels } from "./channels.js";
import { directWith, isInChannel, participantIds } from "./conversations.js";
import { isSpectator, myId } from "./session.js";
import { people } from "./people.js";
import { normalizeText } from "./name_match.js";
import { isFollowed, isTopicMuted } from "./topics.js";

/** @typedef {{operator: string, operand: string | number | number[], negated?: boolean}} Term */
/** @typedef {import("./conversations.js").Conversation} Conversation */
/** @typedef {import("./messages.js").Message} Message */

/** @type {Record<string, string>} */
export const OPERATOR_ALIASES = {
  stream: "channel",
  streams: "channels",
  subject: "topic",
  "pm-with": "dm",
  from: "sender",
  "group-pm-with": "dm-including",
};
const ONE_PERSON = new Set(["sender", "mentions", "dm-including"]); // operators with one person as the operand

/** @param {string} text */
export function encodeHash(text) {
  return encodeURIComponent(text).replaceAll(
    /[%().]/g,
    (sign) => ({ "%": ".", "(": ".28", ")": ".29", ".": ".2E" })[sign] ?? sign,
  );
}

/** @param {string} text */
export function decodeHash(text) {
  try {
    return decodeURIComponent(text.replaceAll(".", "%"));
  } catch {
    return text;
  }
}

/** @param {number} id */
export function channelSlug(id) {
  return `${id}-${encodeHash(channelName(id).replaceAll(" ", "-"))}`;
}

/** @param {number[]} ids */
export function peopleSlug(ids) {
  const suffix =
    ids.length === 1 ? encodeHash((people.get(ids[0])?.full_name ?? "dm").replaceAll(/[ "%/<>`\\]+/g, "-")) : "group";
  return `${ids.join(",")}-${suffix}`;
}

/** The address of a narrow, with its `#`.
 * @param {Term[]} terms */
export function hashOf(terms) {
  return "#narrow" + terms.map((term) => `/${term.negated ? "-" : ""}${term.operator}/${operandSlug(term)}`).join("");
}

/** @param {Conversation} conversation
 * @param {number} [near] a message in it to scroll to */
export function conversationHash(conversation, near) {
  return hashOf([...termsOf(conversation), ...(near ? [{ operator: "near", operand: near }] : [])]);
}

/** @param {number} channel */
export function channelHash(channel) {
  return `#narrow/channel/${channelSlug(channel)}`;
}

/** @param {number} channel */
export function topicsHash(channel) {
  return `#topics/channel/${channelSlug(channel)}`;
}

/** @param {Conversation} conversation
 * @returns {Term[]} */
export function termsOf(conversation) {
  if (!isInChannel(conversation)) return [{ operator: "dm", operand: conversation.people }];
  return [
    { operator: "channel", operand: conversation.channel },
    { operator: "topic", operand: conversation.topic },
  ];
}

/** Terms from an address behind `#narrow/`.
 * @param {string} path
 * @returns {Term[]} */
export function parseNarrow(path) {
  const parts = path.split("/");
  const terms = [];
  for (let at = 0; at + 1 < parts.length || (at < parts.length && parts[at]); at += 2) {
    const negated = parts[at].startsWith("-");
    const word = decodeHash(negated ? parts[at].slice(1) : parts[at]);
    const operator = OPERATOR_ALIASES[word] ?? word;
    terms.push(makeTerm(operator, decodeHash(parts[at + 1] ?? ""), negated));
  }
  return terms;
}

/** The conversation that the terms select, if they select exactly one.
 * @param {Term[]} terms
 * @returns {Conversation | undefined} */
export function conversationIn(terms) {
  const rest = terms.filter((term) => term.operator !== "near" && term.operator !== "with");
  if (rest.some((term) => term.negated)) return undefined;
  if (rest.length === 1 && rest[0].operator === "dm") return directWith(/** @type {number[]} */ (rest[0].operand));
  const channel = operandOf(rest, "channel");
  const topic = operandOf(rest, "topic");
  if (rest.length === 2 && channel !== undefined && topic !== undefined)
    return { channel: Number(channel), topic: String(topic) };
  return undefined;
}

/** The channel that the terms select, if they select exactly one.
 * @param {Term[]} terms
 * @returns {number | undefined} */
export function channelIn(terms) {
  const rest = terms.filter((term) => term.operator !== "near");
  return rest.length === 1 && rest[0].operator === "channel" && !rest[0].negated ? Number(rest[0].operand) : undefined;
}

/** @param {Term[]} terms
 * @param {string} operator
 * @returns {Term["operand"] | undefined} */
export function operandOf(terms, operator) {
  return terms.find((term) => term.operator === operator)?.operand;
}

/** Terms as the API reads them, without the position (`near`).
 * @param {Term[]} terms */
export function termsForApi(terms) {
  const apiTerms = terms.filter((term) => term.operator !== "near");
  if (isSpectator()) apiTerms.push({ operator: "channels", operand: "web-public" });
  return apiTerms.map(({ operator, operand, negated = false }) => ({ operator, operand, negated }));
}

/** Whether a message matches all terms; undefined if only the server can tell.
 * @param {Term[]} terms
 * @param {Message} message
 * @returns {boolean | undefined} */
export function matchesTerms(terms, message) {
  let verdict = /** @type {boolean | undefined} */ (true);
  for (const term of terms) {
    const result = matchesTerm(term, message);
    if (result === undefined) verdict = undefined;
    else if (result === Boolean(term.negated)) return false;
  }
  return verdict;
}

/** Terms as text of the search field.
 * @param {Term[]} terms */
export function searchText(terms) {
  return terms.map((each) => (each.operator === "search" ? String(each.operand) : termText(each))).join(" ");
}

/** @param {Term} each */
export function termText(each) {
  let text = String(each.operand);
  if (each.operator === "channel" && typeof each.operand === "number") text = channelName(each.operand) || text;
  if (Array.isArray(each.operand)) text = each.operand.map((id) => people.get(id)?.full_name ?? id).join(",");
  if (ONE_PERSON.has(each.operator)) text = people.get(Number(each.operand))?.full_name ?? text;
  const word = each.operator === "sender" ? "from" : each.operator;
  return `${each.negated ? "-" : ""}${word}:${text.includes(" ") ? `"${text}"` : text}`;
}

/** @param {string} operator
 * @param {string} operand
 * @param {boolean} negated
 * @returns {Term} */
export function makeTerm(operator, operand, negated) {
  return { operator, operand: parseOperand(operator, operand), ...(negated && { negated }) };
}

/** @param {string} operator
 * @param {string} operand
 * @returns {Term["operand"]} */
function parseOperand(operator, operand) {
  if (operator === "channel") return parseChannel(operand);
  if (operator === "dm") {
    const ids = parsePeople(operand);
    return ids.length || !operand ? ids : operand;
  }
  if (operator === "near" || operator === "with" || operator === "id") return Number(operand) || operand;
  if (ONE_PERSON.has(operator)) return parsePeople(operand)[0] ?? operand;
  if (operator === "is" && operand === "private") return "dm";
  return operator === "search" ? operand.replaceAll("+", " ") : operand;
}

/** @param {string} operand `7-kitchen`, or a name
 * @returns {string | number} */
function parseChannel(operand) {
  const named = findChannel(operand) ?? findChannel(operand.replaceAll("-", " "));
  const id = Number(/^(\d+)(-|$)/.exec(operand)?.[1]);
  if (id && (channels.has(id) || !named)) return id;
  return named?.stream_id ?? operand;
}

/** @param {string} operand `8,9-group`, names or addresses
 * @returns {number[]} */
function parsePeople(operand) {
  const ids = /^(\d+(?:,\d+)*)(-|$)/.exec(operand);
  if (ids) return ids[1].split(",").map(Number);
  return operand.split(",").flatMap((text) => {
    const name = normalizeText(text.trim());
    if (name === "me") return [myId()];
    const id = Number(/^user(\d+)@/.exec(name)?.[1]); // stands in for an address that is not visible
    if (people.has(id)) return [id];
    const found = [...people.values()].find((person) =>
      [person.full_name, person.email, person.delivery_email].some((each) => each && normalizeText(each) === name),
    );
    return found ? [found.user_id] : [];
  });
}

/** @param {Term} term */
function operandSlug({ operator, operand }) {
  if (operator === "channel" && typeof operand === "number") return channelSlug(operand);
  if (Array.isArray(operand)) return peopleSlug(operand);
  return encodeHash(String(operand));
}

/** @param {Term} term
 * @param {Message} message
 * @returns {boolean | undefined} */
function matchesTerm({ operator, operand }, message) {
  const isChannel = message.type === "stream";
  if (operator === "near" || operator === "with") return true;
  if (operator === "channel") return isChannel && message.stream_id === operand;
  if (operator === "topic") return isChannel && message.subject.toLowerCase() === String(operand).toLowerCase();
  if (operator === "sender") return message.sender_id === operand;
  if (operator === "id") return message.id === operand;
  if (operator === "dm" && Array.isArray(operand)) {
    if (isChannel) return false;
    return directWith(participantIds(message)).people.join() === directWith(operand).people.join();
  }
  if (operator === "is") return matchesIs(String(operand), message);
  if (operator === "in" && operand === "home") {
    return !isChannel || message.flags.includes("mentioned") || !isTopicMuted(message.stream_id, message.subject);
  }
  return undefined;
}

/** @param {string} what
 * @param {Message} message
 * @returns {boolean | undefined} */
function matchesIs(what, message) {
  if (what === "dm") return message.type === "private";
  if (what === "starred") return message.flags.includes("starred");
  if (what === "mentioned") return message.flags.includes("mentioned") || message.flags.includes("wildcard_mentioned");
  if (what === "alerted") return message.flags.includes("has_alert_word");
  if (what === "unread") return !message.flags.includes("read");
  if (what === "followed") return message.type === "stream" && isFollowed(message.stream_id, message.subject);
  if (what === "resolved") return message.type === "stream" && message.subject.startsWith("✔ ");
  return undefined;
}
