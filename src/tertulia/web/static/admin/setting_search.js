/** The search over all settings: labels, help and names, and titles of sections. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { normalizeText } from "../state/name_match.js";
import { settingGroup } from "./parts.js";
import { helpOf, settingLabel, organizationRow } from "./setting_rows.js";

/** @typedef {import("./pending_changes.js").PendingChanges} PendingChanges */
/** @typedef {import("./sections.js").Section} Section */

/** The settings that have all words of a text, by section, and the sections whose title has them.
 * @param {string} text
 * @param {PendingChanges} pending
 * @param {Section[]} sections
 * @param {(key: string) => void} show
 * @returns {HTMLElement[]} */
export function searchResults(text, pending, sections, show) {
  const words = normalizeText(text).split(/\s+/).filter(Boolean);
  const matches = (/** @type {string} */ content) => words.every((word) => normalizeText(content).includes(word));
  let count = 0;
  const groups = sections.flatMap((section) => {
    const { part, settings } = pending.inSection(section.key);
    const rows = settings
      .filter((each) => matches(`${settingLabel(part, each.name)} ${helpOf(part, each)} ${each.name}`))
      .map((each) => organizationRow(pending, part, each.name));
    count += rows.length;
    if (rows.length) return [settingGroup(t(section.title), rows)];
    if (!matches(t(section.title))) return [];
    count++;
    return [
      h(
        "section",
        { class: "set-group" },
        h("button", { class: "b", type: "button", onclick: () => show(section.key) }, t(section.title)),
      ),
    ];
  });
  return [
    h("p", { class: "quiet", role: "status" }, count ? t("admin.found", { count }) : t("admin.nothing-found")),
    ...groups,
  ];
}
