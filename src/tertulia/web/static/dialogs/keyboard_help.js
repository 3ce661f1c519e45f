/** The list of keyboard shortcuts. */

import { h } from "../core/html.js";
import { areShortcutsOff, setShortcutsOff } from "../views/keys.js";
import { setting } from "../state/session.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";

/** Texts of headings; under each, texts of what the keys do, and the keys.
 * @type {[PlainTextKey, [PlainTextKey, string][]][]} */
const GROUPS = [
  [
    "keys.moving",
    [
      ["keys.next", "J K ↓ ↑"],
      ["keys.page", "PgDn PgUp Shift+J Shift+K"],
      ["keys.ends", "Home End Shift+G"],
      ["keys.unread", "N"],
      ["keys.unread-followed", "Shift+N"],
      ["keys.unread-direct", "P"],
      ["keys.directs", "Shift+P"],
      ["keys.conversation", "S Y"],
      ["keys.near", "Z"],
      ["keys.channel", "Shift+S"],
      ["keys.views", "Shift+I T A *"],
      ["keys.catch-up", "O"],
      ["switcher.field", "Ctrl+K"],
      ["keys.search", "/"],
      ["keys.sidebar", "Q"],
      ["keys.people", "W Shift+W"],
      ["keys.org-menu", "G"],
      ["keys.read-place", "Shift+Esc"],
      ["keys.home", "Esc Ctrl+["],
    ],
  ],
  [
    "keys.writing",
    [
      ["compose.send", ""],
      ["keys.compose", "C"],
      ["menu.reply", "R Enter"],
      ["keys.reply-direct", "Shift+R"],
      ["row.quote", ">"],
      ["forward.do", "<"],
      ["keys.mention", "@"],
      ["side.new-direct", "X"],
      ["view.drafts", "D"],
      ["keys.edit", "E ←"],
      ["compose.preview", "Alt+P"],
      ["keys.to-compose", "Ctrl+."],
    ],
  ],
  [
    "keys.acting",
    [
      ["keys.menu", "I"],
      ["row.react", ":"],
      ["keys.thumbs", "+ ="],
      ["row.star", "Ctrl+S"],
      ["menu.unread", "Shift+U"],
      ["menu.copy-link", "Shift+L"],
      ["menu.move-message", "M"],
      ["keys.mute", "Shift+M"],
      ["keys.follow", "Shift+F"],
      ["menu.history", "Shift+H"],
      ["menu.receipts", "Shift+V"],
      ["keys.profile", "U"],
      ["keys.pictures", "V"],
      ["keys.fold", "-"],
      ["keys.help", "?"],
    ],
  ],
];

export function keyboardHelp() {
  GROUPS[1][1][0][1] = setting("enter_sends") ? "Enter Ctrl+Enter" : "Ctrl+Enter";
  const groups = GROUPS.map(([name, rows]) =>
    h(
      "section",
      {},
      h("h2", {}, t(name)),
      h(
        "dl",
        { class: "keys-list" },
        ...rows.flatMap(([key, keys]) => [
          h("dt", {}, t(key)),
          h("dd", {}, ...keys.split(" ").map((each) => h("kbd", {}, each))),
        ]),
      ),
    ),
  );
  const off = h("input", {
    type: "checkbox",
    checked: areShortcutsOff(),
    onchange: (/** @type {Event} */ event) => setShortcutsOff(/** @type {HTMLInputElement} */ (event.target).checked),
  });
  const dialog = openDialog(t("keys.title"), [
    h("div", { class: "keys-groups" }, ...groups),
    h("label", { class: "switch" }, h("span", {}, t("keys.off")), off),
  ]);
  if (location.hash === "#keyboard-shortcuts") bindToAddress(dialog);
}
