/** Polls, to-do lists and forms that one can take part in. A message with submessages begins with what
 * it is; the others are what people have done with it, in order. */

import { post } from "../core/api.js";
import { conversationOf, isInChannel } from "../state/conversations.js";
import { h } from "../core/html.js";
import { isSpectator, myId } from "../state/session.js";
import { enter } from "../sync/outbox.js";
import { nameOf, shortName } from "../state/people.js";
import { oneAtATime } from "../core/signals.js";
import { toast } from "../views/layout.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {{key: string, text: string, voters: Set<number>}} Option */
/** @typedef {{key: string, text: string, about: string, isDone: boolean}} Task */

/** @param {Message} message
 * @returns {HTMLElement | null} null if nobody knows the kind */
export function drawWidget(message) {
  const [first] = message.submessages;
  const begun = read(first?.content);
  if (begun?.widget_type === "poll") return drawPoll(message, begun.extra_data ?? {});
  if (begun?.widget_type === "todo") return drawTodo(message, begun.extra_data ?? {});
  if (begun?.widget_type === "zform") return drawForm(message, begun.extra_data ?? {});
  return null;
}

/** What a poll has come to.
 * @param {Message} message
 * @param {Record<string, any>} begun
 * @returns {{question: string, options: Option[]}} */
export function pollOf(message, begun) {
  /** @type {Map<string, Option>} */
  const options = new Map();
  let question = String(begun.question ?? "");
  (begun.options ?? []).forEach((/** @type {string} */ text, /** @type {number} */ at) => options.set(`canned,${at}`, { key: `canned,${at}`, text: String(text), voters: new Set() }));
  for (const { sender_id, content } of message.submessages.slice(1)) {
    const deed = read(content);
    if (deed?.type === "new_option" && typeof deed.option === "string") {
      const key = `${sender_id},${deed.idx}`;
      if (!options.has(key)) options.set(key, { key, text: deed.option, voters: new Set() });
    } else if (deed?.type === "question" && sender_id === message.sender_id) {
      question = String(deed.question);
    } else if (deed?.type === "vote") {
      const option = options.get(deed.key);
      if (deed.vote === 1) option?.voters.add(sender_id);
      else option?.voters.delete(sender_id);
    }
  }
  return { question, options: [...options.values()] };
}

/** @param {Message} message
 * @param {Record<string, any>} begun */
function drawPoll(message, begun) {
  const { question, options } = pollOf(message, begun);
  const most = Math.max(1, ...options.map((option) => option.voters.size), new Set(options.flatMap((option) => [...option.voters])).size);
  const rows = options.map((option) => pollRow(message, option, most));
  return h("div", { class: "poll", role: "group", "aria-label": say("poll.title") }, h("p", {}, question || say("poll.no-question")), ...rows, isSpectator() ? null : adding(say("poll.add"), (text) => {
    const own = message.submessages.filter((each) => each.sender_id === myId()).length;
    return act(message, { type: "new_option", idx: own + 1, option: text });
  }), message.sender_id === myId() && asking(say("poll.edit-question"), say("poll.change-button"), (text) => act(message, { type: "question", question: text }), question));
}

/** @param {Message} message
 * @param {Option} option
 * @param {number} most */
function pollRow(message, { key, text, voters }, most) {
  const count = voters.size;
  const mine = voters.has(myId());
  const names = [...voters].map((id) => (id === myId() ? say("people.you").toLowerCase() : shortName(id))).join(", ");
  const vote = h("button", { class: "vote", type: "button", "aria-pressed": String(mine), "aria-label": say("poll.vote", { option: text, count }), disabled: isSpectator(), onclick: () => act(message, { type: "vote", key, vote: mine ? -1 : 1 }) }, count);
  return h("div", { class: "opt" }, vote, h("span", { class: "o" }, h("bdi", {}, text), h("small", { class: "cut" }, names)), h("progress", { max: most, value: count, "aria-label": say("poll.votes", { option: text, count }) }));
}

/** @param {Message} message
 * @param {Record<string, any>} begun
 * @returns {{title: string, tasks: Task[]}} */
