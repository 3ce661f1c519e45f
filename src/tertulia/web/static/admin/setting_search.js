/** The search over all settings: labels, help and names, and titles of sections. */

import { h } from "../core/html.js";
import { t } from "../core/i18n.js";
import { normalizeText } from "../state/typeahead_sources.js";
import { DEFAULT_GROUPS, SETTING_GROUPS } from "./setting_groups.js";
import { helpOf, settingGroup, settingLabel, organizationRow } from "./setting_rows.js";

/** @typedef {import("./pending_changes.js").PendingChanges} PendingChanges */
/** @typedef {import("./pending_changes.js").Part} Part */
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
  const found = (/** @type {Part} */ part, /** @type {string[]} */ names) => names.filter((name) => {
    const setting = pending.list[part].get(name);
    return setting && matches(`${settingLabel(part, name)} ${helpOf(part, setting)} ${name}`);
  });
  let count = 0;
  const groups = sections.flatMap((section) => {
    const part = /** @type {Part} */ (section.key in SETTING_GROUPS ? "settings" : "defaults");
    const own = part === "settings" ? SETTING_GROUPS[section.key] : section.key === "organization-level-user-defaults" ? DEFAULT_GROUPS : {};
    const names = Object.values(own).flatMap((each) => found(part, each));
    count += names.length;
    const rows = names.map((name) => organizationRow(pending, part, name));
    if (rows.length) return [settingGroup(t(section.title), rows)];
    if (!matches(t(section.title))) return [];
    count++;
    return [h("section", { class: "set-group" }, h("button", { class: "b", type: "button", onclick: () => show(section.key) }, t(section.title)))];
  });
  return [h("p", { class: "quiet", role: "status" }, count ? t("admin.found", { count }) : t("admin.nothing-found")), ...groups];
}
