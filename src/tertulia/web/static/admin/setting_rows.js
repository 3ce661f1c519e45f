/** Rows of organization settings: label, one line of help, the default, and a control of the right kind. A change is
 * noted, and saved with the others. */

import { get } from "../core/api.js";
import { h, icon, setChildren } from "../core/html.js";
import { currentLanguage, formatList, t, textWith } from "../core/i18n.js";
import { channels } from "../state/channels.js";
import { state } from "../state/session.js";
import { namesIn } from "../dialogs/channel_administration.js";
import { hoursField } from "../dialogs/forms.js";
import { PermissionField } from "../dialogs/permission_field.js";
import { languageName, personalValue } from "../dialogs/personal_settings.js";
import { ChoiceField } from "../views/choice_field.js";

/** @typedef {import("./pending_changes.js").PendingChanges} PendingChanges */
/** @typedef {import("./pending_changes.js").Setting} Setting */
/** @typedef {import("./pending_changes.js").Part} Part */
/** @typedef {import("../state/types.d.ts").Permission} Permission */
/** @typedef {{id: string, part: Part, setting: Setting, label: string, value: unknown, change: (value: unknown) =>
 *   void}} Control */

const VISITORS = /** @type {const} */ (["enable_spectator_access", "enable_public_pages"]);
const VISITOR_CHOICES = /** @type {const} */ (["admin.visitors-0", "admin.visitors-1", "admin.visitors-2"]);
const OTHER = "other";
const SHORT_TEXT_LENGTH = 60;
const SECONDS = { minute: 60, hour: 3600, day: 86_400 };
const LIMITS_SECONDS = [60, 600, 3600, 86_400, 604_800, 2_592_000];
const LIMITS_DAYS = [30, 90, 180, 365, 730, 1825];
const ORGANIZATION_TYPES = [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000];

/** @param {PendingChanges} pending
 * @param {Part} part
 * @param {string} name
 * @returns {HTMLElement} */
export function organizationRow(pending, part, name) {
  const setting = pending.list[part].get(name);
  if (!setting) throw new Error(`the server has no setting ${name}`);
  const label = settingLabel(part, name);
  const id = `setting-${part}-${name}`;
  const changed = changeNote();
  const note = h("span", { class: "hint effect", "aria-live": "polite" });
  const update = () => {
    changed.hidden = !pending.has(part, name);
    if (name === "message_retention_days") showRetention(note, changed.hidden ? null : pending.value(part, setting));
  };
  const control = controlOf({
    id,
    part,
    setting,
    label,
    value: pending.value(part, setting),
    change: (value) => {
      pending.set(part, setting, label, value);
      update();
    },
  });
  update();
  const isList = setting.kind === "login_methods";
  const isLong = control instanceof HTMLTextAreaElement;
  const isField = !isList && (setting.can_change || !control.matches(".permission"));
  return h(
    "div",
    {
      class: `set-row ${isList || isLong ? "tall" : ""}`,
      "data-setting": name,
      "data-part": part,
      role: isList && "group",
      "aria-labelledby": isList && `${id}-label`,
    },
    h(
      "div",
      { class: "l" },
      isField ? h("label", { for: id }, label) : h("b", { id: `${id}-label` }, label),
      h("span", { class: "hint", id: `${id}-help` }, describe(part, setting)),
      restriction(setting),
      changed,
      note,
    ),
    h("div", { class: "r" }, control),
  );
}

/** Who reads web-public channels: two settings as one choice.
 * @param {PendingChanges} pending
 * @returns {HTMLElement} */
