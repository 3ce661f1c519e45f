/** The three emoji that the person uses most, among the tools of the message under the pointer. */

import { h } from "../core/html.js";
import { pageScope } from "../core/scope.js";
import { fetchEmoji, reactionFor } from "../state/emoji.js";
import { usedEmoji } from "../state/emoji_use.js";
import { isSpectator } from "../state/session.js";
import { emojiNode } from "./message_row.js";

const MAX_SHOWN = 3;

export function startQuickReactions() {
  if (isSpectator()) return;
  pageScope.listen(document, "pointerover", (/** @type {PointerEvent} */ event) => {
    if (event.pointerType !== "mouse" || !(event.target instanceof Element)) return;
    const tools = event.target.closest("article[data-id]")?.querySelector(":scope > .act");
    if (tools && !tools.querySelector(".quick")) addTo(tools);
  });
}

/** @param {Element} tools of a message */
async function addTo(tools) {
  const names = usedEmoji();
  if (!names.length) return;
  await fetchEmoji();
  for (const old of document.querySelectorAll(".act > .quick")) old.remove();
  const reactions = names.map(reactionFor).filter((each) => each.emoji_code);
  tools.prepend(...reactions.slice(0, MAX_SHOWN).map(quickButton));
}

/** @param {{emoji_name: string, emoji_code: string, reaction_type: string}} reaction */
function quickButton({ emoji_name: name, emoji_code: code, reaction_type: kind }) {
  const label = name.replaceAll("_", " ");
  const attributes = {
    class: "ib quick",
    type: "button",
    tabindex: -1,
    "data-do": "toggle-reaction",
    "data-name": name,
    "data-code": code,
    "data-kind": kind,
    "aria-label": label,
    title: `:${name}:`,
  };
  return h("button", attributes, emojiNode(name, code, kind));
}
