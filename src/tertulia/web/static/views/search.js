/** Search: the field with suggestions for operators and values, and the view of the results. */

import { channelName, channels, myChannels } from "../state/channels.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { myId } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { decodeHash, hashOf, searchText } from "../state/narrow.js";
import { datesLike, daysAgo, isoDate, parseSearch } from "../state/search_terms.js";
import { nearestNames, unknownName } from "../state/unknown_names.js";
import { people } from "../state/people.js";
import { focusView } from "../core/router.js";
import { nextFrame } from "../core/signals.js";
import { actionLink, emptyState, resetBody, resetFooter, region } from "./layout.js";
import { showMessageView } from "./message_view.js";
import { normalizeText } from "../state/name_match.js";
import { currentLanguage, t } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Route} Route */
/** @typedef {{text: string, hint: string}} Completion `text` replaces the last word */

const OPERATORS = [
  "channel:",
  "topic:",
  "from:",
  "dm:",
  "before:",
  "after:",
  "is:starred",
  "is:mentioned",
  "is:unread",
  "is:followed",
  "is:resolved",
  "is:dm",
  "has:image",
  "has:link",
  "has:attachment",
  "has:reaction",
  "channels:public",
  "id:",
  "near:",
];

/** @param {Route} route
 * @param {import("../core/scope.js").Scope} scope
 * @returns {Promise<import("../core/router.js").View>} */
export async function showSearch(route, scope) {
  const field = searchField();
  // the person searched here, and may go on typing
  const hadFocus = document.activeElement?.matches('.head input[type="search"]');
  field.input.value = route.terms.length ? searchText(route.terms) : decodeHash(route.rest[0] ?? "");
  const back = iconButton("back", t("side.back"), { "data-do": "back", flip: true });
  back.classList.add("only-phone");
  setChildren(
    region(".head"),
    back,
    h("h1", { class: "hidden", id: "title", tabindex: -1 }, t("search.title")),
    field.frame,
  );
  if (hadFocus) field.input.focus();
  if (!route.terms.length) {
    resetBody(searchTips()).tabIndex = 0; // it has no control to scroll it by keyboard
    resetFooter();
    field.input.focus();
    return {};
  }
  const unknown = unknownName(route.terms);
  if (unknown) {
    resetBody(unknownNameState(unknown, route.terms));
    resetFooter();
    return {};
  }
  const view = await showMessageView({ ...route, conversation: undefined, channel: undefined }, scope, null);
  if (scope.isClosed) return view;
  const line = h("div", { class: "sub found-line" });
  const draw = () => setChildren(line, ...resultSummary(route.terms, view));
  view.body.classList.add("found");
  view.body.prepend(line);
  view.list.keepPosition(draw);
  scope.on(
    ["lists", "reset", "connection"],
    nextFrame(() => {
      if (!scope.isClosed) view.list.keepPosition(draw);
    }),
  );
  return view;
}

/** The text of a search for a name that is unknown, with links to the nearest ones.
 * @param {NonNullable<ReturnType<typeof unknownName>>} unknown
 * @param {import("../state/narrow.js").Term[]} terms */
function unknownNameState({ kind, name, term }, terms) {
  const byName =
    kind === "person"
      ? new Map(
          [...people.values()].filter((person) => person.is_active).map((person) => [person.full_name, person.user_id]),
        )
      : new Map([...channels.values()].map((channel) => [channel.name, channel.stream_id]));
  const operandOf = (/** @type {string} */ each) =>
    term.operator === "dm" ? [byName.get(each) ?? 0] : (byName.get(each) ?? 0);
  const nearest = nearestNames(name, [...byName.keys()]);
  const links = nearest.map((each) =>
    actionLink(hashOf(terms.map((one) => (one === term ? { ...one, operand: operandOf(each) } : one))), each, "search"),
  );
  return emptyState(
    t(kind === "person" ? "search.no-person" : "search.no-channel", { name }),
    t(nearest.length ? "search.nearest" : "search.no-nearest"),
    ...links,
  );
}

/** The number of results, and links that narrow or widen the search.
 * @param {import("../state/narrow.js").Term[]} terms
 * @param {import("./message_view.js").MessageView} view */
