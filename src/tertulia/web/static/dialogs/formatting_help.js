/** Help on message formatting. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { bindToAddress, openDialog } from "./dialog.js";

/** @type {[PlainTextKey, string][]} */
const MARKS = [
  ["compose.bold", "**bold**"],
  ["compose.italic", "*italic*"],
  ["marks.strike", "~~struck~~"],
  ["compose.code", "`code`"],
  ["marks.block", "```python\nprint(1)\n```"],
  ["insert.quote", "> quoted"],
  ["compose.link", "[words](https://…)"],
  ["insert.list", "* one\n* two"],
  ["marks.mention", "@**Name**"],
  ["marks.channel", "#**channel>topic**"],
  ["compose.emoji", ":tada:"],
  ["marks.math", "$$ x^2 $$"],
  ["marks.spoiler", "```spoiler title\n…\n```"],
  ["marks.time", "<time:2026-11-20T19:00>"],
  ["compose.poll", "/poll question"],
  ["marks.todo", "/todo title"],
  ["marks.me", "/me waves"],
];

export function formattingHelp() {
  const rows = MARKS.map(([name, text]) =>
    h("tr", {}, h("th", { scope: "row" }, t(name)), h("td", {}, h("pre", { tabindex: 0 }, text))),
  );
  const dialog = openDialog(t("marks.title"), [h("table", { class: "marks" }, h("tbody", {}, ...rows))]);
  if (location.hash === "#message-formatting") bindToAddress(dialog);
}
