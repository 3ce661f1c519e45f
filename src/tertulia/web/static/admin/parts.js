/** What sections of administration are made of: a head, groups of rows, tables that follow their data, and dialogs with
 * a form. */

import { h, icon, iconButton, srOnly } from "../core/html.js";
import { t } from "../core/i18n.js";
import { oneAtATime } from "../core/signals.js";
import { openDialog } from "../dialogs/dialog.js";
import { openMenu } from "../dialogs/popover.js";
import { setKeyedChildren } from "../views/keyed_children.js";
import { withErrorToast } from "../views/message_actions.js";

/** @typedef {import("../core/html.js").Child} Child */
/** @typedef {import("../dialogs/popover.js").MenuItem} MenuItem */

/** The head of a section.
 * @param {string} title
 * @param {string} [text]
 * @param {...Child} more */
export function sectionHead(title, text, ...more) {
  return h("div", { class: "ph" }, h("h2", {}, title), ...more, text && h("p", {}, text));
}

/** The button of a head that begins something new.
 * @param {string} text
 * @param {() => unknown} open
 * @param {string} [iconName] */
export function headButton(text, open, iconName = "plus") {
  return h("button", { class: "b go", type: "button", onclick: open }, icon(iconName, "s"), text);
}

/** A heading with rows.
 * @param {string} title
 * @param {Child[]} rows */
export function settingGroup(title, rows) {
  return h("section", { class: "set-group" }, h("h3", {}, title), ...rows);
}

/** @param {string} label
 * @param {(string | HTMLElement)[]} heads texts, or cells
 * @param {HTMLElement} body
 * @param {string} [extra] `blocks`: where there is little room each cell has its own line */
export function dataTable(label, heads, body, extra = "") {
  const cells = heads.map((head) => (typeof head === "string" ? h("th", { scope: "col" }, head) : head));
  return h("table", { class: `tab ${extra}`, "aria-label": label }, h("thead", {}, h("tr", {}, ...cells)), body);
}

/** A table of the items of a list, with what can be done with each at the end of its row. An item that does not change
 * keeps its row. Without items a sentence says so.
 * @template Item
 * @param {string} label
 * @param {string[]} heads
 * @param {string} none
 * @param {(item: Item, at: number) => {cells: Child[], end?: Child}} rowOf
 * @returns {{element: HTMLElement, draw(items: Item[]): void}} */
export function itemTable(label, heads, none, rowOf) {
  const body = h("tbody");
  const table = dataTable(label, [...heads, h("th", { scope: "col" }, srOnly(t("people.menu")))], body);
  const empty = h("p", { class: "none" }, none);
  /** @param {Item} item
   * @param {number} at */
  const build = (item, at) => {
    const { cells, end } = rowOf(item, at);
    return h(
      "tr",
      {},
      ...cells.map((cell, column) => h("td", column ? { "data-l": heads[column] } : { class: "full" }, cell)),
      h("td", { class: "m" }, end),
    );
  };
  return {
    element: h("div", {}, table, empty),
    draw: (items) => {
      table.hidden = items.length === 0;
      empty.hidden = items.length > 0;
      setKeyedChildren(
        body,
        items.map((item, at) => ({ key: `${at === 0} ${JSON.stringify(item)}`, build: () => build(item, at) })),
      );
    },
  };
}

/** The first cell of a row: a name, and what explains it.
 * @param {string | Child[]} name
 * @param {Child} [more] */
export function nameCell(name, more) {
  return h(
    "span",
    { class: "pn" },
    h("span", { class: "of" }, h("b", {}, typeof name === "string" ? h("bdi", {}, name) : name), h("small", {}, more)),
  );
}

/** The button of a row that opens its menu.
 * @param {string} name of what the row is about
 * @param {(MenuItem | false)[]} items */
export function menuButton(name, items) {
  const button = iconButton("more", t("people.actions", { name }), {
    "aria-haspopup": "menu",
    onclick: () => openMenu(button, name, /** @type {MenuItem[]} */ (items.filter(Boolean))),
  });
  return button;
}

/** The button of a row with which one thing can be done.
 * @param {string} text
 * @param {string} label
 * @param {() => unknown} act */
export function rowButton(text, label, act) {
  return h("button", { class: "b", type: "button", "aria-label": label, onclick: act }, text);
}

/** The item of a menu that moves something up.
 * @param {() => Promise<unknown>} work
 * @returns {MenuItem} */
export function raising(work) {
  return { icon: "upload", text: t("order.up"), act: () => withErrorToast(work()) };
}

/** The item of a menu that removes something.
 * @param {() => Promise<unknown>} work
 * @param {PlainTextKey} [key]
 * @returns {MenuItem} */
export function removal(work, key = "dialog.remove") {
  return { icon: "trash", risk: true, text: t(key), act: () => withErrorToast(work()) };
}

/** The ids with one of them moved up.
 * @param {number[]} ids
 * @param {number} at */
export function raised(ids, at) {
  const order = [...ids];
  [order[at - 1], order[at]] = [order[at], order[at - 1]];
  return order;
}

/** A dialog with fields and the button that does something with them. It stays open while that is refused.
 * @param {string} title
 * @param {Child[]} fields
 * @param {string} button
 * @param {() => Promise<unknown>} work
 * @returns {HTMLDialogElement} */
export function formDialog(title, fields, button, work) {
  const failure = h("p", { class: "wrong", role: "alert" });
  const go = oneAtATime(async () => {
    failure.textContent = "";
    try {
      await work();
      dialog.close();
    } catch (error) {
      failure.textContent = /** @type {Error} */ (error).message;
    }
  });
  const dialog = openDialog(title, [h("div", { class: "fields" }, ...fields, failure)], {
    footer: [
      h("button", { class: "b", type: "button", "data-close": true }, t("dialog.cancel")),
      h("button", { class: "b go", type: "button", onclick: go }, button),
    ],
  });
  return dialog;
}