function resultSummary(terms, view) {
  const { ids, isLoaded, hasOldest: foundOldest, hasNewest: foundNewest } = view.messages;
  if (!isLoaded) return [];
  const isAll = foundOldest && foundNewest;
  const count = t(isAll ? "search.found" : "search.found-more", { count: ids.length });
  const narrowing = [
    ...topChannels(ids).map((channel) => ({ operator: "channel", operand: channel })),
    { operator: "has", operand: "image" },
    { operator: "has", operand: "link" },
    { operator: "sender", operand: myId() },
  ];
  const isChosen = (/** @type {import("../state/narrow.js").Term} */ one) =>
    terms.some(
      (term) => term.operator === one.operator && String(term.operand) === String(one.operand) && !term.negated,
    );
  const words = (/** @type {import("../state/narrow.js").Term} */ one) =>
    one.operator === "channel"
      ? channelName(Number(one.operand))
      : t(`search.only-${one.operator === "sender" ? "mine" : one.operand}`);
  const others = terms.filter(
    (term) => !narrowing.some((one) => one.operator === term.operator && String(one.operand) === String(term.operand)),
  );
  const chip = (
    /** @type {string} */ text,
    /** @type {import("../state/narrow.js").Term[]} */ wantedTerms,
    /** @type {boolean} */ isOn,
  ) => h("a", { class: "chip", href: hashOf(wantedTerms), "aria-current": isOn && "true" }, h("bdi", {}, text));
  return [
    h("span", { role: "status" }, count),
    h("span", { class: "end" }),
    others.length > 0 && chip(t("search.everywhere"), others, others.length === terms.length),
    ...narrowing.map((one) =>
      chip(
        words(one),
        isChosen(one)
          ? terms.filter((term) => !(term.operator === one.operator && String(term.operand) === String(one.operand)))
          : [...terms.filter((term) => term.operator !== one.operator || one.operator === "has"), one],
        isChosen(one),
      ),
    ),
  ];
}

/** The two channels with the most results.
 * @param {number[]} ids
 * @returns {number[]} */
