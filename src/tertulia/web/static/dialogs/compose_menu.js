/** The menu of the compose box: what its toolbar has no room for. */

import { t } from "../core/i18n.js";
import { realm } from "../state/session.js";
import { runCommand } from "../views/commands.js";
import { currentComposeBox } from "../views/compose.js";
import { openMenu } from "./popover.js";

/** @param {import("../views/commands.js").CommandContext} context */
export function composeMenu({ element, event }) {
  const format = (
    /** @type {string} */ name,
    /** @type {string} */ tool = name,
    /** @type {"insert" | "compose"} */ family = "insert",
  ) => ({ icon: name, text: t(`${family}.${tool}`), act: () => currentComposeBox()?.format(tool) });
  const run = (/** @type {string} */ icon, /** @type {string} */ name, /** @type {string} */ command) => ({
    icon,
    text: t(`insert.${name}`),
    act: () => runCommand(command, element, event),
  });
  const toolbar = element.closest(".tools");
  const isNarrow = toolbar?.querySelector(".wide-only")?.getClientRects().length === 0;
  openMenu(element, t("compose.more"), [
    ...(isNarrow ? ["bold", "italic", "link", "code"].map((name) => format(name, name, "compose")) : []),
    format("quote"),
    format("list"),
    format("list", "numbers"),
    "line",
    run("heading", "heading", "heading-form"),
    run("table", "table", "table-form"),
    run("eye", "spoiler", "spoiler-form"),
    run("clock", "time", "time-form"),
    run("poll", "poll", "poll-form"),
    run("check", "todo", "todo-form"),
    "line",
    run("draft", "snippets", "snippets"),
    ...(isNarrow ? [run("later", "later", "send-later")] : []),
    ...(realm("video_chat_provider") ? [run("call", "call", "video-call")] : []),
  ]);
}
