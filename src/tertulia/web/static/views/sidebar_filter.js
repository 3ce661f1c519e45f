/** The filter of the sidebar: people, channels and topics whose name contains what is typed. */

import { avatar, badge, channelDot, statusEmoji } from "./avatars.js";
import { h, icon, iconButton } from "../core/html.js";
import { focusView } from "../core/router.js";
import { t } from "../core/i18n.js";
import { channels } from "../state/channels.js";
import { destinationHash, findDestinations, matchedPieces } from "../state/destinations.js";
import { hashOf } from "../state/narrow.js";
import { parseSearch } from "../state/search_terms.js";
import { channelTotals, mentionsIn, unreadCount } from "../state/unread.js";
import { hasChannelsToJoin } from "../state/write_access.js";

/** @typedef {import("../state/destinations.js").Destination} Destination */

const MAX_PEOPLE = 8;
const MAX_CHANNELS = 20;
const MAX_TOPICS = 8;

let sidebarFilter = "";

export function isFiltering() {
  return sidebarFilter !== "";
}

/** @param {() => void} draw draws the sidebar again
 * @returns {HTMLElement} */
export function filterField(draw) {
  const input = h("input", {
    type: "search",
    "aria-label": t("filter.label"),
    placeholder: t("filter.title"),
    "data-key": "filter",
    autocomplete: "off",
    spellcheck: "false",
    "aria-keyshortcuts": "q",
  });
  const key = h("kbd", { "aria-hidden": "true" }, "Q");
  const clear = iconButton("close", t("filter.clear"), { hidden: true });
  const update = () => {
    sidebarFilter = input.value.trim();
    clear.hidden = !sidebarFilter;
    key.hidden = sidebarFilter !== "";
    draw();
  };
  clear.addEventListener("click", () => {
    input.value = "";
    update();
    input.focus();
  });
  input.addEventListener("input", update);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.value = "";
      update();
      focusView();
    } else if (event.key === "Enter") {
      const first = document.querySelector(".side nav .sect .row");
      if (!(first instanceof HTMLAnchorElement)) return;
      location.hash = first.hash;
      input.value = "";
      update();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return h("div", { class: "filter" }, icon("filter", "s"), input, key, clear);
}

/** What is found, in place of the sections.
 * @returns {import("./keyed_children.js").KeyedChild[]} */
export function filterSections() {
  const people = findDestinations(`@${sidebarFilter}`, MAX_PEOPLE);
  const found = findDestinations(`#${sidebarFilter}`, MAX_CHANNELS).filter(
    ({ channel }) => channels.get(channel ?? 0)?.subscribed,
  );
  const topics = findDestinations(`>${sidebarFilter}`, MAX_TOPICS);
  const search = hashOf(parseSearch(sidebarFilter));
  const link = (/** @type {string} */ extra) =>
    h("a", { href: search, class: extra, "data-key": "search" }, t("filter.search", { text: sidebarFilter }));
  if (!people.length && !found.length && !topics.length) {
    const nothing = () =>
      h(
        "div",
        { class: "none big" },
        h("p", { role: "status" }, t("filter.nothing", { text: sidebarFilter })),
        link(""),
        hasChannelsToJoin() && h("a", { href: "#channels" }, t("filter.browse")),
      );
    return [{ key: "nothing", data: [sidebarFilter], build: nothing }];
  }
  return [
    ...foundSection("directs", t("view.dm"), people),
    ...foundSection("channels", t("view.channels"), found),
    ...foundSection("topics", t("view.topics"), topics),
    { key: "search", data: [sidebarFilter], build: () => h("div", { class: "none" }, icon("search", "s"), link("")) },
  ];
}

/** @param {string} key
 * @param {string} title
 * @param {Destination[]} found
 * @returns {import("./keyed_children.js").KeyedChild[]} */
function foundSection(key, title, found) {
  if (!found.length) return [];
  const data = [sidebarFilter, ...found.flatMap((each) => [each.key, each.name, foundCount(each).count])];
  return [
    {
      key: `found-${key}`,
      data,
      build: () =>
        h(
          "div",
          { class: "sect" },
          h(
            "details",
            { open: true },
            h("summary", { "data-key": `found-${key}` }, icon("down", "s"), h("span", { class: "cut" }, title)),
            h("ul", {}, ...found.map(foundRow)),
          ),
        ),
    },
  ];
}

/** @param {Destination} destination */
function foundRow(destination) {
  const { kind, key, name, people, channel } = destination;
  const { count, isMention } = foundCount(destination);
  const pieces = matchedPieces(name, sidebarFilter).map((piece, at) =>
    at % 2 ? h("b", { class: "m" }, piece) : piece,
  );
  const lead = people ? avatar(people[0], { presence: kind === "person" }) : channelDot(channel ?? 0);
  const data = {
    "data-key": key,
    "data-channel": channel,
    "data-topic": destination.topic,
    "data-people": people?.join(","),
  };
  const row = h(
    "a",
    {
      class: `row ${count ? "unread" : ""} ${destination.isLast ? "muted" : ""}`,
      href: destinationHash(destination),
      ...data,
    },
    lead,
    h("span", { class: "t cut" }, h("bdi", {}, ...pieces), kind === "person" && statusEmoji(people?.[0] ?? 0, " ")),
    badge(count, { isMention }),
  );
  const more = iconButton("more", t("side.more-for", { name }), {
    class: "rm",
    "data-do": "row-menu",
    "aria-haspopup": "menu",
  });
  return h("li", { class: "has-more" }, row, more);
}

/** @param {Destination} destination */
function foundCount({ people, channel, topic }) {
  if (people) return { count: unreadCount({ people }), isMention: true };
  if (channel === undefined) return { count: 0, isMention: false };
  if (topic !== undefined)
    return { count: unreadCount({ channel, topic }), isMention: mentionsIn({ channel, topic }) > 0 };
  const { unread = 0, mentions = 0 } = channelTotals().get(channel) ?? {};
  return { count: mentions || unread, isMention: mentions > 0 };
}