function topChannels(ids) {
  const counts = new Map();
  for (const id of ids) {
    const message = findMessage(id);
    if (message?.type === "stream") counts.set(message.stream_id, (counts.get(message.stream_id) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 2)
    .map(([channel]) => channel);
}

/** @returns {{frame: HTMLElement, input: HTMLInputElement}} */
function searchField() {
  const id = "search-offers";
  const input = h("input", {
    type: "search",
    "aria-label": t("search.title"),
    placeholder: t("search.title"),
    "aria-autocomplete": "list",
    "aria-controls": id,
    autocomplete: "off",
    spellcheck: "false",
    enterkeyhint: "search",
  });
  const list = h("ul", { class: "offer", role: "listbox", id, "aria-label": t("offers.name"), hidden: true });
  const frame = h("form", { class: "big-find", role: "search", autocomplete: "off" }, icon("search"), input, list);
  let chosen = -1;
  /** @type {Completion[]} */
  let suggestions = [];
  const show = () => {
    const isWanted = document.activeElement === input && input.value; // the empty view shows the same as tips
    suggestions = isWanted ? suggestionsFor(input.value) : [];
    chosen = Math.min(chosen, suggestions.length - 1);
    list.hidden = !suggestions.length;
    setChildren(
      list,
      ...suggestions.map((suggestion, at) =>
        h(
          "li",
          {
            role: "option",
            id: `${id}-${at}`,
            "aria-selected": String(at === chosen),
            onpointerdown: (/** @type {Event} */ event) => {
              event.preventDefault();
              take(suggestion);
            },
          },
          h("span", {}, suggestion.text),
          h("small", {}, suggestion.hint),
        ),
      ),
    );
    if (chosen >= 0) input.setAttribute("aria-activedescendant", `${id}-${chosen}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const take = (/** @type {Completion} */ suggestion) => {
    input.value = replaceLastWord(input.value, suggestion.text);
    chosen = -1;
    show();
  };
  input.addEventListener("input", () => {
    chosen = -1;
    show();
  });
  input.addEventListener("blur", () => {
    list.hidden = true;
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && list.hidden) {
      event.preventDefault();
      focusView();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + suggestions.length + 1) % (suggestions.length + 1);
      if (chosen === suggestions.length) chosen = -1;
      show();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      event.preventDefault();
      take(suggestions[chosen]);
    } else if (event.key === "Escape") {
      if (list.hidden) input.blur();
      list.hidden = true;
      chosen = -1;
    }
  });
  frame.addEventListener("submit", (event) => {
    event.preventDefault();
    list.hidden = true;
    const terms = parseSearch(completed(input.value).trim());
    if (!terms.length) return;
    if (matchMedia("(pointer: coarse)").matches) input.blur(); // its keyboard would cover the results
    location.hash = hashOf(terms);
  });
  return { frame, input };
}

/** The text, with the first suggestion for every word that names an unknown person or channel.
 * @param {string} text */
function completed(text) {
  return text.replace(
    /-?[a-z-]+:(?:"[^"]*"?|\S+)/gi,
    (word) => (unknownName(parseSearch(word)) && suggestionsFor(word)[0]?.text) || word,
  );
}

/** Suggestions for the last word.
 * @param {string} text
 * @returns {Completion[]} */
export function suggestionsFor(text) {
  const word = /(?:^|\s)(-?(?:[a-z-]+:)?(?:"[^"]*|\S*))$/i.exec(text)?.[1] ?? "";
  const [, sign, operator, typed] = /^(-?)(?:([a-z-]+):)?(.*)$/i.exec(word) ?? ["", "", "", ""];
  const start = normalizeText((typed ?? "").replaceAll('"', ""));
  if (operator === undefined) {
    if (!word) return OPERATORS.slice(0, 10).map((each) => ({ text: each, hint: hintOf(each) }));
    const fitting = OPERATORS.filter((each) => each.startsWith(start) || each.includes(`:${start}`));
    const peopleSuggestions =
      start.length > 1
        ? matchingPeople(start)
            .slice(0, 4)
            .map((name) => ({ text: withQuotes(`${sign}from:`, name), hint: t("search.from") }))
        : [];
    const channelSuggestions =
      start.length > 1
        ? matchingChannels(start)
            .slice(0, 3)
            .map((name) => ({ text: withQuotes(`${sign}channel:`, name), hint: t("search.channel") }))
        : [];
    const dates =
      start.length > 1
        ? datesLike(start)
            .slice(0, 1)
            .map(({ date, hint }) => ({ text: `${sign}after:${date}`, hint }))
        : [];
    return [
      ...fitting.slice(0, 5).map((each) => ({ text: sign + each, hint: hintOf(each) })),
      ...peopleSuggestions,
      ...channelSuggestions,
      ...dates,
    ];
  }
  const prefix = `${sign}${operator}:`;
  if (["from", "sender", "dm", "pm-with", "dm-including", "mentions"].includes(operator))
    return matchingPeople(start)
      .slice(0, 8)
      .map((name) => ({ text: withQuotes(prefix, name), hint: t("search.person") }));
  if (["channel", "stream", "in"].includes(operator))
    return matchingChannels(start)
      .slice(0, 8)
      .map((name) => ({ text: withQuotes(prefix, name), hint: t("search.channel") }));
  if (operator === "before" || operator === "after")
    return dateSuggestions(start).map(({ date, hint }) => ({ text: prefix + date, hint }));
  return OPERATORS.filter((each) => each.startsWith(`${operator}:${start}`) && each !== `${operator}:`).map((each) => ({
    text: sign + each,
    hint: hintOf(each),
  }));
}

/** Dates to choose from, as `2026-11-01`, with how long ago they are.
 * @param {string} start of the date, or of its name
 * @returns {{date: string, hint: string}[]} */
function dateSuggestions(start) {
  const relative = new Intl.RelativeTimeFormat(currentLanguage(), { numeric: "auto" });
  const usual = [0, 1, 7, 30, 365].map((days) => ({
    date: isoDate(daysAgo(days)),
    hint: relative.format(-days, "day"),
  }));
  return /^[\d-]{3,}$|^$/.test(start)
    ? usual.filter(({ date }) => date.startsWith(start))
    : datesLike(start).slice(0, 5);
}

/** @param {string} text
 * @param {string} replacement */
function replaceLastWord(text, replacement) {
  const beginning = text.replace(/(^|\s)-?(?:[a-z-]+:)?(?:"[^"]*|\S*)$/i, "$1");
  return `${beginning}${replacement}${replacement.endsWith(":") ? "" : " "}`;
}

/** @param {string} start */
function matchingPeople(start) {
  const fits = [...people.values()].filter((person) => person.is_active && isNameLike(person.full_name, start));
  const names = fits.map((person) => person.full_name).sort((a, b) => a.localeCompare(b));
  return start && "me".startsWith(start) ? [...names, "me"] : names;
}

/** Whether a name, or a word of it, begins with a text.
 * @param {string} name
 * @param {string} start normalized */
function isNameLike(name, start) {
  const folded = normalizeText(name);
  return folded.startsWith(start) || folded.split(" ").some((part) => part.startsWith(start));
}

/** @param {string} start */
function matchingChannels(start) {
  const mine = myChannels().map((channel) => channel.name);
  const others = [...channels.values()]
    .filter((channel) => !channel.subscribed && !channel.is_archived)
    .map((channel) => channel.name);
  return [...mine, ...others].filter((name) => normalizeText(name).includes(start));
}

/** @param {string} prefix
 * @param {string} name */
function withQuotes(prefix, name) {
  return prefix + (name.includes(" ") ? `"${name}"` : name);
}

/** @param {string} operator */
function hintOf(operator) {
  return t(`search.hint.${operator.replace(/:$/, "").replace(":", "-")}`);
}

function searchTips() {
  const rows = OPERATORS.slice(0, 14).map((each) => h("li", {}, h("code", {}, each), " ", hintOf(each)));
  return h(
    "div",
    { class: "empty" },
    h("h2", {}, t("search.ready")),
    h("p", {}, t("search.ready-text")),
    h("ul", { class: "tips" }, ...rows),
  );
}
