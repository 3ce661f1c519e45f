/** Answers of bots that grow in the open conversation, below its messages. The finished answer is an ordinary
 * message. */

import { get, post } from "../core/api.js";
import { elementAtPath, elementPath, h, icon, parseServerHtml, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { lazy } from "../core/lazy.js";
import { pageScope } from "../core/scope.js";
import { conversationOf, directWith, keyOf, titleOf } from "../state/conversations.js";
import { addStoppedAnswer, mayDelete } from "../state/deletion.js";
import { findMessage } from "../state/messages.js";
import { conversationHash } from "../state/narrow.js";
import { nameOf } from "../state/people.js";
import { myId } from "../state/session.js";
import { avatar } from "./avatars.js";
import { currentComposeBox } from "./compose.js";
import { fetchMessages } from "./conversation_rows.js";
import { currentMessageView } from "./message_view.js";
import { formatShortTime, formatTime } from "./time.js";

/** @typedef {import("../core/api_types.d.ts").ServerEvents["answer"]} AnswerEvent */
/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {{event: AnswerEvent, text: string, status: string, heardAt: number, stoppedAt: number, endedAt: number,
 *   messageId: number, sources: Message[], hasSourcesOpen: boolean, isHidden: boolean}} GrowingAnswer
 *   `stoppedAt`, `endedAt` and `messageId` are 0 until then; `isHidden` from the bot's next message to the next piece
 *   or the end */

const SILENT_MS = 60_000;
const DONE_MS = 20_000; // how long a finished answer says how long it took
const TICK_MS = 1000;
const MAX_SOURCES = 20;
const MESSAGE_LINK = /\/near\/(\d+)$/;

/** @type {Map<string, GrowingAnswer>} */
const answers = new Map();
const place = h("div", { class: "answers", role: "feed", "aria-busy": "true" });
/** What a screen reader says: beginnings and ends, never the pieces or the seconds. */
const liveRegion = h("div", { class: "hidden", role: "status" });
let ticking = 0;

place.setAttribute("aria-label", t("answer.growing"));
document.body.append(liveRegion);
pageScope.on(["route", "reset"], () => queueMicrotask(drawAnswers));
pageScope.on("messageArrived", hideReplaced);
pageScope.listen(document, "keydown", stopByKey, { capture: true });

/** @param {AnswerEvent} event */
export function applyAnswerEvent(event) {
  const known = answers.get(event.answer_token);
  if (event.op === "end") {
    if (known && event.message_id) {
      known.endedAt = Date.now();
      known.messageId = event.message_id;
      if (known.stoppedAt && isMine(known)) addStoppedAnswer(known.messageId);
      fetchSources(known);
    } else answers.delete(event.answer_token);
    if (known && event.message_id && isOpen(known)) announceAnswer("answer.done", known);
  } else {
    const answer = known ?? {
      event,
      text: "",
      status: "",
      heardAt: 0,
      stoppedAt: 0,
      endedAt: 0,
      messageId: 0,
      sources: [],
      hasSourcesOpen: false,
      isHidden: false,
    };
    answers.set(event.answer_token, answer);
    answer.heardAt = Date.now();
    if (event.op === "stop") answer.stoppedAt ||= Date.now();
    if (event.op === "update") write(answer, event);
    if (isOpen(answer) && (!known || event.op === "stop"))
      announceAnswer(known ? "answer.stopped" : "answer.begins", answer);
    if (!known && event.op === "update" && event.position) fetchText(answer);
  }
  drawAnswers();
}

/** @param {GrowingAnswer} answer
 * @param {{position?: number, content?: string, status_line?: string}} piece */
function write(answer, { position = 0, content = "", status_line: status = "" }) {
  answer.text =
    answer.text.slice(0, position).padEnd(position) + content + answer.text.slice(position + content.length);
  answer.status = status;
  answer.isHidden = false;
}

/** The message that an answer has become can arrive before the end of the answer: do not show both.
 * @param {Message} message */
function hideReplaced(message) {
  const replaced = [...answers.values()].filter(
    ({ event, endedAt }) =>
      event.sender_id === message.sender_id && !endedAt && keyOf(placeOf(event)) === keyOf(conversationOf(message)),
  );
  for (const answer of replaced) answer.isHidden = true;
  if (replaced.length) drawAnswers();
}

/** The beginning of an answer that grew before this page was opened.
 * @param {GrowingAnswer} answer */
async function fetchText(answer) {
  const found = (await get("/answers").catch(() => ({ answers: [] }))).answers.find(
    (each) => each.answer_token === answer.event.answer_token,
  );
  if (found && found.content.length >= answer.text.length) answer.text = found.content;
  drawAnswers();
}

/** @param {"answer.begins" | "answer.done" | "answer.stopped"} key
 * @param {GrowingAnswer} answer */
function announceAnswer(key, answer) {
  liveRegion.textContent = t(key, { name: nameOf(answer.event.sender_id), count: secondsOf(answer) });
}

/** Whether the answer grows in the open conversation.
 * @param {GrowingAnswer} answer */
function isOpen(answer) {
  const conversation = currentMessageView()?.route.conversation;
  return conversation !== undefined && keyOf(placeOf(answer.event)) === keyOf(conversation);
}

/** How long the bot has written.
 * @param {GrowingAnswer} answer */
function secondsOf({ event, stoppedAt, endedAt }) {
  return Math.max(0, Math.round((stoppedAt || endedAt || Date.now()) / 1000 - event.started));
}

/** @param {GrowingAnswer} answer */
function isBroken({ heardAt, stoppedAt, endedAt }) {
  return !stoppedAt && !endedAt && Date.now() - heardAt > SILENT_MS;
}

/** Escape stops the answer that the person asked for, if nothing else is open that Escape closes.
 * @param {KeyboardEvent} event */
function stopByKey(event) {
  const field = /** @type {HTMLElement} */ (event.target);
  if (
    event.key !== "Escape" ||
    field.closest("dialog, [popover]") ||
    document.querySelector("dialog[open], [popover]:popover-open")
  )
    return;
  if (field.matches("input, textarea") && /** @type {HTMLInputElement} */ (field).value) return;
  const current = [...answers.values()]
    .filter((answer) => isMine(answer) && isOpen(answer) && !answer.stoppedAt && !answer.endedAt && !isBroken(answer))
    .at(-1);
  if (!current) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  stop(current);
}

/** @param {GrowingAnswer} answer */
function stop({ event }) {
  return post(`/answers/${event.answer_token}/stop`).catch(() => {});
}

/** @param {GrowingAnswer} answer */
function isMine({ event }) {
  return event.asked_by === myId();
}

/** Whether the line below a finished answer has been shown long enough.
 * @param {GrowingAnswer} answer */
function isOver(answer) {
  return Boolean(answer.endedAt) && Date.now() - answer.endedAt > DONE_MS && !(answer.hasSourcesOpen && isOpen(answer));
}

function drawAnswers() {
  for (const [token, answer] of answers) if (isOver(answer)) answers.delete(token);
  const view = currentMessageView();
  const here = [...answers.values()].filter((answer) => isOpen(answer) && (answer.endedAt || !answer.isHidden));
  if (!view || !here.length) place.remove();
  else {
    const wasAtEnd = view.list.isAtEnd;
    if (place.nextSibling !== view.typing) view.typing.before(place);
    place.setAttribute("aria-busy", String(here.some(({ endedAt }) => !endedAt)));
    const focused =
      document.activeElement && place.contains(document.activeElement)
        ? elementPath(place, document.activeElement)
        : undefined;
    setChildren(place, ...here.map((answer) => (answer.endedAt ? doneLine(answer) : answerRow(answer))));
    if (focused) elementAtPath(place, focused)?.focus({ preventScroll: true });
    if (wasAtEnd) view.list.scrollToEnd();
  }
  clearTimeout(ticking);
  if (answers.size) ticking = window.setTimeout(drawAnswers, TICK_MS);
}

/** @param {AnswerEvent} event */
function placeOf(event) {
  return event.stream_id === undefined
    ? directWith((event.user_ids ?? []).filter((id) => id !== myId()))
    : { channel: event.stream_id, topic: event.topic ?? "" };
}

/** @param {GrowingAnswer} answer */
function answerRow(answer) {
  const { event, text, stoppedAt } = answer;
  const isLive = !stoppedAt && !isBroken(answer);
  const name = nameOf(event.sender_id);
  const lines = text.split("\n").flatMap((line, at) => (at ? [h("br"), line] : [line]));
  const who = h(
    "div",
    { class: "who" },
    avatar(event.sender_id),
    h("span", { class: "id" }, h("span", { class: "name" }, name), h("span", { class: "tag" }, t("people.bot"))),
  );
  return h(
    "article",
    {
      class: `line first ${isBroken(answer) ? "failed" : ""}`.trim(),
      tabindex: -1,
      "aria-label": `${name}, ${formatTime(event.started)}`,
      "data-answer": event.answer_token,
    },
    who,
    h(
      "div",
      { class: "what", dir: "auto" },
      Boolean(text) && h("p", {}, ...lines, isLive && h("span", { class: "grow" })),
      isLive ? liveLine(answer) : endLine(answer),
    ),
    h("span", { class: "when" }, formatTime(event.started)),
  );
}

/** @param {GrowingAnswer} answer */
function liveLine(answer) {
  const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const button = h(
    "button",
    {
      class: "stop",
      type: "button",
      "data-key": "answer-stop",
      "aria-keyshortcuts": "Escape",
      onclick: () => stop(answer),
    },
    icon("stop", "s"),
    t("answer.stop"),
  );
  return h(
    "div",
    { class: "send-state live" },
    dots,
    h(
      "span",
      {},
      [answer.status || t("answer.writing"), t("answer.seconds", { count: secondsOf(answer) })].join(" · "),
    ),
    isMine(answer) && button,
  );
}

/** The line of an answer that was stopped or broke off.
 * @param {GrowingAnswer} answer */
function endLine(answer) {
  const text = answer.stoppedAt ? stoppedText(answer) : t("answer.broken", { count: SILENT_MS / 1000 });
  const again = answer.stoppedAt
    ? h("button", { type: "button", onclick: () => goOn(answer) }, t("answer.go-on"))
    : h("button", { type: "button", onclick: () => askAgain(answer) }, t("answer.ask-again"));
  return h(
    "div",
    { class: "send-state" },
    icon(answer.stoppedAt ? "stop" : "alert", "s"),
    h("span", {}, text),
    isMine(answer) && again,
  );
}

/** @param {GrowingAnswer} answer */
function stoppedText(answer) {
  return isMine(answer) ? t("answer.stopped-by-you", { count: secondsOf(answer) }) : t("answer.stopped");
}

/** Below the message that the answer has become: how long it took, or that it was stopped, and its sources.
 * @param {GrowingAnswer} answer */
function doneLine(answer) {
  const name = nameOf(answer.event.sender_id);
  const message = findMessage(answer.messageId);
  const text = answer.stoppedAt ? stoppedText(answer) : t("answer.done", { count: secondsOf(answer) });
  const goOnButton = h("button", { type: "button", onclick: () => goOn(answer) }, t("answer.go-on"));
  const deleteButton = h("button", { type: "button", onclick: () => deleteAnswer(answer) }, t("answer.delete"));
  return h(
    "article",
    { class: "line answered", tabindex: -1, "aria-label": name },
    h(
      "div",
      { class: "what" },
      h(
        "div",
        { class: "send-state" },
        icon(answer.stoppedAt ? "stop" : "check", "s"),
        h("span", {}, text),
        answer.sources.length > 0 && sourcesButton(answer),
        answer.stoppedAt > 0 && isMine(answer) && goOnButton,
        message && mayDelete(message) && deleteButton,
      ),
      answer.hasSourcesOpen && h("ol", { class: "sources", id: sourcesId(answer) }, ...answer.sources.map(sourceItem)),
    ),
  );
}

/** @param {GrowingAnswer} answer */
function sourcesButton(answer) {
  const toggle = () => {
    answer.hasSourcesOpen = !answer.hasSourcesOpen;
    drawAnswers();
  };
  return h(
    "button",
    {
      type: "button",
      "aria-expanded": String(answer.hasSourcesOpen),
      "aria-controls": sourcesId(answer),
      onclick: toggle,
    },
    answer.hasSourcesOpen ? t("answer.hide-sources") : t("answer.show-sources", { count: answer.sources.length }),
  );
}

/** @param {GrowingAnswer} answer */
function sourcesId({ messageId }) {
  return `answer-sources-${messageId}`;
}

/** @param {Message} message */
function sourceItem(message) {
  const conversation = conversationOf(message);
  const what = {
    name: message.sender_full_name,
    topic: titleOf(conversation),
    when: formatShortTime(message.timestamp, true),
  };
  return h(
    "li",
    {},
    h("a", { href: conversationHash(conversation, message.id) }, h("bdi", {}, t("answer.source", what))),
  );
}

/** The messages to which the finished answer links, as far as the person may read them.
 * @param {GrowingAnswer} answer */
async function fetchSources(answer) {
  await fetchMessages([answer.messageId]).catch(() => {});
  const links = parseServerHtml(findMessage(answer.messageId)?.content ?? "").querySelectorAll("a[href*='/near/']");
  const ids = [...new Set([...links].map((link) => Number(link.getAttribute("href")?.match(MESSAGE_LINK)?.[1] ?? 0)))]
    .filter(Boolean)
    .slice(0, MAX_SOURCES);
  await fetchMessages(ids).catch(() => {});
  answer.sources = ids.flatMap((id) => findMessage(id) ?? []);
  drawAnswers();
}

/** @param {GrowingAnswer} answer */
async function deleteAnswer(answer) {
  const message = findMessage(answer.messageId);
  if (!message) return;
  answers.delete(answer.event.answer_token);
  drawAnswers();
  (await lazy("dialogs", "deleteMessage"))(message);
}

/** Write to the bot that it should continue. The person sends it.
 * @param {GrowingAnswer} answer */
function goOn({ event }) {
  currentComposeBox()?.insert(`@**${nameOf(event.sender_id)}** ${t("answer.go-on-text")}`, { alone: true });
}

/** Put the question into the compose box again: the last message of the person before the answer.
 * @param {GrowingAnswer} answer */
async function askAgain({ event }) {
  const conversation = placeOf(event);
  const place =
    event.stream_id === undefined
      ? [{ operator: "dm", operand: event.user_ids }]
      : [
          { operator: "channel", operand: event.stream_id },
          { operator: "topic", operand: event.topic },
        ];
  const found = await get("/messages", {
    anchor: "newest",
    num_before: 20,
    num_after: 0,
    apply_markdown: false,
    allow_empty_topic_name: true,
    narrow: [...place, { operator: "sender", operand: myId() }],
  }).catch(() => ({ messages: [] }));
  const question =
    found.messages.filter((each) => each.timestamp <= event.started + 1).at(-1)?.content ??
    `@**${nameOf(event.sender_id)}** `;
  if (keyOf(conversation) === keyOf(currentMessageView()?.route.conversation ?? conversation))
    currentComposeBox()?.insert(question, { alone: true });
}
