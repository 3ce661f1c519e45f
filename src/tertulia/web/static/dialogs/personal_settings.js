/** Rows for personal settings. The server's table says which there are, in which order and under which heading. */

import { get, patch } from "../core/api.js";
import { h } from "../core/html.js";
import { currentLanguage, t } from "../core/i18n.js";
import { getPerson } from "../state/people.js";
import { myId, setting, state } from "../state/session.js";
import { ownTimeZone } from "../state/time_zones.js";
import { hoursRow, settingRow } from "./forms.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["SettingObject"]} Setting */
/** @typedef {Record<string, import("../core/html.js").Child[]>} More by heading */

const LANGUAGES = /** @type {[string, string][]} */ ([
  ["en", "English"],
  ["ar", "العربية"],
  ["de", "Deutsch"],
  ["es", "Español"],
  ["fr", "Français"],
  ["ja", "日本語"],
  ["pt", "Português (Brasil)"],
]);

/** The settings of a tab under their headings, with what else stands above and below them.
 * @param {string} tab
 * @param {More} [above]
 * @param {More} [below] */
export async function personalSections(tab, above = {}, below = {}) {
  const { user_settings_defaults: settings } = await get("/realm/settings");
  return byHeading(settings.filter((each) => each.section === tab)).map(([heading, own]) => {
    const rows = [...(above[heading] ?? []), ...own.map(personalRow), ...(below[heading] ?? [])];
    return h("section", { class: "fields rows" }, h("h2", {}, t(`part.${heading}`)), ...rows);
  });
}

/** Settings with each heading, in their order.
 * @param {Setting[]} settings
 * @returns {[string, Setting[]][]} */
export function byHeading(settings) {
  const found = /** @type {Map<string, Setting[]>} */ (new Map());
  for (const each of settings) found.set(String(each.heading), [...(found.get(String(each.heading)) ?? []), each]);
  return [...found];
}

/** The name of a value of a setting with few values.
 * @param {string} name
 * @param {string | number} value
 * @returns {string} */
export function personalValue(name, value) {
  if (name === "default_language") return languageName(value);
  return name.startsWith("automatically_") ? t(`set.topics_policy.${value}`) : t(`set.${name}.${value}`);
}

/** @param {string | number} code
 * @returns {string} */
export function languageName(code) {
  return new Intl.DisplayNames([currentLanguage()], { type: "language" }).of(String(code)) ?? String(code);
}

/** @param {Setting} row */
function personalRow({ name, kind, choices }) {
  if (kind === "hours") return quietHoursRow();
  return settingRow({
    name,
    label: t(`set.${name}`),
    value: state.user_settings?.[name],
    save: (value) => patch("/settings", { [name]: value }),
    ...(kind === "number" && { kind }),
    ...(kind === "choice" && { choices: choices.map((value) => [value, personalValue(name, value)]) }),
    ...inThisPage(name),
  });
}

/** They are hours of the person's time zone, which is set with them if it was not known. */
function quietHoursRow() {
  const zone = getPerson(myId()).timezone ? {} : { timezone: ownTimeZone() };
  return hoursRow({
    name: "quiet_hours",
    label: t("set.quiet_hours"),
    hint: t("hours.quiet"),
    value: String(setting("quiet_hours") ?? ""),
    save: (value) => patch("/settings", { quiet_hours: value, ...zone }),
  });
}

/** What this page offers of a setting that other clients read in more ways.
 * @param {string} name
 * @returns {Partial<import("./forms.js").Row>} */
function inThisPage(name) {
  if (name === "default_language") return { choices: LANGUAGES };
  if (name === "web_channel_default_view")
    return { value: setting(name) === 2 ? 2 : 3, choices: [2, 3].map((value) => [value, personalValue(name, value)]) };
  return {};
}
