/** The note of a compose box: one sentence above the text that the writer should know, with at most one button. Only
 * the most important one is shown; only a message that is too long cannot be sent. */

import { h, icon, setChildren } from "../core/html.js";
import { formatNumber, t } from "../core/i18n.js";
import { channelName, channels } from "../state/channels.js";
import { isInChannel, isResolved, keyOf, titleOf } from "../state/conversations.js";
import { realm, state } from "../state/session.js";
import { mentionsEveryone } from "../state/typeahead_sources.js";
import { hasPermission, mayJoin } from "../state/write_access.js";
import { formatLength } from "./durations.js";
import { joinChannel, toggleResolved, withErrorToast } from "./message_actions.js";

/** @typedef {import("./compose.js").ComposeBox} ComposeBox */
/** @typedef {{kind: string, icon: string, text: (string | HTMLElement)[], button?: string, act?: () => unknown}}
 *   Note */

const DEFAULT_MAX_LENGTH = 10_000;
const COUNTED_FROM = 0.9; // of the limit: then the letters that are left are shown
const LARGE_CHANNEL_PEOPLE = 15; // in larger channels, mentioning everyone has a note
const WILDCARD = /@\*\*(all|everyone|channel|stream|topic)\*\*/g;

export class ComposeNotes {
  #compose;
  #shown = "";
  element = h("div", { class: "note", role: "status", id: "compose-note", hidden: true });
  counter = h("span", { class: "count num", "aria-live": "polite", hidden: true });

  /** @param {ComposeBox} compose */
  constructor(compose) {
    this.#compose = compose;
    compose.box.addEventListener("input", () => this.update());
    compose.scope.on(["channels", "realm", "topics"], () => this.update());
  }

  /** How many letters are too many; 0 or less if none. */
  get excess() {
    const { content } = this.#compose;
    const most = maxLength();
    return (content.length > COUNTED_FROM * most ? [...content.trim()].length : content.length) - most;
  }

  update() {
    const { excess } = this;
    const isTooLong = excess > 0;
    this.counter.hidden = excess < (COUNTED_FROM - 1) * maxLength();
    this.counter.textContent = formatNumber(0 - excess).replace("-", "−");
    this.counter.classList.toggle("count-long", isTooLong);
    this.#compose.setBlocked(isTooLong ? this.element.id : "");
    const note = isTooLong ? this.#tooLong(excess) : this.#other();
    const key = note
      ? `${note.kind}:${note.text.map((each) => (typeof each === "string" ? each : each.textContent)).join("")}`
      : "";
    if (key === this.#shown) return; // else it would be announced at every letter
    this.#shown = key;
    this.element.hidden = !note;
    this.element.classList.toggle("bad", isTooLong);
    setChildren(
      this.element,
      ...(note
        ? [
            icon(note.icon),
            h("span", {}, ...note.text),
            note.button && h("button", { class: "b", type: "button", onclick: note.act }, note.button),
          ]
        : []),
    );
  }

  /** @param {number} count letters that are too many
   * @returns {Note} */
  #tooLong(count) {
    const most = maxLength();
    return {
      kind: "long",
      icon: "alert",
      text: [t("note.long", { length: most + count, most, count })],
      button: t("note.attach"),
      act: () => this.#attachText(),
    };
  }

  /** @returns {Note | undefined} */
  #other() {
    const compose = this.#compose;
    const { conversation, home } = compose;
    const isElsewhere = !compose.isAtHome;
    const elsewhere = /** @returns {Note | undefined} */ () =>
      isElsewhere
        ? {
            kind: "elsewhere",
            icon: "info",
            text: sentence("note.elsewhere", [homeName(home), titleOf(conversation)]),
            button: t("note.here"),
            act: () => {
              compose.retarget(home);
              compose.box.focus();
            },
          }
        : undefined;
    if (!isInChannel(conversation)) return elsewhere();
    const channel = channels.get(conversation.channel);
    const name = channelName(conversation.channel);
    const count = channel?.subscriber_count ?? 0;
    if (count > LARGE_CHANNEL_PEOPLE && mentionsEveryone(compose.box.value)) {
      return {
        kind: "everyone",
        icon: "people",
        text: sentence("note.everyone", [wildcardIn(compose.box.value)], { count, channel: name }),
        button: t("note.silently"),
        act: () => this.#sendSilently(),
      };
    }
    if (channel && isSlow(channel)) {
      return {
        kind: "slow",
        icon: "wait",
        text: [t("note.slow", { length: formatLength(channel.slow_mode_seconds ?? 0) })],
      };
    }
    if (channel && !channel.subscribed) {
      return {
        kind: "subscribe",
        icon: "info",
        text: sentence("note.not-subscribed", [name]),
        ...(mayJoin(channel) && {
          button: t("note.subscribe"),
          act: () => withErrorToast(joinChannel(conversation.channel)),
        }),
      };
    }
    if (isResolved(conversation.topic)) {
      const mayUnresolve =
        hasPermission(realm("can_resolve_topics_group")) || hasPermission(channel?.can_resolve_topics_group);
      return {
        kind: "resolved",
        icon: "check",
        text: [t("note.resolved")],
        ...(mayUnresolve && {
          button: t("note.unresolve"),
          act: () => toggleResolved(conversation.channel, conversation.topic),
        }),
      };
    }
    return elsewhere();
  }

  /** Turn a text that is too long into a file. */
  #attachText() {
    const { box } = this.#compose;
    const file = new File([box.value], `${t("note.file-name")}.txt`, { type: "text/plain" });
    box.setRangeText("", 0, box.value.length);
    box.dispatchEvent(new Event("input", { bubbles: true }));
    this.#compose.addFiles([file]);
    box.focus();
  }

  #sendSilently() {
    const { box } = this.#compose;
    box.value = box.value.replaceAll(WILDCARD, "@_**$1**");
    this.#compose.send();
  }
}

/** Whether the person has to wait between two messages.
 * @param {import("../state/channels.js").Channel} channel */
function isSlow({ slow_mode_seconds, slow_mode_until, can_administer_channel_group }) {
  const ended = slow_mode_until && slow_mode_until < Date.now() / 1000;
  const isFree = state.is_moderator || state.is_admin || hasPermission(can_administer_channel_group);
  return Boolean(slow_mode_seconds) && !ended && !isFree;
}

function maxLength() {
  return state.max_message_length ?? DEFAULT_MAX_LENGTH;
}

/** The mention of everyone in a text, as readers see it.
 * @param {string} text */
function wildcardIn(text) {
  return `@${text.match(WILDCARD)?.[0].replaceAll(/[@*]/g, "") ?? "all"}`;
}

/** @param {import("./compose.js").Target} home */
function homeName(home) {
  return "channel" in home && home.topic === null
    ? channelName(home.channel)
    : titleOf(/** @type {import("../state/conversations.js").Conversation} */ (home));
}

/** A sentence whose names are bold: `{a}` and `{b}` in the text.
 * @param {"note.elsewhere" | "note.everyone" | "note.not-subscribed"} key
 * @param {string[]} names
 * @param {Record<string, string | number>} [values] other values of the text
 * @returns {(string | HTMLElement)[]} */
function sentence(key, names, values) {
  return t(key, { a: "\0a\0", b: "\0b\0", count: 0, channel: "", ...values })
    .split("\0")
    .map((piece) => (piece === "a" || piece === "b" ? h("b", {}, h("bdi", {}, names[piece === "a" ? 0 : 1])) : piece));
}