export function visitorsRow(pending) {
  const parts = VISITORS.map((name) => pending.list.settings.get(name));
  const [chat, pages] = /** @type {Setting[]} */ (parts);
  const isOpen = (/** @type {Setting} */ each) => Boolean(pending.value("settings", each));
  const select = h(
    "select",
    {
      class: "f",
      id: "setting-visitors",
      disabled: !chat.can_change || !pages.can_change,
      "aria-describedby": "setting-visitors-help",
      onchange: () => {
        for (const [at, each] of [chat, pages].entries())
          if (at === 0 || select.value !== "0")
            pending.set("settings", each, t("admin.visitors"), Number(select.value) > at);
        changed.hidden = !VISITORS.some((name) => pending.has("settings", name));
      },
    },
    ...VISITOR_CHOICES.map((key, value) => h("option", { value }, t(key))),
  );
  select.value = String(isOpen(chat) ? 1 + Number(isOpen(pages)) : 0);
  const changed = changeNote();
  changed.hidden = !VISITORS.some((name) => pending.has("settings", name));
  return h(
    "div",
    { class: "set-row", "data-setting": "visitors" },
    h(
      "div",
      { class: "l" },
      h("label", { for: "setting-visitors" }, t("admin.visitors")),
      h("span", { class: "hint", id: "setting-visitors-help" }, t("admin.visitors-help")),
      restriction(chat) ?? restriction(pages),
      changed,
    ),
    h("div", { class: "r" }, select),
  );
}

function changeNote() {
  return h("span", { class: "changed" }, icon("draft", "s"), t("admin.changed"));
}

/** @param {Part} part
 * @param {string} name */
export function settingLabel(part, name) {
  return part === "settings" ? t(`org.${name}`) : t(`set.${name}`);
}

/** @param {Part} part
 * @param {Setting} setting */
export function helpOf(part, setting) {
  return part === "settings" ? t(`help.${setting.name}`) : "";
}

/** The help of a setting, and its default where the organization has chosen another value.
 * @param {Part} part
 * @param {Setting} setting */
function describe(part, setting) {
  const isUsual = JSON.stringify(setting.value) === JSON.stringify(setting.default);
  const usual = isUsual ? "" : t("admin.default", { value: formatSetting(part, setting, setting.default) });
  return [helpOf(part, setting), usual].filter(Boolean).join(" ");
}

/** @param {Setting} setting */
function restriction(setting) {
  if (setting.fixed_by)
    return h(
      "span",
      { class: "fixed" },
      icon("lock", "s"),
      h("span", {}, ...textWith("admin.fixed", { setting: [h("code", {}, setting.fixed_by)] })),
    );
  if (setting.can_change) return null;
  return h(
    "span",
    { class: "fixed" },
    icon("lock", "s"),
    t(setting.owners_only ? "admin.owners" : "admin.administrators"),
  );
}

/** A value in words.
 * @param {Part} part
 * @param {Setting} setting
 * @param {any} value
 * @returns {string} */
export function formatSetting(part, setting, value) {
  switch (setting.kind) {
    case "switch":
      return t(value ? "admin.on" : "admin.off");
    case "choice":
      return choiceLabel(part, setting.name, value);
    case "limit":
      return formatLimit(setting, value);
    case "channel":
      return channels.get(value)?.name ?? t("org.none");
    case "permission":
      return formatList(namesIn(value));
    case "login_methods":
      return formatList(
        Object.keys(value)
          .filter((each) => value[each])
          .map(methodName),
      );
    case "number":
      return setting.name === "org_type" ? t(`choice.org_type.${value}`) : String(value);
    default:
      return value || t("admin.empty");
  }
}

/** @param {string} name of a login method in the API; most are the names of products */
export function methodName(name) {
  if (name === "Email") return t("admin.method.email");
  return name === "RemoteUser" ? t("admin.method.proxy") : name;
}

/** @param {Part} part
 * @param {string} name
 * @param {string | number} value
 * @returns {string} */
function choiceLabel(part, name, value) {
  if (part === "defaults") return personalValue(name, value);
  if (name === "default_language") return languageName(value);
  if (name === "digest_weekday")
    return new Intl.DateTimeFormat(currentLanguage(), { weekday: "long", timeZone: "UTC" }).format(
      Date.UTC(2024, 0, 1 + Number(value)),
    ); // a Monday
  if (name === "media_preview_size")
    return new Intl.NumberFormat(currentLanguage(), { style: "percent" }).format(Number(value) / 100);
  return t(`choice.${name}.${value}`);
}

