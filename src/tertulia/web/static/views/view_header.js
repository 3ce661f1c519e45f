/** What stands over a view of messages, and in it when there are none. */

import { channels, channelName } from "../state/channels.js";
import { isInChannel, isResolved, titleOf } from "../state/conversations.js";
import { h, icon, iconButton } from "../core/html.js";
import { drop, presenceWords } from "./avatars.js";
import { isSpectator, myId } from "../state/session.js";
import { hashOf, searchText, topicsHash } from "../state/narrow.js";
import { emptiness, wayOn } from "./layout.js";
import { isFollowed } from "../state/topics.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Place} Place */

/** @param {Place} place
 * @returns {import("./layout.js").Heading} */
export function headingOf(place) {
  const { conversation, channel, terms } = place;
  const search = iconButton("search", say("head.search-here"), { "data-do": "search-here", "data-key": "search" });
  const more = iconButton("more", say("head.more"), { "data-do": "view-menu", "data-key": "more", "aria-haspopup": "menu" });
  if (conversation && isInChannel(conversation)) {
    const isDone = isResolved(conversation.topic);
    const follows = isFollowed(conversation.channel, conversation.topic);
    const resolve = iconButton("check", say(isDone ? "head.unresolve" : "head.resolve"), { "data-do": "resolve", "aria-pressed": String(isDone), class: "not-phone", "data-key": "resolve" });
    const follow = iconButton("bell", say(follows ? "head.following" : "head.follow"), { "data-do": "follow", "aria-pressed": String(follows), class: "not-phone", "data-key": "follow" });
    const people = iconButton("people", say("head.people"), { "data-do": "people", class: "not-phone", "data-key": "people" });
    const over = [drop(conversation.channel), h("a", { href: topicsHash(conversation.channel) }, channelName(conversation.channel))];
    if (isDone) over.push(h("span", {}, "·"), icon("check", "s"), h("span", {}, say("talk.resolved")));
    return { title: titleOf(conversation), over, tools: isSpectator() ? [search] : [resolve, follow, search, people, more] };
  }
  if (conversation) {
    const [only] = conversation.people;
    const isAlone = conversation.people.length === 1;
    const over = [icon("chat", "s"), h("span", {}, isAlone ? (only === myId() ? say("talk.notes") : presenceWords(only)) : say("talk.direct"))];
    const profile = isAlone && iconButton("people", say("head.profile"), { "data-do": "profile", "data-person": only, "data-key": "profile" });
    return { title: titleOf(conversation), over, tools: [search, profile, more] };
  }
  if (channel) {
    const known = channels.get(channel);
    const topics = h("a", { class: "b not-phone", href: topicsHash(channel) }, icon("list", "s"), say("head.topics"));
    const over = [drop(channel), h("span", {}, say("channel.over", { count: known?.subscriber_count ?? 0 }))];
    const settings = iconButton("gear", say("head.channel-settings"), { "data-do": "channel-settings", "data-channel": channel, "data-key": "gear" });
    return { title: channelName(channel), over, tools: isSpectator() ? [topics] : [topics, search, settings, more], isHome: true };
  }
  return { title: say(viewName(terms)), tools: [search], isHome: true };
}

/** @param {import("../state/narrow.js").Term[]} terms */
export function viewName(terms) {
  const only = terms.length === 1 ? terms[0] : { operator: "", operand: "" };
  if (only.operator === "is") return `view.${only.operand}`;
  return "view.feed";
}

/** Ways to look for less.
 * @param {import("../state/narrow.js").Term[]} terms */
function withoutOne(terms) {
  const spare = terms.length > 1 ? terms.filter((term) => term.operator !== "search").slice(0, 3) : [];
  return spare.map((term) => wayOn(hashOf(terms.filter((each) => each !== term)), say("search.without", { what: searchText([term]) }), "search"));
}

/** @param {Place} place */
export function nothingHere(place) {
  if (place.conversation && isInChannel(place.conversation)) return emptiness(say("empty.topic"), say("empty.topic-text"));
  if (place.conversation) return emptiness(say("empty.direct"), say("empty.direct-text", { name: titleOf(place.conversation) }));
  if (place.channel) return emptiness(say("empty.channel"), say("empty.topic-text"));
  if (place.view === "search") return emptiness(say("search.nothing"), say("search.nothing-text"), ...withoutOne(place.terms));
  return emptiness(say("empty.view"), say(`empty.${viewName(place.terms).slice(5)}-text`), wayOn("#recent", say("inbox.recent"), "clock"));
}
