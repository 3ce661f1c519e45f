/** What the person has put off, in one list: starred messages, reminders and scheduled messages. */

import { h, icon } from "../core/html.js";
import { t } from "../core/i18n.js";
import { conversationOf, fullTitle } from "../state/conversations.js";
import { findMessage } from "../state/messages.js";
import { conversationHash } from "../state/narrow.js";
import { state } from "../state/session.js";
import { fetchMessages, messageSummary } from "../views/conversation_rows.js";
import { actionLink, emptyState } from "../views/layout.js";
import { formatFullTime } from "../views/time.js";
import { bindToAddress, openDialog } from "./dialog.js";
import { reminderRows } from "./reminders.js";
import { scheduledRows } from "./schedule.js";

const MAX_STARRED = 20; // the newest; a link leads to all

export async function showLater() {
  const starred = [...(state.starred_messages ?? [])].sort((a, b) => b - a);
  const newest = starred.slice(0, MAX_STARRED);
  const list = h("ul", { class: "plain kept" });
  const all = actionLink("#narrow/is/starred", t("later.all-starred", { count: starred.length }), "star");
  const sections = [
    section("view.starred", starred.length > 0 && [list, all]),
    section("view.reminders", listOf(reminderRows())),
    section("view.scheduled", listOf(scheduledRows())),
  ].filter((each) => each !== false);
  const none = emptyState(t("later.none"), t("later.none-text"), actionLink("#inbox", t("view.inbox"), "inbox"));
  bindToAddress(openDialog(t("view.later"), sections.length ? sections : [none]));
  await fetchMessages(newest).catch(() => {}); // offline: those that are here
  list.append(...newest.flatMap((id) => findMessage(id) ?? []).map(starredRow));
}

/** @param {PlainTextKey} title
 * @param {HTMLElement[] | false} content */
function section(title, content) {
  return content && h("section", {}, h("h2", {}, t(title)), ...content);
}

/** @param {HTMLElement[]} rows */
function listOf(rows) {
  return rows.length > 0 && [h("ul", { class: "plain kept" }, ...rows)];
}

/** @param {import("../state/messages.js").Message} message */
function starredRow(message) {
  const to = conversationOf(message);
  return h(
    "li",
    {},
    h("a", { href: conversationHash(to, message.id) }, icon("star", "s"), " ", h("bdi", {}, fullTitle(to))),
    h("p", { class: "cut", dir: "auto" }, messageSummary(message)),
    h("small", {}, formatFullTime(message.timestamp)),
  );
}
