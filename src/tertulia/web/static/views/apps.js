/** Commands, buttons and forms of bots: buttons under messages, and what a bot says to the reader alone. */

import { setAccountValue } from "../core/account_values.js";
import { get, NetworkError, post, remove } from "../core/api.js";
import { h, icon, parseServerHtml, setChildren } from "../core/html.js";
import { t } from "../core/i18n.js";
import { pageScope } from "../core/scope.js";
import { afterPaint, oneAtATime } from "../core/signals.js";
import { connectionState } from "../state/connection.js";
import { keyOf } from "../state/conversations.js";
import { findMessage } from "../state/messages.js";
import { nameOf, people } from "../state/people.js";
import { isSpectator, myId, state } from "../state/session.js";
import { hasPermission } from "../state/write_access.js";
import { openForm } from "./app_forms.js";
import { avatar } from "./avatars.js";
import { toast } from "./layout.js";
import { currentMessageView } from "./message_view.js";
import { formatShortTime } from "./time.js";

/** @typedef {import("../core/api_types.d.ts").ServerEvents["interaction_update"]["interaction"]} Interaction */
/** @typedef {import("../state/messages.js").Message} Message */
/** @typedef {{id?: string, short_name: string, long_name: string, reply: string, style?: string, disabled?: boolean}}
 *   Button */
/** @typedef {{heading?: unknown, choices?: Button[], may_press?: import("../state/types.d.ts").Permission, select?: string,
 *   for_each?: boolean}} ButtonData */
/** @typedef {{choice: string, interaction: number, at: number, sender: number}} Press */

const OPEN_KEY = "open-interactions"; // whether to ask for them after a reload
const PATIENCE_MS = 10_000;
const MAX_OPEN_SECONDS = 86_400; // then the server ends what has no answer

/** @type {Map<number, Interaction>} */
const interactions = new Map();
/** @type {Map<number, number>} when the reader pressed or called, by interaction */
const began = new Map();
const openForms = new Set();
/** @type {Map<number, string>} the button that is being pressed, by message */
const pressing = new Map();
const asked = new Set(); // interactions that the page has asked for

// --- buttons ---

/** @param {Message} message
 * @returns {HTMLElement} */
export function drawButtons(message) {
  const card = h("div", { class: "appcard", "data-app": message.id });
  fillCard(card, message);
  return card;
}

/** Draw the buttons of a message again, in the row that shows it now.
 * @param {number | null} id */
function redraw(id) {
  const message = findMessage(id ?? 0);
  for (const card of document.querySelectorAll(`[data-app="${id}"]`))
    if (message) fillCard(/** @type {HTMLElement} */ (card), message);
}

/** @param {HTMLElement} card
 * @param {Message} message */
function fillCard(card, message) {
  /** @type {ButtonData} */
  let data = JSON.parse(message.submessages[0]?.content ?? "{}").extra_data ?? {};
  /** @type {Map<number, Press>} */
  const presses = new Map();
  for (const { sender_id, content } of message.submessages.slice(1)) {
    const part = JSON.parse(content);
    if (part.type === "buttons" && sender_id === message.sender_id) data = part.extra_data;
    else if (part.type === "press") presses.set(part.interaction, { ...part, sender: sender_id });
    else if (part.type === "release") presses.delete(part.interaction);
  }
  const all = [...presses.values()];
  const own = all.find((press) => press.sender === myId());
  const mine = own && interactions.get(own.interaction);
  const pressed = pressing.get(message.id) ?? own?.choice;
  const isPending = pressing.has(message.id) || (mine !== undefined && ["waiting", "fetched"].includes(mine.state));
  if (own && !mine && !pressing.has(message.id)) fetchUnknown(own);
  const isGone = !people.get(message.sender_id) || people.get(message.sender_id)?.is_active === false;
  const isClosed = own !== undefined || (all.length > 0 && data.for_each !== true);
  const bot = nameOf(message.sender_id);
  const isLate =
    mine !== undefined && isPending && Date.now() - (began.get(mine.id) ?? mine.date_created * 1000) >= PATIENCE_MS;
  const isOffline = ["offline", "unreachable", "reconnecting"].includes(connectionState());
  const mayPress = data.may_press === undefined || hasPermission(data.may_press);
  const isOff = isPending || isGone || isSpectator() || isOffline || !mayPress;
  const heading = String(data.heading ?? "");
  setChildren(
    card,
    heading ? h("p", {}, h("b", {}, h("bdi", {}, heading))) : null,
    (!isClosed || isPending) &&
      buttonRow(data, bot, isOff, (button) => press(message.id, button), isPending ? pressed : ""),
    !isClosed && data.may_press !== undefined && h("p", { class: "hint" }, pressersText(data.may_press)),
    !isClosed && isOffline && h("p", { class: "hint" }, t("apps.offline")),
    isGone && h("p", { class: "fate" }, icon("alert"), t("apps.gone")),
    isPending && pressed
      ? h(
          "div",
          { class: isLate ? "fate bad" : "fate", role: "status" },
          icon(isLate ? "alert" : "wait"),
          h(
            "span",
            {},
            isLate ? t("apps.late", { bot }) : t("apps.pressed-by-you", { button: labelOf(data, pressed), bot }),
          ),
          isLate &&
            h("button", { class: "b", type: "button", onclick: () => press(message.id, pressed) }, t("apps.again")),
        )
      : null,
    ...(isPending ? [] : all).map((each) =>
      h(
        "p",
        { class: "pressed" },
        icon("check"),
        h(
          "span",
          {},
          t("apps.pressed", {
            button: labelOf(data, each.choice),
            name: nameOf(each.sender),
            time: formatShortTime(each.at),
          }),
        ),
      ),
    ),
  );
}

