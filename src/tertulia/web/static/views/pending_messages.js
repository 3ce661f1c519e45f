/** Pending messages of a conversation, below its messages. */

import { keyOf } from "../state/conversations.js";
import { setChildren, h, icon } from "../core/html.js";
import { avatar } from "./avatars.js";
import { myId } from "../state/session.js";
import { pendingMessages, slowModeWait } from "../sync/outbox.js";
import { nameOf } from "../state/people.js";
import { clockTime, formatTime } from "./time.js";
import { recordingSlot } from "./lazy_slots.js";
import { t } from "../core/i18n.js";

/** @typedef {import("../sync/outbox.js").PendingMessage} PendingMessage */

/** @param {HTMLElement} element that shows them
 * @param {import("../state/conversations.js").Conversation} conversation
 * @returns {boolean} whether there are any */
export function showPendingMessages(element, conversation) {
  const key = keyOf(conversation);
  const pending = pendingMessages().filter((entry) => keyOf(entry.to) === key);
  setChildren(element, ...pending.map((entry, at) => pendingRow(entry, at === 0)));
  element.hidden = !pending.length;
  return pending.length > 0;
}

/** @param {PendingMessage} entry
 * @param {boolean} isFirst */
function pendingRow(entry, isFirst) {
  const name = nameOf(myId());
  const who = h(
    "div",
    { class: "who" },
    isFirst && avatar(myId()),
    isFirst && h("span", { class: "id" }, h("span", { class: "name" }, name)),
  );
  const lines = entry.content.split("\n").flatMap((line, at) => (at ? [h("br"), line] : [line]));
  const state = entry.state === "failed" ? "failed" : "sending";
  return h(
    "article",
    {
      class: `line ${isFirst ? "first" : ""} ${state}`,
      tabindex: -1,
      "aria-label": `${name}, ${formatTime(entry.at)}`,
      "data-entry": entry.key,
    },
    who,
    h(
      "div",
      { class: "what", dir: "auto" },
      entry.recording && recordingSlot(entry.recording),
      entry.content && h("p", {}, ...lines),
      statusLine(entry),
    ),
    h("span", { class: "when" }, formatTime(entry.at)),
  );
}

/** @param {PendingMessage} entry */
function statusLine(entry) {
  const { state, recording, percent } = entry;
  const wait = slowModeWait(entry);
  if (wait > 0)
    return h(
      "div",
      { class: "send-state" },
      icon("wait", "s"),
      h("span", {}, t("outbox.slow", { length: clockTime(wait) })),
      h("button", { type: "button", "data-do": "drop-entry" }, t("outbox.do-not-send")),
    );
  if (state !== "failed") {
    const text = percent === undefined ? t(`outbox.${state}`) : t("voice.sending", { percent });
    return h("div", { class: "send-state" }, icon("wait", "s"), h("span", {}, text));
  }
  const actions = recording ? ["send-again", "drop-entry"] : ["send-again", "edit-entry", "drop-entry"];
  const buttons = actions.map((action) => h("button", { type: "button", "data-do": action }, t(`outbox.${action}`)));
  return h(
    "div",
    { class: "send-state", role: "alert" },
    icon("alert", "s"),
    h("span", {}, t("outbox.failed", { why: entry.why }), recording && ` ${t("voice.kept")}`),
    ...buttons,
  );
}
