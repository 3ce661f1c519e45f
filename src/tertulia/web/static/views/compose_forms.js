/** Forms in place of the text of a compose box, so that no user has to know a syntax: poll, to-do list, time, table,
 * spoiler and heading. The text stays below and comes back when the form is closed. */

import { post } from "../core/api.js";
import { h, icon, iconButton, setChildren } from "../core/html.js";
import { oneAtATime } from "../core/signals.js";
import { t } from "../core/i18n.js";
import { isInChannel } from "../state/conversations.js";
import { ownTimeZone, timeZones, withOffset } from "../state/time_zones.js";
import { currentComposeBox } from "./compose.js";
import { ChoiceField } from "./choice_field.js";
import { MomentField } from "./moment_field.js";
import { toast } from "./layout.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */
/** @typedef {import("../core/html.js").Child} Child */

const MAX_LENGTH = 200;
const MAX_COLUMNS = 8;
const MIN_OPTIONS = { poll: 2, todo: 1 };

export function pollForm() {
  optionsForm("poll");
}

export function todoForm() {
  optionsForm("todo");
}

/** A time that every reader sees in their own time zone. */
export function timeForm() {
  const value = new Date(Date.now() + 3600_000);
  value.setMinutes(0, 0, 0);
  const moment = new MomentField(t("form.time-field"), { value, isPastAllowed: true });
  const zone = new ChoiceField(t("form.zone"), timeZones(), t("form.unknown"), { value: ownTimeZone() });
  const zoneField = h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, t("form.zone")), zone.element);
  openForm(
    t("form.time"),
    [moment.element, zoneField, h("p", { class: "hint" }, t("form.time-hint"))],
    () => `<time:${withOffset(moment.local, zone.value ?? ownTimeZone())}> `,
    { isValid: () => moment.date !== undefined && zone.validate() },
  );
}

export function headingForm() {
  const level = h(
    "select",
    { class: "f" },
    ...[1, 2, 3].map((each) => h("option", { value: each, selected: each === 2 }, t(`form.heading-${each}`))),
  );
  const text = h("input", {
    class: "f",
    value: selectedText().replaceAll("\n", " "),
    maxlength: MAX_LENGTH,
    dir: "auto",
    required: true,
  });
  openForm(
    t("form.heading"),
    [labelled(t("form.heading-text"), text), labelled(t("form.heading-level"), level)],
    () => `${"#".repeat(Number(level.value))} ${text.value.trim()}\n`,
    { alone: true },
  );
}

