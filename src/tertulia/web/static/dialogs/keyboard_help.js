/** The list of keyboard shortcuts. */

import { h } from "../core/html.js";
import { areShortcutsOff, setShortcutsOff } from "../views/keys.js";
import { setting } from "../state/session.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";

/** @type {[string, [string, string][]][]} */
const GROUPS = [
  ["moving", [["next", "J K ↓ ↑"], ["page", "PgDn PgUp Shift+J Shift+K"], ["ends", "Home End Shift+G"], ["unread", "N"], ["unread-followed", "Shift+N"], ["unread-direct", "P"], ["directs", "Shift+P"], ["conversation", "S Y"], ["near", "Z"], ["channel", "Shift+S"], ["views", "Shift+I T A *"], ["catch-up", "O"], ["switcher", "Ctrl+K"], ["search", "/"], ["sidebar", "Q"], ["people", "W Shift+W"], ["org-menu", "G"], ["read-place", "Shift+Esc"], ["home", "Esc Ctrl+["]]],
  ["writing", [["send", ""], ["compose", "C"], ["reply", "R Enter"], ["reply-direct", "Shift+R"], ["quote", ">"], ["forward", "<"], ["mention", "@"], ["direct", "X"], ["drafts", "D"], ["edit", "E ←"], ["preview", "Alt+P"], ["to-compose", "Ctrl+."]]],
  ["acting", [["menu", "I"], ["react", ":"], ["thumbs", "+ ="], ["star", "Ctrl+S"], ["unread-from", "Shift+U"], ["copy", "Shift+L"], ["move", "M"], ["mute", "Shift+M"], ["follow", "Shift+F"], ["history", "Shift+H"], ["receipts", "Shift+V"], ["profile", "U"], ["pictures", "V"], ["fold", "-"], ["help", "?"]]],
];

export function keyboardHelp() {
  GROUPS[1][1][0][1] = setting("enter_sends") ? "Enter Ctrl+Enter" : "Ctrl+Enter";
  const groups = GROUPS.map(([name, rows]) => h("section", {}, h("h2", {}, t(`keys.${name}`)), h("dl", { class: "keys-list" },
    ...rows.flatMap(([key, keys]) => [h("dt", {}, t(`keys.${key}`)), h("dd", {}, ...keys.split(" ").map((each) => h("kbd", {}, each)))]))));
  const off = h("input", { type: "checkbox", checked: areShortcutsOff(), onchange: (/** @type {Event} */ event) => setShortcutsOff(/** @type {HTMLInputElement} */ (event.target).checked) });
  const dialog = openDialog(t("keys.title"), [h("div", { class: "keys-groups" }, ...groups), h("label", { class: "switch" }, h("span", {}, t("keys.off")), off)]);
  if (location.hash === "#keyboard-shortcuts") bindToAddress(dialog);
}
