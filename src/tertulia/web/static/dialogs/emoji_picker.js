/** The emoji picker: the most used emoji, the organization's own, all others in groups. Only the rows near the visible
 * part exist as elements. */

import { withErrorToast, toggleReaction } from "../views/message_actions.js";
import { currentComposeBox } from "../views/compose.js";
import {
  allEmojiCodes,
  emojiNames,
  fetchEmoji,
  findEmoji,
  findEmojiByWord,
  ownEmoji,
  POPULAR,
  reactionFor,
} from "../state/emoji.js";
import { hasSkinTones, recordEmojiUse, setSkinTone, skinTone, usedEmoji, withSkinTone } from "../state/emoji_use.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { isPhone } from "../views/layout.js";
import { state } from "../state/session.js";
import { formatLabel, t, textWith } from "../core/i18n.js";
import { isInPermission } from "./forms.js";
import { groupEmoji } from "./emoji_groups.js";
import { openPopover } from "./popover.js";

/** @typedef {{name: string, title: string, sign: Node | string, names: string[]}} PickerSection */

const MAX_FOUND = 60;
const BLOCK_ROWS = 8; // rows that are built and removed together
const MARGIN_PX = 300; // rows this near to the visible part are built
const HAND = "✋";

/** @param {import("../views/commands.js").CommandContext} context */
export function react({ element, message }) {
  if (message)
    pickEmoji(element.matches("button") ? element : (element.querySelector(".act .react") ?? element), (name) =>
      withErrorToast(toggleReaction(message, reactionFor(name))),
    );
}

/** @param {import("../views/commands.js").CommandContext} context */
export function insertEmoji({ element }) {
  pickEmoji(element, (name) => {
    const character = findEmoji(name);
    const isToned = character && skinTone() && hasSkinTones(character);
    currentComposeBox()?.insert(isToned ? `${withSkinTone(character)} ` : `:${name}: `);
  });
}

/** Open the picker.
 * @param {HTMLElement} anchor
 * @param {(name: string) => unknown} chosen */
export async function pickEmoji(anchor, chosen) {
  await fetchEmoji();
  new EmojiPicker(anchor, chosen).open();
}

