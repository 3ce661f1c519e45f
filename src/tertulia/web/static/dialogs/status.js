/** The status of the account: an emoji, a text, when it ends, and "appear away". */

import { withErrorToast } from "../views/message_actions.js";
import { glyph } from "../views/rendered_content.js";
import { MomentField } from "../views/moment_field.js";
import { formatTime } from "../views/time.js";
import { post } from "../core/api.js";
import { setChildren, h, icon, iconButton } from "../core/html.js";
import { oneAtATime } from "../core/signals.js";
import { t } from "../core/i18n.js";
import { fetchEmoji, findEmoji, ownEmoji, reactionFor } from "../state/emoji.js";
import { myId, setting, state } from "../state/session.js";
import { pickEmoji } from "./emoji_picker.js";
import { openPopover } from "./popover.js";

const MAX_TEXT_LENGTH = 60;
/** Emoji, text and end of each preset.
 * @type {[string, string, string][]} */
const PRESETS = [
  ["calendar", "meeting", "hour"],
  ["headphones", "focus", "noon"],
  ["house", "home", "today"],
  ["sick", "sick", "today"],
  ["palm_tree", "holiday", "never"],
];
const ENDS = ["half", "hour", "noon", "today", "tomorrow", "choose", "never"];

/** @param {import("../views/commands.js").CommandContext} context */
export async function editStatus({ element }) {
  await fetchEmoji();
  const status = state.user_status?.[myId()] ?? {};
  let emoji = status.emoji_name ?? "";
  const text = h("input", {
    class: "f",
    "aria-label": t("status.text"),
    maxlength: MAX_TEXT_LENGTH,
    value: status.status_text ?? "",
    dir: "auto",
    autofocus: true,
    placeholder: t("status.text"),
  });
  const pick = h("button", { class: "b pick-e", type: "button", title: t("status.choose-emoji") });
  const until = h("select", { class: "f" }, ...availableEnds().map((end) => h("option", { value: end }, endText(end))));
  const moment = new MomentField(t("status.until"), {
    value: status.ends_at ? new Date(1000 * status.ends_at) : undefined,
    isLabelled: false,
  });
  const away = h("input", { type: "checkbox", role: "switch", checked: setting("presence_enabled") === false });
  const setEmoji = (/** @type {string} */ name) => {
    emoji = name;
    setChildren(pick, name ? statusSign(name) : icon("smile"));
    pick.setAttribute(
      "aria-label",
      name ? t("status.emoji", { name: name.replaceAll("_", " ") }) : t("status.choose-emoji"),
    );
  };
  const setEnd = (/** @type {string} */ end) => {
    until.value = end;
    moment.hidden = end !== "choose";
  };
  setEmoji(emoji);
  setEnd(status.ends_at ? "choose" : "never");
  until.addEventListener("change", () => setEnd(until.value));
  pick.addEventListener("click", () => reopenAround(() => pickEmoji(element, (name) => reopen(name))));
  const presets = PRESETS.map(([name, key, end]) =>
    h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          onclick: () => {
            setEmoji(name);
            text.value = t(`status.preset-${key}`);
            setEnd(end === "noon" && !availableEnds().includes("noon") ? "hour" : end);
            text.focus();
          },
        },
        h("span", { class: "emoji", "aria-hidden": "true" }, findEmoji(name) ?? ""),
        h("span", { class: "t cut" }, t(`status.preset-${key}`)),
        h("small", {}, endHint(end)),
      ),
    ),
  );
  const clear = iconButton("close", t("status.clear"), {
    onclick: () => {
      setEmoji("");
      text.value = "";
      setEnd("never");
      text.focus();
    },
  });
  const save = async () => {
    const isChosen = until.value === "choose";
    const end = (isChosen ? moment.date : endTime(until.value, new Date()))?.getTime();
    if (isChosen && !end) return;
    await post("/users/me/status", {
      status_text: text.value.trim(),
      ...(emoji ? reactionFor(emoji) : { emoji_name: "", emoji_code: "", reaction_type: "" }),
      away: away.checked,
      ends_at: Math.floor((end || 0) / 1000),
    });
    open.close();
  };
  const form = h(
    "form",
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        oneAtATime(() => withErrorToast(save()))();
      },
    },
    h("h2", { id: "status-title" }, t("status.title")),
    h("div", { class: "status-line" }, pick, text, clear),
    h("ul", { class: "presets plain", "aria-label": t("status.presets") }, ...presets),
    h("label", { class: "field side-by" }, h("span", {}, t("status.until")), until),
    moment.element,
    h(
      "label",
      { class: "switch" },
      h("span", {}, t("status.away")),
      away,
      h("span", { class: "hint" }, t("status.away-hint")),
    ),
    h(
      "div",
      { class: "go-row" },
      h("button", { class: "b", type: "button", onclick: () => open.close() }, t("dialog.cancel")),
      h("button", { class: "b go" }, t("dialog.save")),
    ),
  );
  const panel = h("div", { class: "status", role: "dialog", "aria-labelledby": "status-title" }, form);
  let open = openPopover(element, panel);
  text.focus();

  /** The picker is a popover, too: this one closes and comes back with the emoji.
   * @param {() => unknown} work */
  function reopenAround(work) {
    open.close();
    work();
  }
  /** @param {string} name */
  function reopen(name) {
    setEmoji(name);
    open = openPopover(element, panel);
    text.focus();
  }
}

/** Switch "appear away" on or off. */
export function toggleAway() {
  return withErrorToast(post("/users/me/status", { away: setting("presence_enabled") !== false }));
}

/** @param {string} name */
function statusSign(name) {
  const own = ownEmoji().get(name);
  return own
    ? h("img", { class: "emoji", src: own.source_url, alt: "" })
    : h("span", { class: "emoji", "aria-hidden": "true" }, glyph(reactionFor(name).emoji_code || "2753"));
}

/** "Until 12:00" is offered in the morning only. */
function availableEnds() {
  return ENDS.filter((end) => end !== "noon" || new Date().getHours() < 12);
}

/** @param {string} end
 * @param {Date} now
 * @returns {Date | undefined} */
function endTime(end, now) {
  const time = new Date(now);
  if (end === "half") return new Date(now.getTime() + 1800_000);
  if (end === "hour") return new Date(now.getTime() + 3600_000);
  if (end === "noon") time.setHours(12, 0, 0, 0);
  else if (end === "today") time.setHours(now.getHours() < 18 ? 18 : 23, now.getHours() < 18 ? 0 : 59, 0, 0);
  else if (end === "tomorrow") {
    time.setDate(time.getDate() + 1);
    time.setHours(9, 0, 0, 0);
  } else return undefined;
  return time;
}

/** @param {string} end */
function endText(end) {
  const time = endTime(end, new Date());
  return t(`status.end-${end}`, { time: time ? formatTime(time.getTime() / 1000) : "" });
}

/** The end of a preset, short.
 * @param {string} end */
function endHint(end) {
  return t(`status.hint-${end === "noon" && !availableEnds().includes("noon") ? "hour" : end}`, { time: "12:00" });
}
