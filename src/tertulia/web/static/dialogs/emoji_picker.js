/** The emoji picker: recent emoji, custom emoji, all others by name. */

import { withErrorToast, toggleReaction } from "../views/message_actions.js";
import { currentComposeBox } from "../views/compose.js";
import { findEmoji, searchEmoji, fetchEmoji, ownEmoji, reactionFor } from "../state/emoji.js";
import { setChildren, h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { openPopover } from "./popover.js";

const RECENT = "tertulia-recent-emoji";
const FIRST = ["+1", "heart", "smile", "tada", "eyes", "check", "thinking", "pray", "rocket"];
const SHOWN = 180;
const COLUMNS = 9;

/** @param {import("../views/commands.js").CommandContext} occasion */
export function react({ element, message }) {
  if (message) pickEmoji(element.matches("button") ? element : (element.querySelector(".act .react") ?? element), (name) => withErrorToast(toggleReaction(message, reactionFor(name))));
}

/** @param {import("../views/commands.js").CommandContext} occasion */
export function insertEmoji({ element }) {
  pickEmoji(element, (name) => currentComposeBox()?.insert(`:${name}: `));
}

/** @param {HTMLElement} anchor
 * @param {(name: string) => unknown} chosen */
export async function pickEmoji(anchor, chosen) {
  await fetchEmoji();
  const field = h("input", { type: "search", "aria-label": t("emoji.search"), placeholder: t("emoji.search"), autofocus: true });
  const grid = h("div", { class: "grid" });
  const shown = h("div", { class: "say" });
  const panel = h("div", { class: "picker", role: "dialog", "aria-label": t("emoji.title") }, h("label", { class: "big-find" }, field), h("span"), grid, shown);
  const take = (/** @type {string} */ name) => {
    remember(name);
    open.close();
    chosen(name);
  };
  const draw = () => {
    const query = field.value.trim().toLowerCase().replaceAll(" ", "_");
    setChildren(grid, ...(query ? section("", searchEmoji(query, SHOWN)) : [...section(t("emoji.recent"), recent()), ...section(t("emoji.own"), [...ownEmoji().keys()]), ...section(t("emoji.all"), searchEmoji("", SHOWN))]));
    describe(grid.querySelector("button"));
  };
  const describe = (/** @type {Element | null} */ button) => {
    const name = button instanceof HTMLElement ? (button.dataset.name ?? "") : "";
    setChildren(shown, h("span", { class: "emoji", "aria-hidden": "true" }, sign(name)), h("span", {}, h("b", {}, name.replaceAll("_", " ")), h("small", {}, name && `:${name}:`)));
  };
  field.addEventListener("input", draw);
  field.addEventListener("keydown", (event) => {
    const first = grid.querySelector("button");
    if (event.key === "Enter" && first) take(first.dataset.name ?? "");
    else if (event.key === "ArrowDown") first?.focus();
    else return;
    event.preventDefault();
  });
  grid.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    if (button) take(button.dataset.name ?? "");
  });
  grid.addEventListener("keydown", (event) => walk(event, grid, field));
  for (const kind of ["focusin", "mouseover"]) grid.addEventListener(kind, (event) => describe(/** @type {Element} */ (event.target).closest("button")));
  draw();
  const open = openPopover(anchor, panel);
  field.focus();
}

/** @param {string} title
 * @param {string[]} names */
function section(title, names) {
  if (!names.length) return [];
  const buttons = names.map((name) => h("button", { type: "button", "data-name": name, "aria-label": name.replaceAll("_", " "), title: `:${name}:` }, sign(name)));
  return [title && h("h2", {}, title), h("div", { class: "es" }, ...buttons)];
}

/** @param {string} name
 * @returns {Node | string} */
function sign(name) {
  const own = ownEmoji().get(name);
  return own ? h("img", { class: "emoji", src: own.source_url, alt: "" }) : (findEmoji(name) ?? "");
}

/** Arrow keys move over the grid; above it is the search field.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} grid
 * @param {HTMLElement} field */
function walk(event, grid, field) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...grid.querySelectorAll("button")];
  const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement)) + step;
  (at < 0 ? field : all[Math.min(at, all.length - 1)]).focus();
}

/** @returns {string[]} */
function recent() {
  const stored = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
  return [...new Set([...stored, ...FIRST])].filter((name) => findEmoji(name) || ownEmoji().has(name)).slice(0, 2 * COLUMNS);
}

/** @param {string} name */
function remember(name) {
  localStorage.setItem(RECENT, JSON.stringify([...new Set([name, ...recent()])].slice(0, 2 * COLUMNS)));
}
