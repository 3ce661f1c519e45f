/** Commands with their keys: one table for the keys themselves, for their list (`?`) and for the commands of Ctrl+K. */

import { currentRoute } from "../core/router.js";
import { isInChannel } from "./conversations.js";
import { state } from "./session.js";

/** @typedef {{text: PlainTextKey, keys?: Record<string, string>, icon?: string, run?: string, value?: PlainTextKey,
 *   isOffered?: () => boolean}} Shortcut
 *   `keys` are commands by key. With an icon, Ctrl+K offers the command `run`, by default that of the first key, or
 *   goes to the address `run`; `value` follows the text there, and `isOffered` says whether it makes sense now */

const isInTopic = () => {
  const conversation = currentRoute()?.conversation;
  return conversation !== undefined && isInChannel(conversation);
};
const isInPlace = () => isInTopic() || currentRoute()?.channel !== undefined;

/** Headings, and what stands under each. Rows without keys are offered by Ctrl+K only.
 * @type {[PlainTextKey, Shortcut[]][]} */
export const SHORTCUTS = [
  [
    "keys.moving",
    [
      {
        text: "keys.next",
        keys: { j: "next-message", k: "previous-message", ArrowDown: "next-message", ArrowUp: "previous-message" },
      },
      {
        text: "keys.page",
        keys: {
          PageDown: "page-down",
          PageUp: "page-up",
          J: "page-down",
          K: "page-up",
          " ": "page-down",
          "Shift+ ": "page-up",
        },
      },
      { text: "keys.ends", keys: { Home: "first-message", End: "last-message", G: "last-message" } },
      { text: "keys.unread", keys: { n: "next-unread" }, icon: "right" },
      { text: "keys.unread-followed", keys: { N: "next-unread-followed" }, icon: "right" },
      { text: "keys.unread-direct", keys: { p: "next-unread-direct" }, icon: "right" },
      { text: "keys.directs", keys: { P: "all-directs-view" } },
      { text: "keys.conversation", keys: { s: "to-conversation", y: "to-conversation" } },
      { text: "keys.near", keys: { z: "to-near" } },
      { text: "keys.channel", keys: { S: "to-channel" } },
      { text: "keys.views", keys: { I: "inbox", t: "recent", a: "feed", "*": "starred" } },
      { text: "keys.catch-up", keys: { o: "catch-up" }, icon: "eye" },
      { text: "switcher.field", keys: { "Ctrl+k": "switcher" } },
      { text: "keys.search", keys: { "/": "search" } },
      { text: "keys.sidebar", keys: { q: "focus-sidebar" } },
      { text: "keys.people", keys: { w: "people", W: "members" }, icon: "people" },
      { text: "keys.org-menu", keys: { g: "gear-menu" } },
      { text: "keys.read-place", keys: { "Shift+Escape": "read-place" }, icon: "check", isOffered: isInPlace },
      { text: "inbox.mark-all", run: "mark-all-read", icon: "check" },
      { text: "keys.home", keys: { Escape: "escape", "Ctrl+[": "escape" } },
    ],
  ],
  [
    "keys.writing",
    [
      { text: "keys.compose", keys: { c: "compose" }, icon: "draft", isOffered: isInPlace },
      { text: "channel.new-topic", run: "new-topic-anywhere", icon: "plus" },
      { text: "menu.reply", keys: { r: "reply", Enter: "reply" } },
      { text: "keys.reply-direct", keys: { R: "reply-direct" } },
      { text: "row.quote", keys: { ">": "quote" } },
      { text: "forward.do", keys: { "<": "forward" } },
      { text: "keys.mention", keys: { "@": "mention-sender" } },
      { text: "side.new-direct", keys: { x: "new-direct" }, icon: "plus" },
      { text: "view.drafts", keys: { d: "drafts" } },
      { text: "keys.edit", keys: { e: "edit", ArrowLeft: "edit-last" } },
      { text: "compose.preview", keys: { "Alt+p": "preview" } },
      { text: "compose.record", keys: { "Alt+r": "record" } },
      { text: "keys.to-compose", keys: { "Ctrl+.": "narrow-to-compose" } },
    ],
  ],
  [
    "keys.acting",
    [
      { text: "keys.menu", keys: { i: "more" } },
      { text: "row.react", keys: { ":": "react" } },
      { text: "keys.thumbs", keys: { "+": "thumbs-up", "=": "upvote" } },
      { text: "row.star", keys: { "Ctrl+s": "star" } },
      { text: "menu.unread", keys: { U: "unread-from-here" } },
      { text: "menu.copy-link", keys: { L: "copy-link" } },
      { text: "menu.move-message", keys: { m: "move" } },
      { text: "keys.mute", keys: { M: "mute-topic" }, icon: "mute", isOffered: isInTopic },
      { text: "keys.follow", keys: { F: "follow" }, icon: "bell", isOffered: isInTopic },
      { text: "head.resolve", run: "resolve", icon: "check", isOffered: isInTopic },
      { text: "menu.move-topic", run: "move-topic", icon: "move", isOffered: isInTopic },
      { text: "menu.history", keys: { H: "history" } },
      { text: "menu.receipts", keys: { V: "read-receipts" } },
      { text: "keys.profile", keys: { u: "sender-profile" } },
      { text: "keys.pictures", keys: { v: "view-pictures" } },
      { text: "keys.fold", keys: { "-": "collapse" } },
      { text: "menu.set-status", run: "status", icon: "smile" },
      { text: "menu.theme", value: "set.color_scheme.3", run: "theme-light", icon: "eye" },
      { text: "menu.theme", value: "set.color_scheme.2", run: "theme-dark", icon: "eye" },
      { text: "menu.theme", value: "set.color_scheme.1", run: "theme-system", icon: "eye" },
      {
        text: "invite.people",
        run: "#organization/invitations",
        icon: "plus",
        isOffered: () => Boolean(state.can_invite_others_to_realm),
      },
      { text: "menu.organization", run: "#organization", icon: "gear" },
      { text: "groups.title", run: "#organization/groups", icon: "people" },
      { text: "marks.title", run: "#message-formatting", icon: "help" },
      { text: "keys.title", keys: { "?": "keyboard-help" }, icon: "keyboard" },
      { text: "menu.log-out", run: "log-out", icon: "logout" },
    ],
  ],
];

const ALL = SHORTCUTS.flatMap(([, rows]) => rows);

/** Keys that work outside of text fields, with their commands.
 * @type {Record<string, string>} */
export const KEYS = Object.assign({}, ...ALL.map(({ keys }) => keys));

/** What Ctrl+K offers now. */
export function offeredCommands() {
  return ALL.filter(({ icon, isOffered }) => icon && (isOffered?.() ?? true)).map((each) => ({
    ...each,
    run: each.run ?? Object.values(each.keys ?? {})[0],
  }));
}

/** @type {Record<string, string>} */
const KEY_NAMES = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  PageDown: "PgDn",
  PageUp: "PgUp",
  Escape: "Esc",
  " ": "Space",
};

/** How a key is written: "Shift+J" for J.
 * @param {string} key as in the table */
export function keyLabel(key) {
  const at = key.length > 1 ? key.lastIndexOf("+") + 1 : 0;
  const name = key.slice(at);
  const shift = /^[A-Z]$/.test(name) ? "Shift+" : "";
  return key.slice(0, at) + shift + (KEY_NAMES[name] ?? (name.length === 1 ? name.toUpperCase() : name));
}
