/** Calls: the card in the conversation, the card that rings, and entering a call. The sound goes from browser to
 * browser; the server only says who is in a call, and passes on what they arrange. */

import { post } from "../core/api.js";
import { h, icon, setChildren } from "../core/html.js";
import { formatList, t } from "../core/i18n.js";
import { pageScope } from "../core/scope.js";
import { channelName } from "../state/channels.js";
import { conversationOf, isInChannel, keyOf, titleOf } from "../state/conversations.js";
import { nameOf, shortName } from "../state/people.js";
import { myId, realm, setting, state } from "../state/session.js";
import { avatar } from "./avatars.js";
import { OpenCall, conversationOfCall, peopleIn } from "./call_view.js";
import { toast } from "./layout.js";
import { currentMessageView } from "./message_view.js";
import { startRingSound } from "./ring_sound.js";
import { formatTime } from "./time.js";

/** @typedef {import("../core/api_types.d.ts").ServerEvents["call"]} CallEvent */
/** @typedef {CallEvent["call"]} RunningCall */
/** @typedef {import("../core/api_types.d.ts").ApiResponse<"POST", "/calls">} JoinedCall */

const CALL_LINK = /\/call\/([\w-]{8,40})(?:\/ended\/(\d+)-([\d,]*)-([\d,]*))?$/;
const ANSWERS = /** @type {const} */ (["call.answer-1", "call.answer-2", "call.answer-3"]);
const ANSWER_HASH = /\/answer\/([\w-]{8,40})$/; // of a notification

/** The running calls that this person may join. @type {Map<string, RunningCall>} */
const calls = new Map();
/** The cards in messages. @type {Map<HTMLElement, string>} */
const cards = new Map();
/** The cards that ring. @type {Map<string, HTMLElement>} */
const rings = new Map();
/** How each of them ends. @type {WeakMap<HTMLElement, () => void>} */
const endRing = new WeakMap();
/** The call that this browser is in. @type {OpenCall | undefined} */
let open;

const refreshCalls = () => {
  calls.clear();
  for (const each of state.running_calls ?? []) setCall(each);
};
refreshCalls();
pageScope.on("reset", refreshCalls);
answerFromAddress();
pageScope.listen(window, "hashchange", answerFromAddress);
// Mentioning people in the conversation of the call rings for them.
pageScope.on("messageArrived", (message) => {
  if (!open || message.sender_id !== myId() || keyOf(conversationOf(message)) !== keyOf(open.conversation)) return;
  const named = [...message.content.matchAll(/class="user-mention" data-user-id="(\d+)"/g)].map(([, id]) => Number(id));
  const inside = peopleIn(open.call);
  open.ring(named.filter((id) => !inside.includes(id)));
});
pageScope.listen(window, "pagehide", () => open?.leaveAtOnce());
pageScope.listen(document, "keydown", onKey, { capture: true });
pageScope.listen(document, "keyup", (/** @type {KeyboardEvent} */ event) => open?.releaseKey(event));

/** @param {CallEvent} event */
export function applyCall(event) {
  const { call, op } = event;
  if (op === "end") {
    calls.delete(call.call_token);
    stopRinging(call.call_token);
    if (open?.token === call.call_token) open.close();
  } else setCall(call);
  drawCards();
}

/** @param {import("../core/api_types.d.ts").ServerEvents["call_signal"]} event */
export function applySignal({ call_token: token, session_id: session, sender_session_id: from, signal }) {
  if (open?.token === token && open.sessionId === session) open.receive(from, signal);
}

/** Start a call in the open conversation, or join the one that is going on there. */
export async function startCall() {
  const conversation = currentMessageView()?.route.conversation;
  if (!conversation) return;
  const to = isInChannel(conversation)
    ? { type: "channel", to: conversation.channel, topic: conversation.topic }
    : { type: "direct", to: conversation.people };
  await enter(() => post("/calls", to));
}

/** The card of a call in its message.
 * @param {HTMLAnchorElement} link
 * @returns {HTMLElement | null} */
