/** Polls, to-do lists and forms. The first submessage of a message says what widget it is; the others are the
 * actions of people, in order. */

import { post } from "../core/api.js";
import { conversationOf, isInChannel } from "../state/conversations.js";
import { h } from "../core/html.js";
import { lazy } from "../core/lazy.js";
import { isSpectator, myId } from "../state/session.js";
import { enqueue } from "../sync/outbox.js";
import { nameOf, shortName } from "../state/people.js";
import { oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { enhance } from "../views/rendered_content.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {{widget_type?: string, extra_data?: WidgetData}} Widget the first submessage */
/** @typedef {{question?: unknown, options?: unknown[], others_may_add?: boolean, task_list_title?: unknown, tasks?:
 *   {task?: unknown, desc?: unknown}[], heading?: unknown, choices?: {id?: string, short_name: string, long_name: string,
 *   reply: string}[]}} WidgetData a kind uses some of the fields */
/** @typedef {{type?: string, key?: string | number, idx?: number, option?: unknown, question?: unknown, vote?: number,
 *   task?: unknown, desc?: unknown, completed?: boolean, title?: unknown}} Action a kind uses some of the fields; other
 *   clients send it, so anything may be missing */
/** @typedef {{key: string, text: string, voters: Set<number>}} Option */
/** @typedef {{key: string, text: string, about: string, isDone: boolean}} Task */

/** @param {Message} message
 * @returns {HTMLElement | null} null for an unknown kind */
export function drawWidget(message) {
  const [first] = message.submessages;
  const initial = /** @type {Widget | null} */ (parseJson(first?.content));
  if (initial?.widget_type === "poll") return drawPoll(message, initial.extra_data ?? {});
  if (initial?.widget_type === "todo") return drawTodo(message, initial.extra_data ?? {});
  if (initial?.widget_type === "zform") return drawForm(message, initial.extra_data ?? {});
  return null;
}

/** The state of a poll after all actions.
 * @param {Message} message
 * @param {WidgetData} initial
 * @returns {{question: string, options: Option[]}} */
export function pollOf(message, initial) {
  /** @type {Map<string, Option>} */
  const options = new Map();
  let question = String(initial.question ?? "");
  (initial.options ?? []).forEach((text, at) =>
    options.set(`canned,${at}`, { key: `canned,${at}`, text: String(text), voters: new Set() }),
  );
  for (const { sender_id, content } of message.submessages.slice(1)) {
    const action = /** @type {Action | null} */ (parseJson(content));
    if (action?.type === "new_option" && typeof action.option === "string") {
      const key = `${sender_id},${action.idx}`;
      if (!options.has(key)) options.set(key, { key, text: action.option, voters: new Set() });
    } else if (action?.type === "question" && sender_id === message.sender_id) {
      question = String(action.question);
    } else if (action?.type === "vote") {
      const option = options.get(String(action.key));
      if (action.vote === 1) option?.voters.add(sender_id);
      else option?.voters.delete(sender_id);
    }
  }
  return { question, options: [...options.values()] };
}

/** @param {Message} message
 * @param {WidgetData} initial */
function drawPoll(message, initial) {
  const { question, options } = pollOf(message, initial);
  const most = Math.max(
    1,
    ...options.map((option) => option.voters.size),
    new Set(options.flatMap((option) => [...option.voters])).size,
  );
  const rows = options.map((option) => pollRow(message, option, most));
  const mayAdd = !isSpectator() && (initial.others_may_add !== false || message.sender_id === myId());
  return h(
    "div",
    { class: "poll", role: "group", "aria-label": t("poll.title") },
    h("p", {}, question || t("poll.title")),
    ...rows,
    !mayAdd
      ? null
      : addForm(t("poll.add"), (text) => {
          const own = message.submessages.filter((each) => each.sender_id === myId()).length;
          return sendAction(message, { type: "new_option", idx: own + 1, option: text });
        }),
    message.sender_id === myId() &&
      textForm(
        t("poll.edit-question"),
        t("poll.change-button"),
        (text) => sendAction(message, { type: "question", question: text }),
        question,
      ),
  );
}

/** @param {Message} message
 * @param {Option} option
 * @param {number} most */
function pollRow(message, { key, text, voters }, most) {
  const count = voters.size;
  const mine = voters.has(myId());
  const names = [...voters].map((id) => (id === myId() ? t("people.you").toLowerCase() : shortName(id))).join(", ");
  const vote = h(
    "button",
    {
      class: "vote",
      type: "button",
      "aria-pressed": String(mine),
      "aria-label": t("poll.vote", { option: text, count }),
      disabled: isSpectator(),
      onclick: () => sendAction(message, { type: "vote", key, vote: mine ? -1 : 1 }),
    },
    count,
  );
  return h(
    "div",
    { class: "opt" },
    vote,
    h("span", { class: "o" }, h("bdi", {}, text), h("small", { class: "cut" }, names)),
    h("progress", { max: most, value: count, "aria-label": t("poll.votes", { option: text, count }) }),
  );
}

/** @param {Message} message
 * @param {WidgetData} initial
 * @returns {{title: string, tasks: Task[]}} */
export function todoOf(message, initial) {
  /** @type {Map<string, Task>} */
  const tasks = new Map();
  let title = String(initial.task_list_title ?? "");
  (initial.tasks ?? []).forEach((task, at) =>
    tasks.set(`${at},canned`, {
      key: `${at},canned`,
      text: String(task.task),
      about: String(task.desc ?? ""),
      isDone: false,
    }),
  );
  for (const { sender_id, content } of message.submessages.slice(1)) {
    const action = /** @type {Action | null} */ (parseJson(content));
    if (action?.type === "new_task" && typeof action.task === "string") {
      const key = `${action.key},${sender_id}`;
      if (!tasks.has(key))
        tasks.set(key, { key, text: action.task, about: String(action.desc ?? ""), isDone: Boolean(action.completed) });
    } else if (action?.type === "new_task_list_title" && sender_id === message.sender_id) {
      title = String(action.title);
    } else if (action?.type === "strike") {
      const task = tasks.get(String(action.key));
      if (task) task.isDone = !task.isDone;
    }
  }
  return { title, tasks: [...tasks.values()] };
}

/** @param {Message} message
 * @param {WidgetData} initial */
function drawTodo(message, initial) {
  const { title, tasks } = todoOf(message, initial);
  const rows = tasks.map(({ key, text, about, isDone }) =>
    h(
      "li",
      {},
      h(
        "label",
        { class: isDone ? "done" : "" },
        h("input", {
          type: "checkbox",
          checked: isDone,
          disabled: isSpectator(),
          onchange: () => sendAction(message, { type: "strike", key }),
        }),
        h("span", {}, h("bdi", {}, text), about && h("small", {}, about)),
      ),
    ),
  );
  return h(
    "div",
    { class: "poll todo", role: "group", "aria-label": t("todo.title") },
    h("p", {}, title || t("todo.title")),
    rows.length ? h("ul", { class: "plain" }, ...rows) : h("p", { class: "quiet" }, t("todo.none")),
    isSpectator()
      ? null
      : addForm(t("todo.add"), (text) => {
          const own = message.submessages.filter((each) => each.sender_id === myId()).length;
          return sendAction(message, { type: "new_task", key: own + 1, task: text, desc: "", completed: false });
        }),
    message.sender_id === myId() &&
      textForm(
        t("todo.edit-title"),
        t("poll.change-button"),
        (text) => sendAction(message, { type: "new_task_list_title", title: text }),
        title,
      ),
  );
}

/** A form of a bot: each choice sends a reply to the bot.
 * @param {Message} message
 * @param {WidgetData} initial */
function drawForm(message, initial) {
  if (initial.choices?.some((each) => each.id)) return buttonSlot(message);
  const rows = (initial.choices ?? []).map(({ short_name, long_name, reply }) =>
    h(
      "div",
      { class: "opt" },
      h(
        "button",
        {
          class: "vote",
          type: "button",
          "aria-label": `${short_name}: ${long_name}`,
          disabled: isSpectator(),
          onclick: oneAtATime(() => sendReply(message, reply)),
        },
        short_name,
      ),
      h("span", { class: "o" }, h("bdi", {}, long_name)),
    ),
  );
  return h(
    "div",
    { class: "poll", role: "group", "aria-label": String(initial.heading ?? "") },
    h("p", {}, String(initial.heading ?? "")),
    ...rows,
  );
}

const DRAW_AGAIN_MS = 3000;

/** @type {((message: Message) => HTMLElement) | undefined} */
let drawButtons;

/** The buttons of a bot, as soon as their chunk is loaded; until then the text of the message.
 * @param {Message} message
 * @returns {HTMLElement} */
function buttonSlot(message) {
  const slot = h("div", {}, enhance(message.content));
  if (drawButtons) slot.append(drawButtons(message));
  else fillButtons(slot, message);
  return slot;
}

/** @param {HTMLElement} slot
 * @param {Message} message */
async function fillButtons(slot, message) {
  try {
    drawButtons = await lazy("apps", "drawButtons");
    slot.append(drawButtons(message));
  } catch {
    setTimeout(() => slot.isConnected && fillButtons(slot, message), DRAW_AGAIN_MS); // offline
  }
}

/** In a channel the bot gets the reply only if it is mentioned.
 * @param {Message} message
 * @param {string} reply */
function sendReply(message, reply) {
  const conversation = conversationOf(message);
  return enqueue(
    conversation,
    isInChannel(conversation) ? `@**${nameOf(message.sender_id)}|${message.sender_id}** ${reply}` : reply,
  );
}

/** A form that adds an option or a task.
 * @param {string} label
 * @param {(text: string) => unknown} add */
function addForm(label, add) {
  return textForm(label, t("dialog.add"), add);
}

/** A line that opens to a form with one text field.
 * @param {string} label
 * @param {string} button
 * @param {(text: string) => unknown} take
 * @param {string} [now] the present text */
function textForm(label, button, take, now = "") {
  const field = h("input", {
    class: "f slim",
    "aria-label": label,
    placeholder: label,
    maxlength: 200,
    dir: "auto",
    value: now,
  });
  const form = h("form", { class: "adding" }, field, h("button", { class: "b", type: "submit" }, button));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    field.value = now;
    if (text && text !== now) take(text);
  });
  return h("details", { class: "adding-more" }, h("summary", {}, label), form);
}

/** @param {Message} message
 * @param {Action} action */
async function sendAction(message, action) {
  try {
    await post("/submessage", { message_id: message.id, msg_type: "widget", content: JSON.stringify(action) });
  } catch (error) {
    toast(/** @type {Error} */ (error).message);
  }
}

/** @param {unknown} text
 * @returns {unknown} null if it is not JSON */
function parseJson(text) {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