/** @param {Setting} setting
 * @param {number | null} value */
function formatLimit(setting, value) {
  if (value === null) return t(setting.unit === "days" ? "limit.never" : "limit.none");
  if (setting.unit === "days") return t("limit.days", { count: value });
  if (value % SECONDS.day === 0) return t("limit.days", { count: value / SECONDS.day });
  if (value % SECONDS.hour === 0) return t("limit.hours", { count: value / SECONDS.hour });
  return value % SECONDS.minute === 0
    ? t("limit.minutes", { count: value / SECONDS.minute })
    : t("limit.seconds", { count: value });
}

/** @param {Control} control
 * @returns {HTMLElement} */
function controlOf(control) {
  const { setting } = control;
  switch (setting.kind) {
    case "switch":
      return switchControl(control);
    case "choice":
      return selectControl(
        control,
        setting.choices.map((each) => [each, choiceLabel(control.part, setting.name, each)]),
      );
    case "permission":
      return permissionControl(control);
    case "channel":
      return channelControl(control);
    case "limit":
      return limitControl(control);
    case "login_methods":
      return methodsControl(control);
    case "hours": {
      const { box, times } = hoursField(String(control.value), control.change, attributes(control));
      return h("span", {}, h("span", { class: "switch" }, box), times);
    }
    case "number":
      return setting.name === "org_type"
        ? selectControl(
            control,
            ORGANIZATION_TYPES.map((each) => [each, t(`choice.org_type.${each}`)]),
          )
        : numberControl(control);
    default:
      return textControl(control);
  }
}

/** @param {Control} control
 * @returns {Record<string, unknown>} */
function attributes({ id, setting }) {
  return { id, name: setting.name, disabled: !setting.can_change, "aria-describedby": `${id}-help` };
}

/** @param {Control} control */
function switchControl(control) {
  const box = h("input", {
    type: "checkbox",
    role: "switch",
    ...attributes(control),
    checked: Boolean(control.value),
    onchange: () => control.change(box.checked),
  });
  return h("span", { class: "switch" }, box);
}

/** @param {Control} control
 * @param {[string | number, string][]} choices */
function selectControl(control, choices) {
  const shown = choices.some(([value]) => value === control.value)
    ? choices
    : [
        /** @type {[string, string]} */ ([
          String(control.value),
          formatSetting(control.part, control.setting, control.value),
        ]),
        ...choices,
      ];
  const select = h(
    "select",
    {
      class: "f",
      ...attributes(control),
      onchange: () => control.change(choices.find(([value]) => String(value) === select.value)?.[0] ?? control.value),
    },
    ...shown.map(([value, text]) => h("option", { value, selected: String(value) === String(control.value) }, text)),
  );
  return select;
}

/** A searchable list of the channels.
 * @param {Control} control */
function channelControl(control) {
  const known = [...channels.values()]
    .filter((each) => !each.is_archived || each.stream_id === control.value)
    .sort((a, b) => a.name.localeCompare(b.name));
  const choices = [
    { value: -1, label: t("org.none") },
    ...known.map(({ stream_id: value, name: label }) => ({ value, label })),
  ];
  const field = new ChoiceField(control.label, choices, t("choice.unknown"), {
    value: channels.has(Number(control.value)) ? Number(control.value) : -1,
    attributes: attributes(control),
    changed: () => {
      control.change(field.value);
    },
  });
  return field.element;
}

/** Groups and people, or one of few roles.
 * @param {Control} control */
function permissionControl(control) {
  const { id, label, setting } = control;
  const groups = setting.choices.map(Number);
  if (state.server_supported_permission_settings?.realm[setting.name]?.require_system_group)
    return selectControl(
      control,
      groups.map((each) => [each, formatList(namesIn(each))]),
    );
  return new PermissionField({
    id,
    label,
    value: /** @type {Permission} */ (control.value),
    groups,
    disabled: !setting.can_change,
    describedBy: `${id}-help`,
    change: control.change,
  }).element;
}