class EmojiPicker {
  #anchor;
  #chosen;
  #field = h("input", {
    type: "search",
    "aria-label": t("emoji.search"),
    placeholder: t("emoji.search"),
    autofocus: true,
    autocomplete: "off",
  });
  #clear = iconButton("close", t("emoji.clear"), { class: "tiny", hidden: true });
  #tone = h("button", { class: "ib tone", type: "button", "aria-expanded": "false", title: t("emoji.tone") });
  #tones = h("fieldset", { class: "tones", hidden: true }, h("legend", {}, t("emoji.tone-kept")));
  #tabs = h("div", { class: "tabs", role: "toolbar", "aria-label": t("emoji.groups") });
  #grid = h("div", { class: "grid", tabindex: -1 });
  #name = h("div", { class: "say" });
  /** @type {PickerSection[]} */
  #sections = [];
  /** @type {{close(): void} | undefined} */
  #popover;
  #observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) this.#fill(/** @type {HTMLElement} */ (entry.target), entry.isIntersecting);
    },
    { root: this.#grid, rootMargin: `${MARGIN_PX}px 0px` },
  );

  /** @param {HTMLElement} anchor
   * @param {(name: string) => unknown} chosen */
  constructor(anchor, chosen) {
    this.#anchor = anchor;
    this.#chosen = chosen;
  }

  open() {
    const find = h("label", { class: "big-find" }, icon("search", "s"), this.#field, this.#clear);
    const panel = h(
      "div",
      { class: "picker", role: "dialog", "aria-label": t("compose.emoji") },
      h("div", { class: "pick-top" }, find, this.#tone),
      this.#tones,
      this.#tabs,
      this.#grid,
      this.#name,
    );
    this.#field.addEventListener("input", () => this.#draw());
    this.#field.addEventListener("keydown", (event) => this.#onFieldKey(event));
    this.#clear.addEventListener("click", () => {
      this.#field.value = "";
      this.#draw();
      this.#field.focus();
    });
    this.#tone.addEventListener("click", () => this.#toggleTones());
    this.#grid.addEventListener("click", (event) =>
      this.#take(/** @type {Element} */ (event.target).closest("button")?.dataset.name),
    );
    this.#grid.addEventListener("keydown", (event) => this.#walk(event));
    this.#grid.addEventListener("scroll", () => this.#markTab());
    for (const kind of ["focusin", "mouseover"])
      this.#grid.addEventListener(kind, (event) =>
        this.#describe(/** @type {Element} */ (event.target).closest("button")?.dataset.name),
      );
    this.#sections = pickerSections();
    this.#drawTone();
    this.#drawTabs();
    this.#draw();
    this.#popover = openPopover(this.#anchor, panel, { closed: () => this.#observer.disconnect() });
    this.#markTab();
    this.#field.focus();
  }

  /** @param {string | undefined} name */
  #take(name) {
    if (!name) return;
    recordEmojiUse(name);
    this.#popover?.close();
    this.#chosen(name);
  }

  #draw() {
    const query = this.#field.value.trim();
    this.#clear.hidden = !query;
    this.#tabs.hidden = query !== "";
    this.#observer.disconnect();
    this.#grid.scrollTop = 0;
    if (query) return this.#drawFound(query);
    setChildren(
      this.#grid,
      ...this.#sections.flatMap((section) => [
        h("h2", { "data-section": section.name }, section.title),
        ...this.#blocks(section),
      ]),
    );
    for (const block of this.#grid.querySelectorAll(".es")) this.#observer.observe(block);
    for (const block of /** @type {HTMLElement[]} */ ([...this.#grid.querySelectorAll(".es")].slice(0, 2)))
      this.#fill(block, true);
    this.#markTab();
    return this.#describe(this.#sections[0]?.names[0]);
  }

  /** @param {string} query */
  #drawFound(query) {
    const found = findEmojiByWord(query, MAX_FOUND);
    if (!found.length) return (setChildren(this.#grid, ...nothingFound(query)), this.#describe(undefined));
    const rows = found.map(({ name, also }) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", "data-name": name },
          h("span", { "aria-hidden": "true" }, emojiSign(name)),
          h(
            "span",
            { class: "cut" },
            ...marked(name, query),
            ...(also ? [" · ", ...textWith("emoji.also", { name: marked(also, query) })] : []),
          ),
          h("small", {}, ownEmoji().has(name) ? t("emoji.our-own") : `:${name}:`),
        ),
      ),
    );
    rows[0].firstElementChild?.classList.add("is-focus");
    setChildren(
      this.#grid,
      h("h2", { role: "status" }, t("emoji.found", { count: found.length })),
      h("ul", { class: "found-e" }, ...rows),
    );
    return this.#describe(found[0].name);
  }

  /** Blocks of rows, with the height that they will have.
   * @param {PickerSection} section */
  #blocks({ name, names }) {
    const size = BLOCK_ROWS * columns();
    const blocks = [];
    for (let at = 0; at < names.length; at += size) {
      const block = h("div", { class: "es", "data-of": name, "data-at": at });
      block.style.setProperty("--rows", String(Math.ceil(Math.min(size, names.length - at) / columns())));
      blocks.push(block);
    }
    return blocks;
  }

  /** Build the buttons of a block, or remove them.
   * @param {HTMLElement} block
   * @param {boolean} isNear */
  #fill(block, isNear) {
    if (!isNear && block.contains(document.activeElement)) return;
    if (isNear === block.childElementCount > 0) return;
    const names = this.#sections.find(({ name }) => name === block.dataset.of)?.names ?? [];
    const at = Number(block.dataset.at);
    setChildren(
      block,
      ...(isNear ? names.slice(at, at + BLOCK_ROWS * columns()) : []).map((name) =>
        h(
          "button",
          {
            type: "button",
            "data-name": name,
            "aria-label": name.replaceAll("_", " "),
            title: `:${name}:`,
            tabindex: -1,
          },
          emojiSign(name),
        ),
      ),
    );
    const first = this.#grid.querySelector(".es button");
    if (first && !this.#grid.querySelector('button[tabindex="0"]')) first.setAttribute("tabindex", "0");
  }

  /** @param {string | undefined} name */
  #describe(name) {
    if (!name) return setChildren(this.#name);
    return setChildren(
      this.#name,
      h("span", { "aria-hidden": "true" }, emojiSign(name)),
      h("span", {}, h("b", {}, name.replaceAll("_", " ")), h("small", {}, `:${name}:`)),
      h("kbd", { class: "not-phone", "aria-hidden": "true" }, "⏎"),
    );
  }

  /** @param {KeyboardEvent} event */
  #onFieldKey(event) {
    const first = /** @type {HTMLElement | null} */ (this.#grid.querySelector("button[data-name]"));
    if (event.key === "Enter") this.#take(first?.dataset.name);
    else if (event.key === "ArrowDown") first?.focus();
    else return;
    event.preventDefault();
  }

  /** Arrow keys move over the grid; above it is the search field.
   * @param {KeyboardEvent} event */
  #walk(event) {
    const isList = this.#field.value.trim() !== "";
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: isList ? 1 : columns(), ArrowUp: isList ? -1 : -columns() }[
      event.key
    ];
    if (step === undefined) return;
    event.preventDefault();
    const all = /** @type {HTMLElement[]} */ ([...this.#grid.querySelectorAll("button[data-name]")]);
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement)) + step;
    (at < 0 ? this.#field : all[Math.min(at, all.length - 1)]).focus();
  }

  #toggleTones() {
    this.#tones.hidden = !this.#tones.hidden;
    this.#tone.setAttribute("aria-expanded", String(!this.#tones.hidden));
    this.#tone.classList.toggle("on", !this.#tones.hidden);
    /** @type {HTMLElement | null} */ (this.#tones.querySelector(":checked"))?.focus();
  }

  #drawTone() {
    this.#tone.textContent = withSkinTone(HAND);
    this.#tone.setAttribute("aria-label", formatLabel(t("emoji.tone"), t(`emoji.tone-${skinTone()}`)));
    if (this.#tones.querySelector("label")) return;
    const radios = [0, 1, 2, 3, 4, 5].map((tone) =>
      h(
        "label",
        { title: t(`emoji.tone-${tone}`) },
        h("input", {
          type: "radio",
          name: "tone",
          value: tone,
          checked: tone === skinTone(),
          "aria-label": t(`emoji.tone-${tone}`),
          onchange: () => {
            setSkinTone(tone);
            this.#drawTone();
            this.#draw();
          },
        }),
        withSkinTone(HAND, tone),
      ),
    );
    this.#tones.append(...radios);
  }

  #drawTabs() {
    setChildren(
      this.#tabs,
      ...this.#sections.map(({ name, title, sign }) =>
        h(
          "button",
          {
            class: "ib",
            type: "button",
            "data-tab": name,
            "aria-label": title,
            title,
            onclick: () => this.#goTo(name),
          },
          sign,
        ),
      ),
    );
  }

  /** @param {string} name of a section */
  #goTo(name) {
    const heading = /** @type {HTMLElement | null} */ (this.#grid.querySelector(`h2[data-section="${name}"]`));
    if (heading) this.#grid.scrollTop = heading.offsetTop;
  }

  #markTab() {
    const headings = /** @type {HTMLElement[]} */ ([...this.#grid.querySelectorAll("h2[data-section]")]);
    const current = headings.filter((heading) => heading.offsetTop <= this.#grid.scrollTop + 8).at(-1) ?? headings[0];
    for (const tab of this.#tabs.children)
      tab.setAttribute(
        "aria-pressed",
        String(/** @type {HTMLElement} */ (tab).dataset.tab === current?.dataset.section),
      );
  }
}

/** @returns {PickerSection[]} */
function pickerSections() {
  const logo = icon("none");
  logo.setAttribute("class", "logo");
  logo.firstElementChild?.setAttribute("href", "#logo");
  const isKnown = (/** @type {string} */ name) => findEmoji(name) !== undefined || ownEmoji().has(name);
  const used = [...new Set([...usedEmoji(), ...POPULAR])].filter(isKnown).slice(0, 2 * columns());
  const sections = [
    { name: "used", title: t("emoji.used"), sign: "🕘", names: used },
    { name: "own", title: t("emoji.own"), sign: logo, names: [...ownEmoji().keys()] },
    ...groupEmoji(allEmojiCodes()).map(({ name, sign, emoji }) => ({
      name,
      title: t(`emoji.group-${name}`),
      sign,
      names: emoji.map((code) => emojiNames(code)[0]),
    })),
  ];
  return sections.filter(({ names }) => names.length);
}

/** @param {string} query */
function nothingFound(query) {
  const mayAdd = isInPermission(state.realm_can_add_custom_emoji_group);
  const add = h("a", { class: "b", href: "#organization/emoji" }, icon("plus", "s"), t("emoji.add-own"));
  return [
    h(
      "div",
      { class: "none big" },
      h("p", { role: "status" }, t("emoji.nothing", { text: query })),
      h("p", { class: "hint" }, t("emoji.nothing-text")),
      mayAdd && h("p", {}, add),
    ),
  ];
}

/** A name with the matched part marked.
 * @param {string} name
 * @param {string} query */
function marked(name, query) {
  const text = name.replaceAll("_", " ");
  const at = text.indexOf(query.toLowerCase().replaceAll("_", " "));
  if (at < 0) return [text];
  return [text.slice(0, at), h("b", { class: "m" }, text.slice(at, at + query.length)), text.slice(at + query.length)];
}

/** @param {string} name
 * @returns {Node | string} */
function emojiSign(name) {
  const own = ownEmoji().get(name);
  return own ? h("img", { class: "emoji", src: own.source_url, alt: "" }) : withSkinTone(findEmoji(name) ?? "");
}

function columns() {
  return isPhone() ? 8 : 9;
}
