/** Beside a conversation, where the window is wide enough and one wants it: who takes part, and who of
 * them is here. */

import { isInChannel } from "../state/conversations.js";
import { fill, h } from "../core/html.js";
import { face } from "./avatars.js";
import { isSpectator, myId } from "../state/session.js";
import { messageOf } from "../state/messages.js";
import { nameOf, people } from "../state/people.js";
import { presenceOf } from "../state/presence.js";
import { on, soon } from "../core/signals.js";
import { part } from "./layout.js";
import { openTalk } from "./message_view.js";
import { say } from "../core/i18n.js";

const WANTED = "tertulia-people-panel";
const WIDE = "(min-width: 93.75rem)";
const STATES = ["here", "away", "gone"];

export function startPeoplePanel() {
  const draw = soon(drawPanel);
  on("place people presence lists replaced", draw);
  matchMedia(WIDE).addEventListener("change", draw);
}

/** @returns {boolean} whether there is room for it; else people are listed in a dialog */
export function togglePeople() {
  if (!matchMedia(WIDE).matches || !openTalk()?.place.conversation) return false;
  if (isPanelWanted()) localStorage.removeItem(WANTED);
  else localStorage.setItem(WANTED, "1");
  drawPanel();
  return true;
}

function isPanelWanted() {
  return localStorage.getItem(WANTED) !== null;
}

function drawPanel() {
  const conversation = openTalk()?.place.conversation;
  const isShown = conversation !== undefined && isPanelWanted() && matchMedia(WIDE).matches && !isSpectator();
  part(".app").classList.toggle("with-people", isShown);
  document.querySelector('.head [data-do="people"]')?.setAttribute("aria-expanded", String(isShown));
  const panel = part(".people");
  if (!isShown) return fill(panel);
  panel.setAttribute("aria-label", say("panel.people"));
  const focused = panel.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.person : undefined;
  const ids = isInChannel(conversation) ? whoWrote() : [...new Set([...conversation.people, myId()])];
  const groups = STATES.map((state) => ids.filter((id) => presenceOf(id) === state).sort((a, b) => nameOf(a).localeCompare(nameOf(b))));
  fill(panel, h("h2", {}, say(isInChannel(conversation) ? "panel.topic" : "panel.direct")), ...groups.flatMap((each, at) => each.length
    ? [h("h3", {}, say(`presence.${STATES[at]}`)), h("ul", { class: "plain" }, ...each.map((id) => h("li", {}, personRow(id))))] : []));
  if (focused) /** @type {HTMLElement | null} */ (panel.querySelector(`[data-person="${focused}"]`))?.focus();
  return undefined;
}

/** @param {number} id */
function personRow(id) {
  return h("button", { class: `row ${presenceOf(id) === "gone" ? "muted" : ""}`, type: "button", "data-do": "profile", "data-person": id }, face(id, { presence: true }), h("span", { class: "t cut" }, h("bdi", {}, nameOf(id))));
}

/** Who has written what is held of the open list.
 * @returns {number[]} */
function whoWrote() {
  const ids = new Set((openTalk()?.listing.ids ?? []).map((id) => messageOf(id)?.sender_id ?? 0));
  return [...ids].filter((id) => people.get(id)?.is_active && !people.get(id)?.is_bot);
}
