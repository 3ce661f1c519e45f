/** Routes: what an address behind `#` means. */

import { isSpectator, setting } from "./session.js";
import { channelIn, conversationIn, operandOf, parseNarrow } from "./narrow.js";

/** @typedef {import("./narrow.js").Term} Term */
/** @typedef {{view: string, hash: string, terms: Term[], near?: number, channel?: number,
 *   conversation?: import("./conversations.js").Conversation, rest: string[], draft?: string}} Route
 *   `rest` are the parts of the address after the view's name */

/** Views that are dialogs, opened over the view that is shown. */
export const DIALOG_VIEWS = new Set([
  "settings",
  "organization",
  "user",
  "channels",
  "groups",
  "keyboard-shortcuts",
  "message-formatting",
  "search-operators",
  "about-zulip",
  "invite",
  "drafts",
  "later",
  "scheduled",
  "reminders",
  "members",
  "new",
  "share",
  "streams",
]);

/** All messages that are not muted; spectators have nothing muted. */
function feedTerms() {
  return isSpectator() ? [] : [{ operator: "in", operand: "home" }];
}

/** @param {string} hash with its `#`, or nothing
 * @returns {Route} */
export function parseRoute(hash) {
  const path = hash.replace(/^#/, "");
  const [view, ...rest] = path.split("/");
  if (view === "narrow") return narrowRoute(hash, parseNarrow(rest.join("/")));
  if (view === "topics" && rest[0] === "channel") {
    const channel = Number(/^\d+/.exec(rest[1] ?? "")?.[0]);
    return { view: "topics", hash, terms: [{ operator: "channel", operand: channel }], channel, rest };
  }
  if (view === "feed" || view === "all_messages") return { view: "talk", hash, terms: feedTerms(), rest };
  if (view === "search") return { view: "search", hash, terms: [], rest };
  if (view === "recent" || view === "recent_topics") return { view: "recent", hash, terms: [], rest };
  if (view === "inbox" && !isSpectator()) return { view: "inbox", hash, terms: [], rest };
  if (DIALOG_VIEWS.has(view)) return { view, hash, terms: [], rest };
  return parseRoute(homeHash());
}

const NO_CONDITIONS = new Set(["near", "call", "ended", "answer"]);

/** The home view, as the person has set it. */
export function homeHash() {
  const home = isSpectator() ? "recent" : setting("web_home_view");
  return home === "recent_topics" || home === "recent" ? "#recent" : home === "all_messages" ? "#feed" : "#inbox";
}

/** @param {string} hash
 * @param {Term[]} terms
 * @returns {Route} */
function narrowRoute(hash, terms) {
  const near = Number(operandOf(terms, "near")) || undefined;
  const filtered = terms.filter(({ operator }) => !NO_CONDITIONS.has(operator));
  const [conversation, channel] = [conversationIn(filtered), channelIn(filtered)];
  const isSearch = filtered.length > 0 && !conversation && channel === undefined && !isNamedView(filtered);
  return { view: isSearch ? "search" : "talk", hash, terms: filtered, near, rest: [], conversation, channel };
}

/** Whether the terms are those of a view with its own name, and not a search.
 * @param {Term[]} terms */
function isNamedView(terms) {
  if (terms.length !== 1 || terms[0].negated) return false;
  const [{ operator, operand }] = terms;
  return (
    (operator === "is" && ["mentioned", "starred", "followed", "dm"].includes(String(operand))) ||
    (operator === "in" && operand === "home")
  );
}