export function drawCallCard(link) {
  const [, token, minutes, people, missed] = CALL_LINK.exec(link.getAttribute("href") ?? "") ?? [];
  if (!token) return null;
  if (minutes) return drawEndedCard(Number(minutes), idsIn(people), idsIn(missed));
  const card = h("div", { class: "callmsg now", role: "group", dir: "auto" });
  cards.set(card, token);
  drawCard(card, token);
  return card;
}

/** @param {string} text */
function idsIn(text) {
  return text.split(",").filter(Boolean).map(Number);
}

/** @param {number} minutes
 * @param {number[]} people
 * @param {number[]} missed for whom it rang in vain */
function drawEndedCard(minutes, people, missed) {
  const isMissed = missed.includes(myId());
  const length = t("notice.call-minutes", { count: minutes });
  const said = formatList([length, t("notice.call-people", { count: people.length })]);
  const title = t(isMissed ? "call.missed" : "call.ended");
  return h(
    "div",
    { class: isMissed ? "callmsg over missed" : "callmsg over", role: "group", "aria-label": title, dir: "auto" },
    icon("phone"),
    h("span", { class: "tx" }, h("b", {}, title), " ", h("small", {}, people.length > 1 ? said : "")),
    facesOf(people),
    isMissed && h("button", { class: "b lean tight", type: "button", onclick: startCall }, t("call.back-call")),
  );
}

/** @param {number[]} people */
function facesOf(people) {
  return h("span", { class: "faces", "aria-hidden": "true" }, ...people.slice(0, 5).map((id) => avatar(id)));
}

/** A notification was answered. A link in a message cannot do this: only while it rings here.  */
function answerFromAddress() {
  const token = ANSWER_HASH.exec(location.hash)?.[1];
  if (token && calls.get(token)?.ringing.includes(myId())) joinCall(token);
}

/** @param {RunningCall} call */
function setCall(call) {
  calls.set(call.call_token, call);
  if (open?.token === call.call_token) open.update(call);
  if (call.ringing.includes(myId()) && open?.token !== call.call_token) ring(call);
  else stopRinging(call.call_token);
}

function drawCards() {
  for (const [card, token] of cards) {
    if (card.isConnected) drawCard(card, token);
    else cards.delete(card);
  }
}

/** @param {HTMLElement} card
 * @param {string} token */
function drawCard(card, token) {
  const call = calls.get(token);
  const people = call ? peopleIn(call) : [];
  const isFull = (call?.participants.length ?? 0) >= Number(realm("max_call_people") ?? 0);
  const isMine = open?.token === token;
  card.setAttribute("aria-label", t("call.going-on"));
  card.classList.toggle("now", !isFull);
  const names = formatList(people.map((id) => (id === myId() ? t("people.you") : shortName(id))));
  setChildren(
    card,
    icon("phone"),
    h(
      "span",
      { class: "tx" },
      h("b", {}, t("call.going-on")),
      h(
        "small",
        {},
        !call || !people.length
          ? ""
          : isFull
            ? t("call.full", { names })
            : t("call.since", { time: formatTime(call.started), names }),
      ),
    ),
    facesOf(people),
    h(
      "button",
      { class: "b lean", type: "button", disabled: isFull || isMine, onclick: () => joinCall(token) },
      t("call.enter"),
    ),
  );
}

/** @param {string} token */
function joinCall(token) {
  return enter(() => post(`/calls/${token}/sessions`));
}

/** Get the microphone, and join with it; without it the person only listens.
 * @param {() => Promise<any>} join */
async function enter(join) {
  if (!globalThis.RTCPeerConnection) return toast(t("call.unable"));
  if (!state.has_call_relay) toast(t("call.no-relay"));
  let stream = null;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch {
    toast(t("call.no-microphone"));
  }
  try {
    const joined = /** @type {JoinedCall} */ (await join());
    await open?.leave();
    open = new OpenCall(joined, stream, {
      changed: setCall,
      closed: (call) => {
        if (open === call) open = undefined;
        drawCards();
      },
    });
    calls.set(open.token, joined.call);
    stopRinging(open.token);
    open.update(joined.call);
    drawCards();
  } catch (error) {
    for (const track of stream?.getTracks() ?? []) track.stop();
    toast(/** @type {Error} */ (error).message);
  }
  return undefined;
}

