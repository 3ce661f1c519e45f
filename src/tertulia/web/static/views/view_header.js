/** The header of a message view, and the text of an empty one. */

import { channels, channelName } from "../state/channels.js";
import { fullTitle, isInChannel, isResolved, titleOf } from "../state/conversations.js";
import { h, icon, iconButton } from "../core/html.js";
import { channelDot, presenceText } from "./avatars.js";
import { isSpectator, myId, realm } from "../state/session.js";
import { getPerson } from "../state/people.js";
import { closedReason } from "../state/write_access.js";
import { conversationIn, hashOf, searchText, topicsHash } from "../state/narrow.js";
import { emptyState, actionLink, region } from "./layout.js";
import { isFollowed } from "../state/topics.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Route} Route */

/** @param {Route} route
 * @returns {import("./layout.js").Header} */
export function viewHeader(route) {
  const { conversation, channel, terms } = route;
  const search = iconButton("search", t("head.search-here"), { "data-do": "search-here", "data-key": "search" });
  const more = iconButton("more", t("head.more"), {
    "data-do": "view-menu",
    "data-key": "more",
    "aria-haspopup": "menu",
  });
  const call =
    !isSpectator() &&
    Number(realm("max_call_people")) > 0 &&
    iconButton("phone", t("head.call"), { "data-do": "start-call", "data-key": "call" });
  if (isUnknownChannel(route)) return { title: t("channel.unknown"), isHome: true };
  if (conversation && isInChannel(conversation)) {
    const isDone = isResolved(conversation.topic);
    const follows = isFollowed(conversation.channel, conversation.topic);
    const resolve = iconButton("check", t(isDone ? "head.unresolve" : "head.resolve"), {
      "data-do": "resolve",
      "aria-pressed": String(isDone),
      class: "not-phone",
      "data-key": "resolve",
    });
    const follow = iconButton("bell", t(follows ? "head.following" : "head.follow"), {
      "data-do": "follow",
      "aria-pressed": String(follows),
      class: "not-phone",
      "data-key": "follow",
    });
    const people = iconButton("people", t("head.people"), {
      "data-do": "people",
      class: "not-phone",
      "data-key": "people",
      "aria-expanded": String(region(".app").classList.contains("with-people")),
    });
    const over = [
      channelDot(conversation.channel),
      h("a", { href: topicsHash(conversation.channel) }, channelName(conversation.channel)),
    ];
    if (isDone) over.push(h("span", {}, "·"), icon("check", "s"), h("span", {}, t("talk.resolved")));
    const isArchived = channels.get(conversation.channel)?.is_archived;
    return {
      title: titleOf(conversation),
      over,
      tools: isSpectator()
        ? [search]
        : [!isArchived && call, !isArchived && resolve, !isArchived && follow, search, people, more],
    };
  }
  if (conversation) {
    const [only] = conversation.people;
    const isAlone = conversation.people.length === 1;
    const over = [
      icon("chat", "s"),
      h(
        "span",
        {},
        isAlone
          ? only === myId()
            ? t("talk.notes")
            : getPerson(only).is_active
              ? presenceText(only)
              : t("view.dm")
          : t("view.dm"),
      ),
    ];
    const profile =
      isAlone &&
      iconButton("people", t("head.profile"), { "data-do": "profile", "data-person": only, "data-key": "profile" });
    return { title: titleOf(conversation), over, tools: [call, search, profile, more] };
  }
  if (channel) {
    const info = channels.get(channel);
    const topics = h("a", { class: "b not-phone", href: topicsHash(channel) }, icon("list", "s"), t("view.topics"));
    const over = [channelDot(channel), h("span", {}, t("channel.over", { count: info?.subscriber_count ?? 0 }))];
    const settings = iconButton("gear", t("head.channel-settings"), {
      "data-do": "channel-settings",
      "data-channel": channel,
      "data-key": "gear",
    });
    return {
      title: channelName(channel),
      over,
      tools: isSpectator() ? [topics] : [topics, search, settings, more],
      isHome: true,
    };
  }
  return { title: t(viewName(terms)), tools: [search], isHome: true };
}

/** Whether the route is in a channel that does not exist, or that the person may not see.
 * @param {Route} route */
export function isUnknownChannel({ channel, conversation }) {
  const id = conversation && isInChannel(conversation) ? conversation.channel : channel;
  return id !== undefined && !channels.has(id);
}

/** The route's title in the browser's tab.
 * @param {Route} route */
export function routeTitle(route) {
  const conversation = conversationIn(route.terms);
  if (conversation && route.view === "talk") return fullTitle(conversation);
  if (route.channel) return channelName(route.channel);
  if (route.view === "talk") return t(viewName(route.terms));
  return t(`view.${route.view}`);
}

/** @param {import("../state/narrow.js").Term[]} terms
 * @returns {`view.${string}`} */
export function viewName(terms) {
  const only = terms.length === 1 ? terms[0] : { operator: "", operand: "" };
  if (only.operator === "is") return `view.${only.operand}`;
  return "view.feed";
}

/** Links to the same search without one of its terms.
 * @param {import("../state/narrow.js").Term[]} terms */
function broaderSearches(terms) {
  const removable = terms.length > 1 ? terms.filter((term) => term.operator !== "search").slice(0, 3) : [];
  return removable.map((term) =>
    actionLink(
      hashOf(terms.filter((each) => each !== term)),
      t("search.without", { what: searchText([term]) }),
      "search",
    ),
  );
}

/** @param {Route} route */
export function emptyView(route) {
  if (route.conversation && closedReason(route.conversation)) return emptyState(t("empty.channel"), "");
  if (route.conversation && isInChannel(route.conversation)) return emptyState(t("empty.new"), t("empty.topic-text"));
  if (route.conversation)
    return emptyState(t("empty.new"), t("empty.direct-text", { name: titleOf(route.conversation) }));
  if (route.channel) return emptyState(t("empty.channel"), t("empty.topic-text"));
  if (route.view === "search")
    return emptyState(t("search.nothing"), t("search.nothing-text"), ...broaderSearches(route.terms));
  return emptyState(
    t("empty.view"),
    t(`empty.${viewName(route.terms).slice(5)}-text`),
    actionLink("#recent", t("inbox.recent"), "clock"),
  );
}
