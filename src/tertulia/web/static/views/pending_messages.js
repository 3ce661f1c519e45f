/** What was entered and has not arrived yet, below the messages of its conversation. */

import { keyOf } from "../state/conversations.js";
import { fill, h, icon } from "../core/html.js";
import { face } from "./avatars.js";
import { myId } from "../state/session.js";
import { enteredMessages } from "../sync/outbox.js";
import { nameOf } from "../state/people.js";
import { clock } from "./time.js";
import { say } from "../core/i18n.js";

/** @typedef {import("../sync/outbox.js").Entered} Entered */

/** @param {HTMLElement} element that shows them
 * @param {import("../state/conversations.js").Conversation} conversation
 * @returns {boolean} whether there are any */
export function showWaiting(element, conversation) {
  const key = keyOf(conversation);
  const waiting = enteredMessages().filter((entry) => keyOf(entry.to) === key);
  fill(element, ...waiting.map((entry, at) => waitingRow(entry, at === 0)));
  element.hidden = !waiting.length;
  return waiting.length > 0;
}

/** @param {Entered} entry
 * @param {boolean} isFirst */
function waitingRow(entry, isFirst) {
  const name = nameOf(myId());
  const who = h("div", { class: "who" }, isFirst && face(myId()), isFirst && h("span", { class: "id" }, h("span", { class: "name" }, name)));
  const lines = entry.content.split("\n").flatMap((line, at) => (at ? [h("br"), line] : [line]));
  const state = entry.state === "failed" ? "failed" : "sending";
  return h("article", { class: `line ${isFirst ? "first" : ""} ${state}`, tabindex: -1, "aria-label": `${name}, ${clock(entry.at)}`, "data-entry": entry.key },
    who, h("div", { class: "what", dir: "auto" }, h("p", {}, ...lines), fate(entry)), h("span", { class: "when" }, clock(entry.at)));
}

/** @param {Entered} entry */
function fate(entry) {
  if (entry.state !== "failed") return h("div", { class: "fate" }, icon("wait", "s"), h("span", {}, say(`outbox.${entry.state}`)));
  const buttons = ["send-again", "edit-entry", "drop-entry"].map((deed) => h("button", { type: "button", "data-do": deed }, say(`outbox.${deed}`)));
  return h("div", { class: "fate", role: "alert" }, icon("alert", "s"), h("span", {}, say("outbox.failed", { why: entry.why })), ...buttons);
}
