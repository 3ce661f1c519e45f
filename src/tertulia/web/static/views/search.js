/** Searching: one field, with offers for operators and what they take; and the view of what was found. */

import { channelName, channels, myChannels } from "../state/channels.js";
import { fill, h, icon, iconButton } from "../core/html.js";
import { myId } from "../state/session.js";
import { messageOf } from "../state/messages.js";
import { hashOf, searchText } from "../state/narrow.js";
import { people } from "../state/people.js";
import { searchedTerms } from "../state/routes.js";
import { on, soon } from "../core/signals.js";
import { freshBody, freshFoot, part } from "./layout.js";
import { showTalk } from "./message_view.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/routes.js").Place} Place */
/** @typedef {{text: string, hint: string}} Offer `text` replaces the last word */

const OPERATORS = ["channel:", "topic:", "from:", "dm:", "is:starred", "is:mentioned", "is:unread", "is:followed", "is:resolved", "is:dm", "has:image", "has:link", "has:attachment", "has:reaction", "channels:public", "id:", "near:"];

/** @param {Place} place
 * @returns {Promise<import("./message_view.js").View>} */
export async function showSearch(place) {
  const field = searchField("big-find");
  field.input.value = place.terms.length ? searchText(place.terms) : "";
  const back = iconButton("back", say("side.back"), { "data-do": "back", flip: true });
  back.classList.add("only-phone");
  fill(part(".head"), back, h("h1", { class: "hidden", id: "title", tabindex: -1 }, say("search.title")), field.frame);
  showSideField(false);
  const reopen = () => showSideField(true);
  if (!place.terms.length) {
    freshBody(tips());
    freshFoot();
    field.input.focus();
    return { close: reopen };
  }
  const talk = await showTalk({ ...place, conversation: undefined, channel: undefined }, null);
  const line = h("div", { class: "sub found-line" });
  const draw = () => fill(line, ...foundSummary(place.terms, talk));
  talk.body.classList.add("found");
  talk.body.prepend(line);
  talk.list.keepPlace(draw);
  const stop = on("lists replaced", soon(() => talk.list.keepPlace(draw)));
  return { close() { stop(); reopen(); talk.close(); }, focus: () => talk.focus?.() };
}

/** Two fields at once would be one too many.
 * @param {boolean} isShown */
function showSideField(isShown) {
  document.querySelector(".side .find")?.toggleAttribute("hidden", !isShown);
}

/** How much was found, and ways to look at less of it, or again at all.
 * @param {import("../state/narrow.js").Term[]} terms
 * @param {import("./message_view.js").Talk} talk */
function foundSummary(terms, talk) {
  const { ids, foundOldest, foundNewest } = talk.listing;
  const isAll = foundOldest && foundNewest;
  const count = say(isAll ? "search.found" : "search.found-more", { count: ids.length });
  const narrowing = [...mostIn(ids).map((channel) => ({ operator: "channel", operand: channel })), { operator: "has", operand: "image" }, { operator: "has", operand: "link" }, { operator: "sender", operand: myId() }];
  const isChosen = (/** @type {import("../state/narrow.js").Term} */ one) => terms.some((term) => term.operator === one.operator && String(term.operand) === String(one.operand) && !term.negated);
  const words = (/** @type {import("../state/narrow.js").Term} */ one) => (one.operator === "channel" ? channelName(Number(one.operand)) : say(`search.only-${one.operator === "sender" ? "mine" : one.operand}`));
  const others = terms.filter((term) => !narrowing.some((one) => one.operator === term.operator && String(one.operand) === String(term.operand)));
  const chip = (/** @type {string} */ text, /** @type {import("../state/narrow.js").Term[]} */ wanted, /** @type {boolean} */ isOn) => h("a", { class: "chip", href: hashOf(wanted), "aria-current": isOn && "true" }, h("bdi", {}, text));
  return [h("span", { role: "status" }, count), h("span", { class: "end" }), others.length > 0 && chip(say("search.everywhere"), others, others.length === terms.length),
    ...narrowing.map((one) => chip(words(one), isChosen(one) ? terms.filter((term) => !(term.operator === one.operator && String(term.operand) === String(one.operand))) : [...terms.filter((term) => term.operator !== one.operator || one.operator === "has"), one], isChosen(one)))];
}

/** The two channels in which most was found.
 * @param {number[]} ids
 * @returns {number[]} */