/** Text that is hidden until a reader wants to see it. */
export function spoilerForm() {
  const title = h("input", { class: "f", maxlength: MAX_LENGTH, dir: "auto" });
  const text = h("textarea", { class: "f", rows: 4, dir: "auto", required: true });
  text.value = selectedText();
  openForm(
    t("form.spoiler"),
    [labelled(t("form.spoiler-title"), title), labelled(t("form.spoiler-text"), text)],
    () => {
      const fence = "`".repeat(Math.max(3, ...[...text.value.matchAll(/^`+/gm)].map(([ticks]) => ticks.length + 1)));
      return `${fence}spoiler ${title.value.trim()}\n${text.value.trim()}\n${fence}\n`;
    },
    { alone: true },
  );
}

export function tableForm() {
  const grid = h("div", { class: "cells" });
  const cells = [
    ["", ""],
    ["", ""],
    ["", ""],
  ]; // the first row has the titles
  const draw = () => {
    grid.style.setProperty("--columns", String(cells[0].length));
    setChildren(
      grid,
      ...cells.flatMap((row, at) =>
        row.map((value, column) =>
          h("input", {
            class: "f",
            value,
            dir: "auto",
            "aria-label": at
              ? t("form.cell", { row: at, column: column + 1 })
              : t("form.column", { column: column + 1 }),
            placeholder: at ? null : t("form.column", { column: column + 1 }),
            oninput: (/** @type {Event} */ event) => {
              row[column] = /** @type {HTMLInputElement} */ (event.target).value;
            },
          }),
        ),
      ),
    );
    addColumn.disabled = cells[0].length >= MAX_COLUMNS;
  };
  const focusCell = (/** @type {number} */ at) => /** @type {HTMLElement} */ (grid.children[at]).focus();
  const addRow = h(
    "button",
    {
      class: "b",
      type: "button",
      onclick: () => {
        cells.push(cells[0].map(() => ""));
        draw();
        focusCell((cells.length - 1) * cells[0].length);
      },
    },
    t("form.add-row"),
  );
  const addColumn = h(
    "button",
    {
      class: "b",
      type: "button",
      onclick: () => {
        for (const row of cells) row.push("");
        draw();
        focusCell(cells[0].length - 1);
      },
    },
    t("form.add-column"),
  );
  draw();
  openForm(
    t("form.table"),
    [grid, h("div", { class: "set" }, addRow, addColumn)],
    ({ box }) => {
      const before = box.value.slice(0, box.selectionStart);
      const gap = before && !before.endsWith("\n\n") ? "\n" : ""; // a table is a block of its own
      const lines = cells.map((row) => `| ${row.map((cell) => escapeBars(cell.trim())).join(" | ")} |`);
      return `${gap}${[lines[0], `|${" --- |".repeat(cells[0].length)}`, ...lines.slice(1)].join("\n")}\n\n`;
    },
    { alone: true },
  );
}

/** A vertical bar ends a cell, but not in code.
 * @param {string} cell */
function escapeBars(cell) {
  return cell.replaceAll(/(`+)[^`]+\1|\|/g, (found) => (found === "|" ? "&#124;" : found));
}

/** A poll or a to-do list: it is a message of its own, so it is sent at once.
 * @param {"poll" | "todo"} kind */
function optionsForm(kind) {
  const question = h("input", { class: "f", maxlength: MAX_LENGTH, dir: "auto", required: true });
  const options = h("ul", { class: "opts", "aria-label": t(`form.${kind}-options`) });
  options.addEventListener("input", () => addEmptyOption(options, kind));
  options.addEventListener("keydown", moveOption);
  addEmptyOption(options, kind);
  const texts = () => [...options.querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
  const others = kind === "poll" ? h("input", { type: "checkbox", checked: true }) : undefined;
  openForm(
    t(`form.${kind}`),
    [
      labelled(t(`form.${kind}-question`), question),
      h("div", {}, h("span", { class: "label" }, t(`form.${kind}-options`)), options),
    ],
    async (box) => {
      const to = box.conversation;
      const where = isInChannel(to)
        ? { type: "channel", to: to.channel, topic: to.topic }
        : { type: "direct", to: to.people };
      const title = question.value.trim();
      const widget =
        others && !others.checked
          ? {
              widget_content: {
                widget_type: kind,
                extra_data: { question: title, options: texts(), others_may_add: false },
              },
            }
          : {};
      await post("/messages", {
        ...where,
        content: [`/${kind} ${title}`, ...texts()].join("\n"),
        read_by_sender: true,
        ...widget,
      });
      return "";
    },
    {
      submit: t(`form.${kind}-send`),
      refusal: () => (texts().length < MIN_OPTIONS[kind] ? t(`form.${kind}-too-few`) : ""),
      isLong: true,
      option: others && h("label", { class: "check" }, others, t("form.poll-others")),
    },
  );
}

/** There is always one empty option at the end.
 * @param {HTMLElement} options
 * @param {"poll" | "todo"} kind */
function addEmptyOption(options, kind) {
  const inputs = [...options.querySelectorAll("input")];
  if (inputs.length && !inputs.at(-1)?.value) return;
  const remove = () => {
    const next = item.nextElementSibling?.querySelector("input");
    item.remove();
    addEmptyOption(options, kind);
    numberOptions(options);
    (next ?? options.querySelector("input"))?.focus();
  };
  const grip = h("span", { class: "grip", "aria-hidden": "true", title: t("form.move") }, icon("drag", "s"));
  grip.addEventListener("pointerdown", (event) => startDrag(event, grip, options));
  const item = h(
    "li",
    {},
    grip,
    h("input", { class: "f", placeholder: t(`form.${kind}-add`), maxlength: MAX_LENGTH, dir: "auto" }),
    iconButton("close", "", { onclick: remove }),
  );
  options.append(item);
  numberOptions(options);
}

/** Name the options by their places.
 * @param {HTMLElement} options */
function numberOptions(options) {
  for (const [at, item] of [...options.children].entries()) {
    const remove = item.querySelector("button");
    const text = t("form.remove", { count: at + 1 });
    item.querySelector("input")?.setAttribute("aria-label", t("form.option", { count: at + 1 }));
    remove?.setAttribute("aria-label", text);
    if (remove) remove.title = text;
  }
}

/** The item of a grip follows the pointer; the empty option stays the last.
 * @param {PointerEvent} event
 * @param {HTMLElement} grip
 * @param {HTMLElement} options */
function startDrag(event, grip, options) {
  const item = /** @type {HTMLElement} */ (grip.closest("li"));
  event.preventDefault();
  options.setPointerCapture(event.pointerId); // an item that is moved would lose it
  item.classList.add("dragged");
  options.onpointermove = ({ clientY }) => {
    const others = [...options.children].slice(0, -1).filter((other) => other !== item);
    const next =
      others.find((other) => clientY < other.getBoundingClientRect().top + other.getBoundingClientRect().height / 2) ??
      options.lastElementChild;
    if (next && item.nextElementSibling !== next) next.before(item);
  };
  options.onlostpointercapture = () => {
    options.onpointermove = null;
    item.classList.remove("dragged");
    numberOptions(options);
  };
}

/** Alt with an arrow moves an option.
 * @param {KeyboardEvent} event */
function moveOption(event) {
  const input = /** @type {HTMLElement} */ (event.target);
  const item = input.closest("li");
  const other =
    event.key === "ArrowUp"
      ? item?.previousElementSibling
      : event.key === "ArrowDown"
        ? item?.nextElementSibling
        : null;
  const isLast = [item, other].some((each) => each && !each.nextElementSibling); // the empty option
  if (!event.altKey || !item?.parentElement || !other || isLast) return;
  event.preventDefault();
  if (event.key === "ArrowUp") other.before(item);
  else other.after(item);
  numberOptions(item.parentElement);
  input.focus();
}

/** Show a form in place of the text.
 * @param {string} title
 * @param {Child[]} fields
 * @param {(box: ComposeBox) => string | Promise<string>} result what is inserted into the text
 * @param {{submit?: string, alone?: boolean, isValid?: () => boolean, refusal?: () => string, isLong?: boolean,
 *   option?: Child}} [options] `alone` inserts it on lines of its own; `refusal` says why it is not ready; in a long
 *   form Enter goes to the next field and Ctrl+Enter submits; `option` is beside the buttons */
function openForm(
  title,
  fields,
  result,
  { submit = t("form.insert"), alone = false, isValid = () => true, refusal = () => "", isLong = false, option } = {},
) {
  const box = currentComposeBox();
  if (!box) return;
  box.frame.querySelector(".form-in")?.remove();
  let isAsked = false; // whether Escape was pressed once
  const hint = h("span", { class: "hint", role: "status" });
  const close = () => {
    form.remove();
    box.frame.classList.remove("forming");
    box.box.focus();
  };
  const run = oneAtATime(async () => {
    try {
      const text = await result(box);
      close();
      if (text) box.insert(text, { alone });
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
  });
  const form = h(
    "form",
    {
      class: "form-in",
      "aria-label": title,
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        hint.textContent = refusal();
        if (isValid() && !hint.textContent) run();
      },
    },
    h("h2", {}, title),
    ...fields,
    h(
      "div",
      { class: "go-row" },
      option,
      hint,
      h(
        "span",
        { class: "end" },
        h("button", { class: "b", type: "button", onclick: close }, t("form.cancel")),
        h("button", { class: "b go" }, submit),
      ),
    ),
  );
  if (isLong) form.addEventListener("keydown", enterGoesOn);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isAsked || !hasInput) return close();
    isAsked = true;
    hint.textContent = t("form.discard");
    return undefined;
  });
  let hasInput = false;
  form.addEventListener("input", () => (hasInput = true));
  box.showPreview(false);
  box.frame.append(form);
  box.frame.classList.add("forming");
  /** @type {HTMLElement | null} */ (form.querySelector("input, textarea"))?.focus();
}

/** In a form with a list of fields Enter goes to the next field; Ctrl+Enter submits.
 * @param {KeyboardEvent} event */
function enterGoesOn(event) {
  const field = event.target;
  if (event.key !== "Enter" || event.isComposing || !(field instanceof HTMLInputElement) || !field.form) return;
  event.preventDefault();
  const fields = [...field.form.querySelectorAll("input")].filter((each) => each.type !== "checkbox");
  if (event.ctrlKey || event.metaKey) field.form.requestSubmit();
  else fields[fields.indexOf(field) + 1]?.focus();
}

/** @param {string} text
 * @param {HTMLElement} field */
function labelled(text, field) {
  return h("label", { class: "field" }, h("span", {}, text), field);
}

function selectedText() {
  const field = currentComposeBox()?.box;
  return field ? field.value.slice(field.selectionStart, field.selectionEnd) : "";
}
