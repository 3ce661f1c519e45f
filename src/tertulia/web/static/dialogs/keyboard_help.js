/** The list of keyboard shortcuts. */

import { h } from "../core/html.js";
import { areShortcutsOff, setShortcutsOff } from "../views/keys.js";
import { setting } from "../state/session.js";
import { keyLabel, SHORTCUTS } from "../state/shortcuts.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";

export function keyboardHelp() {
  const sending = { text: /** @type {const} */ ("compose.send"), labels: sendKeys() };
  const groups = SHORTCUTS.map(([name, rows]) => {
    const listed = rows.flatMap(({ text, keys }) => (keys ? [{ text, labels: Object.keys(keys).map(keyLabel) }] : []));
    if (name === "keys.writing") listed.unshift(sending);
    const entries = listed.flatMap(({ text, labels }) => [
      h("dt", {}, t(text)),
      h("dd", {}, ...labels.map((each) => h("kbd", {}, each))),
    ]);
    return h("section", {}, h("h2", {}, t(name)), h("dl", { class: "keys-list" }, ...entries));
  });
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

function sendKeys() {
  return setting("enter_sends") ? ["Enter", "Ctrl+Enter"] : ["Ctrl+Enter"];
}