export function todoOf(message, begun) {
  /** @type {Map<string, Task>} */
  const tasks = new Map();
  let title = String(begun.task_list_title ?? "");
  (begun.tasks ?? []).forEach((/** @type {any} */ task, /** @type {number} */ at) => tasks.set(`${at},canned`, { key: `${at},canned`, text: String(task.task), about: String(task.desc ?? ""), isDone: false }));
  for (const { sender_id, content } of message.submessages.slice(1)) {
    const deed = read(content);
    if (deed?.type === "new_task" && typeof deed.task === "string") {
      const key = `${deed.key},${sender_id}`;
      if (!tasks.has(key)) tasks.set(key, { key, text: deed.task, about: String(deed.desc ?? ""), isDone: Boolean(deed.completed) });
    } else if (deed?.type === "new_task_list_title" && sender_id === message.sender_id) {
      title = String(deed.title);
    } else if (deed?.type === "strike") {
      const task = tasks.get(deed.key);
      if (task) task.isDone = !task.isDone;
    }
  }
  return { title, tasks: [...tasks.values()] };
}

/** @param {Message} message
 * @param {Record<string, any>} begun */
function drawTodo(message, begun) {
  const { title, tasks } = todoOf(message, begun);
  const rows = tasks.map(({ key, text, about, isDone }) => h("li", {}, h("label", { class: isDone ? "done" : "" },
    h("input", { type: "checkbox", checked: isDone, disabled: isSpectator(), onchange: () => act(message, { type: "strike", key }) }),
    h("span", {}, h("bdi", {}, text), about && h("small", {}, about)))));
  return h("div", { class: "poll todo", role: "group", "aria-label": say("todo.title") }, h("p", {}, title || say("todo.title")),
    rows.length ? h("ul", { class: "plain" }, ...rows) : h("p", { class: "quiet" }, say("todo.none")),
    isSpectator() ? null : adding(say("todo.add"), (text) => {
      const own = message.submessages.filter((each) => each.sender_id === myId()).length;
      return act(message, { type: "new_task", key: own + 1, task: text, desc: "", completed: false });
    }), message.sender_id === myId() && asking(say("todo.edit-title"), say("poll.change-button"), (text) => act(message, { type: "new_task_list_title", title: text }), title));
}

/** Choices; what whoever takes one says to the program that asks.
 * @param {Message} message
 * @param {Record<string, any>} begun */
function drawForm(message, begun) {
  const rows = (begun.choices ?? []).map((/** @type {Record<string, string>} */ { short_name, long_name, reply }) => h("div", { class: "opt" },
    h("button", { class: "vote", type: "button", "aria-label": `${short_name}: ${long_name}`, disabled: isSpectator(), onclick: oneAtATime(() => answer(message, reply)) }, short_name),
    h("span", { class: "o" }, h("bdi", {}, long_name))));
  return h("div", { class: "poll", role: "group", "aria-label": String(begun.heading ?? "") }, h("p", {}, begun.heading ?? ""), ...rows);
}

/** In a channel the program must be called to hear it.
 * @param {Message} message
 * @param {string} reply */
function answer(message, reply) {
  const conversation = conversationOf(message);
  return enter(conversation, isInChannel(conversation) ? `@**${nameOf(message.sender_id)}|${message.sender_id}** ${reply}` : reply);
}

/** A field that adds something.
 * @param {string} label
 * @param {(text: string) => unknown} add */
function adding(label, add) {
  return asking(label, say("poll.add-button"), add);
}

/** A line that opens to a field.
 * @param {string} label
 * @param {string} button
 * @param {(text: string) => unknown} take
 * @param {string} [now] what stands there already */
function asking(label, button, take, now = "") {
  const field = h("input", { class: "f slim", "aria-label": label, placeholder: label, maxlength: 200, dir: "auto", value: now });
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
 * @param {Record<string, any>} deed */
async function act(message, deed) {
  try {
    await post("/submessage", { message_id: message.id, msg_type: "widget", content: JSON.stringify(deed) });
  } catch (error) {
    toast(/** @type {Error} */ (error).message);
  }
}

/** @param {unknown} text
 * @returns {any} */
function read(text) {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
