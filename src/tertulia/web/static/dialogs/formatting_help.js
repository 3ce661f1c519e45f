/** Help on message formatting. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";

const MARKS = [["bold", "**bold**"], ["italic", "*italic*"], ["strike", "~~struck~~"], ["code", "`code`"], ["block", "```python\nprint(1)\n```"], ["quote", "> quoted"], ["link", "[words](https://…)"],
  ["list", "* one\n* two"], ["mention", "@**Name**"], ["channel", "#**channel>topic**"], ["emoji", ":tada:"], ["math", "$$ x^2 $$"], ["spoiler", "```spoiler title\n…\n```"], ["time", "<time:2026-11-20T19:00>"], ["poll", "/poll question"], ["todo", "/todo title"], ["me", "/me waves"]];

export function formattingHelp() {
  const rows = MARKS.map(([name, text]) => h("tr", {}, h("th", { scope: "row" }, t(`marks.${name}`)), h("td", {}, h("pre", { tabindex: 0 }, text))));
  const dialog = openDialog(t("marks.title"), [h("table", { class: "marks" }, h("tbody", {}, ...rows))]);
  if (location.hash === "#message-formatting") bindToAddress(dialog);
}