function mostIn(ids) {
  const counts = new Map();
  for (const id of ids) {
    const message = messageOf(id);
    if (message?.type === "stream") counts.set(message.stream_id, (counts.get(message.stream_id) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 2).map(([channel]) => channel);
}

/** The field in the sidebar. */
export function startSearch() {
  const { frame } = searchField("find");
  frame.append(h("kbd", { "aria-hidden": "true" }, "/"));
  part(".side .top").append(frame);
}

/** The field that can be seen. */
export function searchInput() {
  return /** @type {HTMLInputElement | null} */ ([...document.querySelectorAll('input[type="search"]')].find((input) => /** @type {HTMLElement} */ (input).offsetParent));
}

/** @param {string} look its class
 * @returns {{frame: HTMLElement, input: HTMLInputElement}} */
function searchField(look) {
  const id = `offers-${look}`;
  const input = h("input", { type: "search", "aria-label": say("search.title"), placeholder: say("search.title"), "aria-autocomplete": "list", "aria-controls": id, autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
  const list = h("ul", { class: "offer", role: "listbox", id, "aria-label": say("search.offers"), hidden: true });
  const frame = h("form", { class: look, role: "search", autocomplete: "off" }, icon("search", look === "find" ? "s" : ""), input, list);
  let chosen = -1;
  /** @type {Offer[]} */
  let offers = [];
  const show = () => {
    const hasTips = look !== "find" && !input.value; // the view says the same in large
    offers = document.activeElement === input && !hasTips ? offersFor(input.value) : [];
    chosen = Math.min(chosen, offers.length - 1);
    list.hidden = !offers.length;
    fill(list, ...offers.map((offer, at) => h("li", { role: "option", id: `${id}-${at}`, "aria-selected": String(at === chosen), onpointerdown: (/** @type {Event} */ event) => { event.preventDefault(); take(offer); } }, h("span", {}, offer.text), h("small", {}, offer.hint))));
    if (chosen >= 0) input.setAttribute("aria-activedescendant", `${id}-${chosen}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const take = (/** @type {Offer} */ offer) => {
    input.value = withLastWord(input.value, offer.text);
    chosen = -1;
    show();
  };
  input.addEventListener("input", () => { chosen = -1; show(); });
  input.addEventListener("focus", show);
  input.addEventListener("blur", () => { list.hidden = true; });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + offers.length + 1) % (offers.length + 1);
      if (chosen === offers.length) chosen = -1;
      show();
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      event.preventDefault();
      take(offers[chosen]);
    } else if (event.key === "Escape") {
      if (list.hidden) input.blur();
      list.hidden = true;
      chosen = -1;
    }
  });
  frame.addEventListener("submit", (event) => {
    event.preventDefault();
    list.hidden = true;
    const terms = searchedTerms(input.value.trim());
    if (!terms.length) return;
    if (look === "find") input.value = "";
    input.blur();
    location.hash = hashOf(terms);
  });
  return { frame, input };
}

/** What could stand where the last word is being typed.
 * @param {string} text
 * @returns {Offer[]} */
export function offersFor(text) {
  const word = /(?:^|\s)(-?(?:[a-z-]+:)?(?:"[^"]*|\S*))$/i.exec(text)?.[1] ?? "";
  const [, sign, operator, typed] = /^(-?)(?:([a-z-]+):)?(.*)$/i.exec(word) ?? ["", "", "", ""];
  const start = (typed ?? "").replaceAll('"', "").toLowerCase();
  if (operator === undefined) {
    if (!word) return OPERATORS.slice(0, 8).map((each) => ({ text: each, hint: hintOf(each) }));
    const fitting = OPERATORS.filter((each) => each.startsWith(start) || each.includes(`:${start}`));
    const named = start.length > 1 ? peopleLike(start).slice(0, 4).map((name) => ({ text: quoted(`${sign}from:`, name), hint: say("search.from") })) : [];
    const places = start.length > 1 ? channelsLike(start).slice(0, 3).map((name) => ({ text: quoted(`${sign}channel:`, name), hint: say("search.channel") })) : [];
    return [...fitting.slice(0, 5).map((each) => ({ text: sign + each, hint: hintOf(each) })), ...named, ...places];
  }
  const prefix = `${sign}${operator}:`;
  if (["from", "sender", "dm", "pm-with", "dm-including", "mentions"].includes(operator)) return peopleLike(start).slice(0, 8).map((name) => ({ text: quoted(prefix, name), hint: say("search.person") }));
  if (operator === "channel" || operator === "stream") return channelsLike(start).slice(0, 8).map((name) => ({ text: quoted(prefix, name), hint: say("search.channel") }));
  return OPERATORS.filter((each) => each.startsWith(`${operator}:${start}`) && each !== `${operator}:`).map((each) => ({ text: sign + each, hint: hintOf(each) }));
}

/** @param {string} text
 * @param {string} replacement */
function withLastWord(text, replacement) {
  const kept = text.replace(/(^|\s)-?(?:[a-z-]+:)?(?:"[^"]*|\S*)$/i, "$1");
  return `${kept}${replacement}${replacement.endsWith(":") ? "" : " "}`;
}

/** @param {string} start */
function peopleLike(start) {
  const fits = [...people.values()].filter((person) => person.is_active && person.full_name.toLowerCase().split(" ").some((part) => part.startsWith(start)));
  return fits.map((person) => person.full_name).sort((a, b) => a.localeCompare(b));
}

/** @param {string} start */
function channelsLike(start) {
  const mine = myChannels().map((channel) => channel.name);
  const others = [...channels.values()].filter((channel) => !channel.subscribed && !channel.is_archived).map((channel) => channel.name);
  return [...mine, ...others].filter((name) => name.toLowerCase().includes(start));
}

/** @param {string} prefix
 * @param {string} name */
function quoted(prefix, name) {
  return prefix + (name.includes(" ") ? `"${name}"` : name);
}

/** @param {string} operator */
function hintOf(operator) {
  return say(`search.hint.${operator.replace(/:$/, "").replace(":", "-")}`);
}

function tips() {
  const rows = OPERATORS.slice(0, 12).map((each) => h("li", {}, h("code", {}, each), " ", hintOf(each)));
  return h("div", { class: "void" }, h("h2", {}, say("search.ready")), h("p", {}, say("search.ready-text")), h("ul", { class: "tips" }, ...rows));
}