// --- ringing ---

/** @param {RunningCall} call */
function ring(call) {
  const token = call.call_token;
  if (rings.has(token)) return;
  const left = 1000 * call.ringing_until - Date.now();
  if (left <= 0) return;
  const button = (/** @type {string} */ kind, /** @type {() => unknown} */ act, /** @type {string} */ text) =>
    h("button", { class: kind, type: "button", onclick: act }, kind === "b go" && icon("phone", "s"), text);
  const others = peopleIn(call).filter((id) => id !== call.rung_by);
  const conversation = conversationOfCall(call);
  const line = [
    isInChannel(conversation) ? channelName(conversation.channel) : t("view.dm"),
    others.length && t("call.into", { names: formatList(others.map(nameOf)) }),
    open && t("call.would-leave", { title: titleOf(open.conversation) }),
  ];
  const name = nameOf(call.rung_by);
  const title = isInChannel(conversation)
    ? t("call.calls-into", { name, title: titleOf(conversation) })
    : t("call.calls-you", { name });
  const card = h("div", { class: "ring", role: "alert" });
  const head = (/** @type {string} */ big, /** @type {string} */ small) =>
    h("div", { class: "up" }, avatar(call.rung_by), h("div", {}, h("b", {}, big), h("small", {}, small)));
  const drawCall = () =>
    setChildren(
      card,
      head(title, line.filter(Boolean).join(" · ")),
      h(
        "div",
        { class: "go-row" },
        button("b go", () => joinCall(token), t("call.answer")),
        button("b", () => declineCall(token), t("call.decline")),
        button("b all", drawAnswers, t("call.with-message")),
      ),
    );
  const drawAnswers = () => {
    const field = h("input", { class: "f", "aria-label": t("call.own-words"), placeholder: t("call.own-words") });
    const send = (/** @type {string} */ text) => text.trim() && answerWith(call, text);
    setChildren(
      card,
      head(t("call.with-message"), t("call.stops-here")),
      h(
        "form",
        {
          class: "go-row",
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            send(field.value);
          },
        },
        ...ANSWERS.map((key) => button("b bare all", () => send(t(key)), t(key))),
        h("label", { class: "all" }, field),
        h("button", { class: "b go" }, t("compose.send")),
        button("b", drawCall, t("call.back")),
      ),
    );
    field.focus();
  };
  drawCall();
  document.body.append(card);
  const silence = setting("enable_sounds") === false ? undefined : startRingSound();
  rings.set(token, card);
  const timer = setTimeout(() => stopRinging(token), left);
  endRing.set(card, () => {
    clearTimeout(timer);
    silence?.();
    card.remove();
  });
}

/** Decline with a message.
 * @param {RunningCall} call
 * @param {string} content */
function answerWith(call, content) {
  declineCall(call.call_token);
  const conversation = conversationOfCall(call);
  const to = isInChannel(conversation)
    ? { type: "channel", to: conversation.channel, topic: conversation.topic }
    : { type: "direct", to: conversation.people };
  post("/messages", { ...to, content }).catch((/** @type {Error} */ error) => toast(error.message));
}

/** @param {string} token */
function stopRinging(token) {
  const card = rings.get(token);
  rings.delete(token);
  if (card) endRing.get(card)?.();
}

/** @param {string} token */
function declineCall(token) {
  stopRinging(token);
  post(`/calls/${token}/decline`).catch(() => {}); // it ends by itself
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const [ringing] = rings.values();
  if (ringing && event.altKey && event.code === "KeyA") ringing.querySelector("button")?.focus();
  else if (ringing?.contains(/** @type {Node} */ (event.target)) && event.key === "Escape")
    declineCall([...rings.keys()][0]);
  else if (open && event.altKey && event.code === "KeyM") open.pressKey(event);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