/** Press a button. The event of the press may come before the response, and draws the row again.
 * @param {number} id of the message
 * @param {string} button */
async function press(id, button) {
  pressing.set(id, button);
  redraw(id);
  try {
    const { interaction } = await post(`/messages/${id}/press`, { button });
    keep(interaction);
    began.set(interaction.id, Date.now());
    setTimeout(() => redraw(id), PATIENCE_MS + 100);
  } catch (error) {
    toast(error instanceof NetworkError ? t("apps.offline") : /** @type {Error} */ (error).message);
  } finally {
    pressing.delete(id);
    redraw(id);
  }
}

/** Fetch the state of a press that was made in another tab, or before the page was loaded.
 * @param {Press} own */
async function fetchUnknown(own) {
  if (asked.has(own.interaction) || Date.now() / 1000 - own.at > MAX_OPEN_SECONDS) return;
  asked.add(own.interaction);
  await resume().catch(() => asked.delete(own.interaction));
}

/** @type {Promise<void> | undefined} */
let resuming;

/** Show what is still open: forms that were not sent, and buttons without an answer.
 * @returns {Promise<void>} */
export function resume() {
  resuming ??= get("/interactions")
    .then(({ interactions: open }) => {
      setAccountValue(OPEN_KEY, open.length > 0);
      for (const interaction of open) applyInteraction({ interaction });
    })
    .finally(() => {
      resuming = undefined;
    });
  return resuming;
}

/** @param {ButtonData} data
 * @param {string} bot
 * @param {boolean} isOff
 * @param {(button: string) => unknown} press
 * @param {string} [pressed] */
function buttonRow(data, bot, isOff, press, pressed) {
  const choices = (data.choices ?? []).filter((each) => each.id);
  const label = t("apps.buttons", { bot });
  if (data.select) {
    const field = h(
      "select",
      { class: "f", "aria-label": String(data.heading || label), disabled: isOff },
      h("option", { value: "" }, t("apps.choose")),
      ...choices.map((each) => h("option", { value: each.id, disabled: Boolean(each.disabled) }, each.long_name)),
    );
    const go = h(
      "button",
      { class: "b first", type: "button", disabled: true, onclick: oneAtATime(async () => press(field.value)) },
      data.select,
    );
    field.addEventListener("change", () => {
      go.disabled = isOff || !field.value;
    });
    return h("div", { class: "btns", role: "group", "aria-label": label }, field, go);
  }
  return h(
    "div",
    { class: "btns", role: "group", "aria-label": label },
    ...choices.map((each, at) =>
      h(
        "button",
        {
          class: `b ${each.style === "danger" ? "risk" : at ? "" : "first"}`,
          type: "button",
          disabled: isOff || Boolean(each.disabled),
          onclick: oneAtATime(async () => press(String(each.id))),
        },
        each.id === pressed && icon("wait", "s"),
        h("bdi", {}, each.long_name),
      ),
    ),
  );
}

/** Who may press, in words.
 * @param {import("../state/types.d.ts").Permission} permission */
function pressersText(permission) {
  const groups = state.realm_user_groups ?? [];
  const nameOfGroup = (/** @type {number} */ id) => {
    const group = groups.find((each) => each.id === id);
    return group?.is_system_group ? t(`group.${group.name}`) : (group?.name ?? "");
  };
  if (typeof permission === "number") return t("apps.only-group", { group: nameOfGroup(permission) });
  const names = [
    ...permission.direct_members.map((id) => nameOf(id)),
    ...permission.direct_subgroups.map((id) => nameOfGroup(Number(id))),
  ];
  return t("apps.only-people", { names: names.join(", ") });
}

