/** Popovers and menus beside a button. The browser's popover closes on Escape or a click outside, and returns
 * the focus. */

import { h, icon } from "../core/html.js";
import { emit } from "../core/signals.js";
import { isPhone, region } from "../views/layout.js";

const MIRRORED = new Set(["reply", "forward", "move", "logout"]); // icons that point the other way from right to left

/** Open a popover below an element, or above it if there is no room. On a phone it slides up from the lower edge.
 * A link inside closes it.
 * @param {HTMLElement} anchor
 * @param {HTMLElement} panel
 * @param {{closed?: () => void}} [options]
 * @returns {{close(): void}} */
export function openPopover(anchor, panel, { closed } = {}) {
  closePopover();
  panel.classList.add("pop");
  panel.setAttribute("popover", "auto");
  (anchor.closest("dialog") ?? region("#main")).append(panel); // elements outside of an open dialog are inert
  panel.showPopover();
  positionPopover(panel, anchor);
  panel.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === "open") return;
    panel.remove();
    if (document.activeElement === document.body && anchor.isConnected) anchor.focus();
    closed?.();
  });
  panel.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest("a")) closePopover();
  });
  const first = panel.querySelector("[autofocus], button, a, input, [tabindex='0']");
  if (first instanceof HTMLElement) first.focus();
  const close = () => panel.isConnected && panel.hidePopover();
  emit("covered", { isOpen: () => panel.matches(":popover-open"), close });
  return { close };
}

export function closePopover() {
  for (const open of document.querySelectorAll(".pop[popover]"))
    if (open.matches(":popover-open")) /** @type {HTMLElement} */ (open).hidePopover();
}

/** @typedef {{icon?: string, sign?: Node, text: string, hint?: string, key?: string, opens?: boolean, risk?: boolean,
 *   checked?: boolean, act: () => unknown}} MenuAction `sign` in place of an icon; `checked` makes it one of several
 *   choices; `hint` is a second line; `opens` another menu */
/** @typedef {{label: string, choices: {text: string, checked: boolean, act: () => unknown}[]}} MenuChoices one of
 *   several, side by side */
/** @typedef {MenuAction | MenuChoices | "line"} MenuItem */

/** Open a menu. Arrow keys move, Enter runs the item, Escape closes.
 * @param {HTMLElement} anchor
 * @param {string} name
 * @param {MenuItem[]} items
 * @param {{closed?: () => void}} [options] */
export function openMenu(anchor, name, items, options) {
  const menu = h("ul", { class: "menu", role: "menu", "aria-label": name });
  for (const item of items) {
    if (item === "line") menu.append(h("li", { role: "none" }, h("hr")));
    else if ("choices" in item) menu.append(h("li", { role: "none" }, choiceButtons(item)));
    else menu.append(h("li", { role: "none" }, menuButton(item)));
  }
  menu.addEventListener("keydown", (event) => {
    const buttons = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("[role^=menuitem]")]);
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[next % buttons.length].focus();
  });
  return openPopover(anchor, menu, options);
}

/** @param {MenuChoices} item */
function choiceButtons({ label, choices }) {
  const buttons = choices.map(({ text, checked, act }) =>
    h(
      "button",
      {
        type: "button",
        role: "menuitemradio",
        "aria-checked": String(checked),
        onclick: () => {
          closePopover();
          act();
        },
      },
      text,
    ),
  );
  return h("div", { class: "themes", role: "group", "aria-label": label }, ...buttons);
}

/** @param {MenuAction} item */
function menuButton(item) {
  const act = () => {
    closePopover();
    item.act();
  };
  if (item.checked !== undefined) {
    return h(
      "button",
      { type: "button", role: "menuitemradio", "aria-checked": String(item.checked), onclick: act },
      icon("check"),
      h("b", {}, item.text),
      item.hint && h("small", {}, item.hint),
    );
  }
  const lead = item.sign
    ? h("span", { class: "e1", "aria-hidden": "true" }, item.sign)
    : item.icon && icon(item.icon, MIRRORED.has(item.icon) ? "flip" : "");
  const end = item.opens ? h("span", { class: "e" }, icon("right", "s flip")) : item.key && h("kbd", {}, item.key);
  return h(
    "button",
    {
      type: "button",
      role: "menuitem",
      class: item.risk && "risk",
      "aria-haspopup": item.opens ? "menu" : null,
      onclick: act,
    },
    lead,
    item.text,
    end,
  );
}

/** @param {HTMLElement} panel
 * @param {HTMLElement} anchor */
function positionPopover(panel, anchor) {
  if (isPhone()) return panel.classList.add("sheet");
  const at = anchor.getBoundingClientRect();
  const size = panel.getBoundingClientRect();
  const isBelow = at.bottom + size.height + 8 < innerHeight || at.top < size.height;
  const isNearStart = at.left + at.width / 2 < innerWidth / 2;
  const left = isNearStart ? at.left : at.right - size.width;
  panel.style.setProperty("left", `${Math.max(8, Math.min(left, innerWidth - size.width - 8)) + scrollX}px`);
  const distance = Math.max(
    8,
    Math.min(isBelow ? at.bottom + 4 : innerHeight - at.top + 4, innerHeight - size.height - 8),
  );
  // it stays beside the element when its height changes
  panel.style.setProperty("inset-block", isBelow ? `${distance}px auto` : `auto ${distance}px`);
  panel.style.setProperty("--room", `${innerHeight - distance - 8}px`);
  return undefined;
}
