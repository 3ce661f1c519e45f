/** The panel beside a conversation with its participants and their presence. Only in wide windows, and if
 * switched on. */

import { isInChannel } from "../state/conversations.js";
import { setChildren, h } from "../core/html.js";
import { avatar } from "./avatars.js";
import { isSpectator, myId } from "../state/session.js";
import { findMessage } from "../state/messages.js";
import { nameOf, people } from "../state/people.js";
import { presenceOf } from "../state/presence.js";
import { pageScope } from "../core/scope.js";
import { nextFrame } from "../core/signals.js";
import { region } from "./layout.js";
import { currentMessageView } from "./message_view.js";
import { t } from "../core/i18n.js";

const PANEL_STORAGE_KEY = "tertulia-people-panel";
const WIDE = "(min-width: 93.75rem)";
const STATES = ["here", "away", "gone"];

export function startPeoplePanel() {
  const draw = nextFrame(drawPanel);
  pageScope.on(["route", "reset"], draw);
  pageScope.on(["people", "presence", "lists"], () => {
    if (region(".people").hasChildNodes()) draw();
  });
  pageScope.listen(matchMedia(WIDE), "change", draw);
}

/** @returns {boolean} whether there is room for it; if not, a dialog lists the people */
export function togglePeople() {
  if (!matchMedia(WIDE).matches || !currentMessageView()?.route.conversation) return false;
  if (isPanelWanted()) localStorage.removeItem(PANEL_STORAGE_KEY);
  else localStorage.setItem(PANEL_STORAGE_KEY, "1");
  drawPanel();
  return true;
}

function isPanelWanted() {
  return localStorage.getItem(PANEL_STORAGE_KEY) !== null;
}

function drawPanel() {
  const conversation = currentMessageView()?.route.conversation;
  const isShown = conversation !== undefined && isPanelWanted() && matchMedia(WIDE).matches && !isSpectator();
  region(".app").classList.toggle("with-people", isShown);
  document.querySelector('.head [data-do="people"]')?.setAttribute("aria-expanded", String(isShown));
  const panel = region(".people");
  if (!isShown) return setChildren(panel);
  panel.setAttribute("aria-label", t("panel.people"));
  const focused = panel.contains(document.activeElement)
    ? /** @type {HTMLElement} */ (document.activeElement).dataset.person
    : undefined;
  const ids = isInChannel(conversation) ? participants() : [...new Set([...conversation.people, myId()])];
  const groups = STATES.map((state) =>
    ids.filter((id) => presenceOf(id) === state).sort((a, b) => nameOf(a).localeCompare(nameOf(b))),
  );
  setChildren(
    panel,
    h("h2", {}, t(isInChannel(conversation) ? "panel.topic" : "panel.direct")),
    ...groups.flatMap((each, at) =>
      each.length
        ? [
            h("h3", {}, t(`presence.${STATES[at]}`)),
            h("ul", { class: "plain" }, ...each.map((id) => h("li", {}, personRow(id)))),
          ]
        : [],
    ),
  );
  if (focused) /** @type {HTMLElement | null} */ (panel.querySelector(`[data-person="${focused}"]`))?.focus();
  return undefined;
}

/** @param {number} id */
function personRow(id) {
  return h(
    "button",
    {
      class: `row ${presenceOf(id) === "gone" ? "muted" : ""}`,
      type: "button",
      "data-do": "profile",
      "data-person": id,
    },
    avatar(id, { presence: true }),
    h("span", { class: "t cut" }, h("bdi", {}, nameOf(id))),
  );
}

/** The senders of the loaded messages.
 * @returns {number[]} */
function participants() {
  const ids = new Set((currentMessageView()?.messages.ids ?? []).map((id) => findMessage(id)?.sender_id ?? 0));
  return [...ids].filter((id) => people.get(id)?.is_active && !people.get(id)?.is_bot);
}