/** A choice of usual limits, and a number for any other.
 * @param {Control} control */
function limitControl(control) {
  const isDays = control.setting.unit === "days";
  const unit = isDays ? 1 : SECONDS.minute;
  const usual = isDays ? LIMITS_DAYS : LIMITS_SECONDS;
  const present = /** @type {number | null} */ (control.value);
  const limits = present === null || usual.includes(present) ? usual : [...usual, present].sort((a, b) => a - b);
  const number = h("input", {
    class: "f",
    type: "number",
    min: 1,
    step: 1,
    hidden: true,
    disabled: !control.setting.can_change,
    "aria-label": t(isDays ? "limit.in-days" : "limit.in-minutes", { label: control.label }),
    onchange: () => {
      if (number.value !== "" && number.checkValidity()) control.change(Number(number.value) * unit);
    },
  });
  const select = h(
    "select",
    {
      class: "f",
      ...attributes(control),
      onchange: () => {
        number.hidden = select.value !== OTHER;
        if (number.hidden) control.change(select.value === "" ? null : Number(select.value));
        else number.focus();
      },
    },
    ...[null, ...limits].map((each) =>
      h("option", { value: each ?? "", selected: each === present }, formatLimit(control.setting, each)),
    ),
    h("option", { value: OTHER }, t("limit.other")),
  );
  return h("span", { class: "limit" }, select, number);
}

/** @param {Control} control */
function methodsControl(control) {
  const chosen = /** @type {Record<string, boolean>} */ ({ .../** @type {object} */ (control.value) });
  const box = (/** @type {string} */ name) => {
    const input = h("input", {
      type: "checkbox",
      name: `method-${name}`,
      checked: chosen[name],
      disabled: !control.setting.can_change,
      onchange: () => {
        chosen[name] = input.checked;
        control.change({ ...chosen });
      },
    });
    return h("label", { class: "choice" }, input, h("span", {}, methodName(name)));
  };
  const missing = (/** @type {[string, string]} */ [name, table]) =>
    h(
      "label",
      { class: "choice" },
      h("input", { type: "checkbox", disabled: true }),
      h("span", {}, methodName(name)),
      h("span", { class: "hint" }, ...textWith("admin.needs", { setting: [h("code", {}, table)] })),
    );
  return h(
    "div",
    { class: "methods" },
    ...control.setting.choices.map((each) => box(String(each))),
    ...Object.entries(control.setting.missing).map(missing),
  );
}

/** @param {Control} control */
function numberControl(control) {
  const { minimum: min, maximum: max } = control.setting;
  const field = h("input", {
    class: "f",
    type: "number",
    ...attributes(control),
    value: control.value,
    min,
    max,
    onchange: () => {
      if (field.value !== "") control.change(Number(field.value));
    },
  });
  return field;
}

/** @param {Control} control */
function textControl(control) {
  const { setting } = control;
  const toValue = (/** @type {string} */ text) => (setting.kind === "url" ? text.trim() || null : text);
  if (setting.kind === "text" && (setting.maximum ?? 0) > SHORT_TEXT_LENGTH) {
    const area = h("textarea", {
      class: "f",
      rows: 3,
      dir: "auto",
      maxlength: setting.maximum,
      ...attributes(control),
      oninput: () => control.change(toValue(area.value)),
    });
    area.value = String(control.value ?? "");
    return area;
  }
  const field = h("input", {
    class: "f",
    type: setting.kind === "url" ? "url" : "text",
    dir: "auto",
    maxlength: setting.maximum,
    ...attributes(control),
    value: control.value ?? "",
    oninput: () => control.change(toValue(field.value)),
  });
  return field;
}

/** Count what a retention would delete.
 * @param {HTMLElement} note
 * @param {unknown} days */
async function showRetention(note, days) {
  setChildren(note);
  if (days === null) return;
  const { message_count: count } = await get("/realm/retention_preview", { message_retention_days: days });
  note.textContent = t("admin.retention", { count });
}