/** @param {ButtonData} data
 * @param {string} choice */
function labelOf(data, choice) {
  return data.choices?.find((each) => each.id === choice)?.long_name ?? choice;
}

// --- what the server says ---

/** @param {Interaction} interaction */
function keep(interaction) {
  const known = interactions.get(interaction.id);
  if (known && !isOpen(known) && interaction.state === "waiting") return;
  interactions.set(interaction.id, interaction);
  setAccountValue(
    OPEN_KEY,
    [...interactions.values()].some((each) => isOpen(each) || each.form),
  );
}

/** @param {Interaction | undefined} interaction */
function isOpen(interaction) {
  return interaction?.state === "waiting" || interaction?.state === "fetched";
}

/** @param {{interaction: Interaction}} event */
export function applyInteraction({ interaction }) {
  keep(interaction);
  redraw(interaction.message_id);
  if (interaction.kind !== "button" || interaction.rendered_content) drawLine(interaction);
  if (interaction.form && !openForms.has(interaction.id)) {
    openForms.add(interaction.id);
    openForm(interaction, applyInteraction).finally(() => openForms.delete(interaction.id));
  }
}

// --- lines that only the reader sees: a call that waits, and what a bot answers to the reader alone ---

/** @type {Map<number, {key: string, element: HTMLElement}>} */
const lines = new Map();

pageScope.on("route", () => afterPaint(placeLines));
pageScope.on("connection", () => {
  for (const card of document.querySelectorAll("[data-app]")) redraw(Number(card.getAttribute("data-app")));
});
pageScope.on("reset", () => resume().catch(() => {}));

/** @param {Interaction} interaction */
function drawLine(interaction) {
  const element = lineOf(interaction);
  lines.get(interaction.id)?.element.remove();
  if (element) lines.set(interaction.id, { key: placeOf(interaction), element });
  else lines.delete(interaction.id);
  placeLines();
}

/** Show the lines of the conversation that is open. */
function placeLines() {
  const view = currentMessageView();
  const { conversation } = view?.route ?? {};
  for (const { key, element } of lines.values()) {
    const isHere = view && conversation && keyOf(conversation) === key;
    if (!isHere) element.remove();
    else if (element.nextSibling !== view.typing && !element.isConnected) {
      view.typing.before(element);
      element.scrollIntoView({ block: "nearest" });
    }
  }
}

/** @param {Interaction} interaction */
function placeOf({ message_type, stream_id, topic, user_ids }) {
  return message_type === "direct"
    ? keyOf({ people: (user_ids ?? []).filter((id, _, all) => id !== myId() || all.length === 1) })
    : keyOf({ channel: Number(stream_id), topic: topic ?? "" });
}

/** @param {Interaction} interaction
 * @returns {HTMLElement | null} null if there is nothing to say */
function lineOf(interaction) {
  const { id, state, command, bot_id, rendered_content, answer_by } = interaction;
  const bot = nameOf(bot_id);
  if (state === "answered")
    return rendered_content
      ? article(interaction, [
          h("p", { class: "only" }, icon("eye", "s"), t("apps.only-you")),
          ...parseServerHtml(rendered_content).childNodes,
        ])
      : null;
  if (state === "taken_back") return null;
  const wait = Math.min(PATIENCE_MS, answer_by * 1000 - Date.now());
  const isLate = state === "ended" || wait <= 0;
  if (!isLate) setTimeout(() => lines.has(id) && drawLine(interactions.get(id) ?? interaction), wait + 100);
  const takeBack = async () => {
    await remove(`/interactions/${id}`).catch((error) => toast(error.message));
  };
  return article(interaction, [
    h(
      "div",
      { class: isLate ? "fate bad" : "fate" },
      icon(isLate ? "alert" : "wait", "s"),
      h(
        "span",
        {},
        command && h("b", { class: "mono" }, `/${command} `),
        t(isLate ? "apps.late" : "apps.waiting", { bot }),
      ),
      state === "waiting" && h("button", { type: "button", onclick: oneAtATime(takeBack) }, t("apps.take-back")),
    ),
  ]);
}

/** @param {Interaction} interaction
 * @param {(Node | false)[]} contents */
function article({ bot_id, date_created }, contents) {
  return h(
    "div",
    { class: "line first only-you", role: "status" },
    h(
      "div",
      { class: "who" },
      avatar(bot_id),
      h(
        "span",
        { class: "id" },
        h("span", { class: "name" }, nameOf(bot_id)),
        h("span", { class: "tag" }, t("people.bot")),
      ),
    ),
    h("div", { class: "what", dir: "auto" }, ...contents),
    h("span", { class: "when" }, formatShortTime(date_created)),
  );
}
