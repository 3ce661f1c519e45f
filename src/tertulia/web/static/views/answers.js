/** Answers of bots that grow in the open conversation, below its messages. The finished answer is an ordinary message. */

import { get, post } from "../core/api.js";
import { setChildren, h, icon } from "../core/html.js";
import { addTexts, t } from "../core/i18n.js";
import { on } from "../core/signals.js";
import { directWith, keyOf } from "../state/conversations.js";
import { nameOf } from "../state/people.js";
import { myId } from "../state/session.js";
import { answersTexts } from "./answers_texts.js";
import { avatar } from "./avatars.js";
import { currentMessageView } from "./message_view.js";
import { formatTime } from "./time.js";

/** @typedef {import("../sync/event_types.d.ts").AnswerEvent} AnswerEvent */
/** @typedef {{event: AnswerEvent, text: string, status: string, heardAt: number, isStopped: boolean}} GrowingAnswer */

const SILENT_MS = 60_000;
const TICK_MS = 1000;

/** @type {Map<string, GrowingAnswer>} */
const answers = new Map();
const place = h("div", { class: "answers", role: "feed", "aria-busy": "true" });
let ticking = 0;

addTexts(answersTexts);
place.setAttribute("aria-label", t("answer.growing"));
on(["route", "reset"], () => queueMicrotask(drawAnswers));

/** @param {AnswerEvent} event */
export function applyAnswerEvent(event) {
  if (event.op === "end") answers.delete(event.answer_token);
  else {
    const known = answers.get(event.answer_token);
    const answer = known ?? { event, text: "", status: "", heardAt: 0, isStopped: false };
    answers.set(event.answer_token, answer);
    answer.heardAt = Date.now();
    answer.isStopped ||= event.op === "stop";
    if (event.op === "update") write(answer, event);
    if (!known && event.op === "update" && event.position) fetchText(answer);
  }
  drawAnswers();
}

/** @param {GrowingAnswer} answer
 * @param {{position?: number, content?: string, status_line?: string}} piece */
function write(answer, { position = 0, content = "", status_line: status = "" }) {
  answer.text = answer.text.slice(0, position).padEnd(position) + content + answer.text.slice(position + content.length);
  answer.status = status;
}

/** The beginning of an answer that grew before this page was opened.
 * @param {GrowingAnswer} answer */
async function fetchText(answer) {
  const found = (await get("/answers").catch(() => ({ answers: [] }))).answers.find((each) => each.answer_token === answer.event.answer_token);
  if (found && found.content.length >= answer.text.length) answer.text = found.content;
  drawAnswers();
}

function drawAnswers() {
  const view = currentMessageView();
  const conversation = view?.route.conversation;
  const here = conversation ? [...answers.values()].filter((answer) => keyOf(conversationOf(answer.event)) === keyOf(conversation)) : [];
  if (!view || !here.length) place.remove();
  else {
    const wasAtEnd = view.list.isAtEnd;
    if (place.nextSibling !== view.typing) view.typing.before(place);
    setChildren(place, ...here.map(answerRow));
    if (wasAtEnd) view.list.scrollToEnd();
  }
  clearTimeout(ticking);
  if (answers.size) ticking = window.setTimeout(drawAnswers, TICK_MS);
}

/** @param {AnswerEvent} event */
function conversationOf(event) {
  return event.stream_id === undefined ? directWith((event.user_ids ?? []).filter((id) => id !== myId())) : { channel: event.stream_id, topic: event.topic ?? "" };
}

/** @param {GrowingAnswer} answer */
function answerRow(answer) {
  const { event, text, isStopped } = answer;
  const isBroken = !isStopped && Date.now() - answer.heardAt > SILENT_MS;
  const name = nameOf(event.sender_id);
  const lines = text.split("\n").flatMap((line, at) => (at ? [h("br"), line] : [line]));
  const who = h("div", { class: "who" }, avatar(event.sender_id), h("span", { class: "id" }, h("span", { class: "name" }, name), h("span", { class: "tag" }, t("answer.bot"))));
  return h("article", { class: `line first ${isBroken ? "failed" : ""}`.trim(), tabindex: -1, "aria-label": `${name}, ${formatTime(event.started)}`, "data-answer": event.answer_token },
    who, h("div", { class: "what", dir: "auto" }, Boolean(text) && h("p", {}, ...lines, !isStopped && !isBroken && h("span", { class: "grow" })), statusLine(answer, isBroken)),
    h("span", { class: "when" }, formatTime(event.started)));
}

/** @param {GrowingAnswer} answer
 * @param {boolean} isBroken */
function statusLine({ event, status, isStopped }, isBroken) {
  if (isStopped) return h("div", { class: "send-state" }, icon("stop", "s"), h("span", {}, t("answer.stopped")));
  if (isBroken) return h("div", { class: "send-state" }, icon("alert", "s"), h("span", {}, t("answer.broken", { count: SILENT_MS / 1000 })));
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - event.started));
  const dots = h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const stop = h("button", { class: "stop", type: "button", onclick: () => post(`/answers/${event.answer_token}/stop`).catch(() => {}) }, icon("stop", "s"), t("answer.stop"));
  return h("div", { class: "send-state live" }, dots, h("span", {}, [status || t("answer.writing"), t("answer.seconds", { count: seconds })].join(" · ")), event.asked_by === myId() && stop);
}
