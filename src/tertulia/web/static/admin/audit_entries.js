/** Entries of the audit log as sentences. */

import { h } from "../core/html.js";
import { formatList, t, textIfAny } from "../core/i18n.js";
import { channels, channelName, folders } from "../state/channels.js";
import { nameOf } from "../state/people.js";
import { state } from "../state/session.js";
import { namesIn } from "../dialogs/channel_administration.js";
import { formatSetting, methodName } from "./setting_rows.js";

/** @typedef {import("../core/api_types.d.ts").Schemas["AuditEntry"]} Entry */
/** @typedef {import("../core/html.js").Child} Child */
/** @typedef {import("./pending_changes.js").SettingList} SettingList */

const DONE = "done";
const OBJECT = "\u0000";
const PRIVACY_PARAMETERS = ["is_private", "history_public_to_subscribers", "is_web_public"];
// Details that say nothing to a reader: ids, secrets, and what a client tells the server about itself.
const HIDDEN = new Set([
  "numbers",
  "user_id",
  "account_ids",
  "sender_id",
  "target_users",
  "answer",
  "code",
  "secret",
  "state",
  "old_password",
  "new_api_key",
  "config_data",
  "interface_type",
  "service_interface",
  "authorization_errors_fatal",
  "default_all_public_streams",
  "default_events_register_stream",
  "default_sending_stream",
  "order",
  "ordered_linkifier_ids",
  "example_input",
  "alternative_url_templates",
  "reverse_template",
  "actions",
  "deactivation_notification_comment",
  "emoji_code",
  "reaction_type",
  "field_data",
  "use_for_user_matching",
  "notify_referrer_on_join",
  "send_new_subscription_messages",
  "principals",
  "subscriptions",
  "short_name",
  "deletion_delay_days",
  "key",
  "to",
  "type",
  "topic",
  "values",
  "bot_id",
  "parameters",
  "channel_ids",
  "in_direct",
  "may_use",
  "ends_at",
]);
const ROLES = new Set(["role", "invite_as"]);
// Parameters that have their label in another part of the page.
/** @type {Record<string, string>} */
const LABELS = {
  allow_subdomains: "domain.subdomains",
  allowed: "summary.allow",
  announce: "channels.announce",
  as_html: "export.format",
  bot_owner_id: "hooks.owner",
  bot_type: "label.kind",
  deactivated: "people.deactivated",
  display_in_profile_summary: "field.display_in_profile_summary",
  domain: "domain.name",
  editable_by_user: "field.editable_by_user",
  email: "account.email",
  emoji_name: "org.emoji",
  export_type: "channel.export-kind",
  field_type: "label.kind",
  folder_id: "channels.folder",
  full_name: "label.name",
  group_ids: "groups.title",
  held_stream_ids: "hold.channels",
  held_user_ids: "hold.people",
  hint: "field.hint",
  include_realm_default_subscriptions: "invite.usual-channels",
  invite_as: "people.role",
  invite_expires_in_minutes: "invite.until",
  invite_only: "privacy.private",
  invitee_emails: "hold.people",
  is_archived: "channel.end",
  is_private: "privacy.private",
  members: "channel.subscribers",
  new_email: "account.email",
  new_name: "label.name",
  new_password: "account.password",
  password: "account.password",
  pattern: "linkifier.pattern",
  payload_url: "label.url",
  profile_data: "head.profile",
  pygments_language: "playground.language",
  reason: "hold.reason",
  required: "field.required",
  service_payload_url: "label.url",
  status_text: "profile.status",
  stream_id: "label.channel",
  stream_ids: "hold.channels",
  subgroups: "groups.title",
  subscribers: "channel.subscribers",
  timezone: "profile.timezone",
  topic_name: "compose.topic",
  url_template: "label.url",
};

// Acts that are described like another one: commands, log-in providers, and older addresses of a request.
/** @type {Record<string, string>} */
const SAME_ACTS = {
  "PATCH /settings/display": "PATCH /settings",
  "PATCH /settings/notifications": "PATCH /settings",
  "provider deactivate": "DELETE /users/{id}",
  "provider join": "user add",
  "provider reactivate": "POST /users/{id}/reactivate",
  "provider role": "user role",
  "user deactivate": "DELETE /users/{id}",
  "user erase": "POST /users/{id}/erase",
  "user reactivate": "POST /users/{id}/reactivate",
};

/** @param {Entry} entry */
export function isFailed(entry) {
  return entry.result !== DONE;
}

/** The action in words. The name of its object is bold.
 * @param {Entry} entry
 * @returns {Child[]} */
export function sentenceOf(entry) {
  const [before, after] = wordsOf(entry).split(OBJECT);
  return [
    before,
    after !== undefined && h("b", {}, h("bdi", {}, objectName(entry) ?? t("audit.something"))),
    after ?? "",
  ];
}

/** The sentence as plain text.
 * @param {Entry} entry */
export function textOf(entry) {
  return wordsOf(entry).replace(OBJECT, objectName(entry) ?? t("audit.something"));
}

/** What was changed, from which value to which, and the other details: settings by their labels.
 * @param {Entry} entry
 * @param {SettingList} settings
 * @returns {string[]} */
export function detailsOf(entry, settings) {
  const { changes = {}, ...details } = /** @type {Record<string, any>} */ (entry.details);
  const changed = Object.entries(/** @type {Record<string, [unknown, unknown]>} */ (changes));
  const named = new Set(changed.flatMap(([name]) => (name === "privacy" ? PRIVACY_PARAMETERS : name.split("/"))));
  const others = Object.entries(details).filter(([name]) => !HIDDEN.has(name) && !named.has(name));
  return [
    ...changed.map(([name, [old, value]]) =>
      t("audit.change", {
        label: labelOf(name, entry),
        old: valueText(name, old, entry, settings),
        new: valueText(name, value, entry, settings),
      }),
    ),
    ...others.map(([name, value]) =>
      value === null
        ? labelOf(name, entry)
        : t("audit.detail", { label: labelOf(name, entry), value: detailText(name, value) }),
    ),
  ];
}

/** @param {string} name
 * @param {unknown} value of a parameter, which the log has as text
 * @returns {string} */
function detailText(name, value) {
  if (value === "true" || value === "false") return t(value === "true" ? "admin.on" : "admin.off");
  if (ROLES.has(name)) return textIfAny(`role.${value}`) ?? String(value);
  if (name === "method") return methodName(String(value));
  if (name === "bot_type") return textIfAny(`hooks.kind.${value}`) ?? String(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** @param {Entry} entry */
export function actorName(entry) {
  if (entry.actor_id !== null) return nameOf(entry.actor_id);
  const [kind, name] = entry.address.split(", ");
  if (kind === "command line") return t("audit.command-line");
  return kind === "provider" ? name : t("audit.stranger");
}

/** @param {Entry} entry */
function wordsOf(entry) {
  const act = entry.act.replaceAll(/\/\d+/g, "/{id}");
  const name = textIfAny(`audit.act.${SAME_ACTS[act] ?? act}`, { object: OBJECT });
  const words = name ?? (/^[A-Z]/.test(entry.act) ? entry.act : t("audit.act.command", { name: entry.act }));
  return isFailed(entry)
    ? t("audit.failed", { what: words, why: textIfAny(`audit.why.${entry.result}`) ?? entry.result })
    : words;
}

/** @param {Entry} entry
 * @returns {string | undefined} */
function objectName(entry) {
  const [kind, number] = entry.object?.split("/") ?? [];
  const id = Number(number);
  if (kind === "user") return nameOf(id);
  if (kind === "channel") return channels.has(id) ? channelName(id) : t("audit.channel", { id: number });
  if (kind === "group")
    return state.realm_user_groups?.find((group) => group.id === id)?.name ?? t("audit.group", { id: number });
  return kind === "message" ? t("audit.message", { id: number }) : undefined;
}

/** @param {string} name of a setting or parameter; `role/17` is the role of one of several people, `defaults/…` a
 *   setting of new accounts
 * @param {Entry} entry */
function labelOf(name, entry) {
  const [first, second] = name.split("/");
  if (first === "defaults") return preferenceLabel(second) ?? t("audit.preference", { name: second });
  if (first === "role") return second ? t("audit.role-of", { name: nameOf(Number(second)) }) : t("people.role");
  return (
    (entry.area === "channels" ? (textIfAny(`channel.${name}`) ?? textIfAny(`audit.channel.${name}`)) : undefined) ??
    textIfAny(`org.${name}`) ??
    textIfAny(`audit.parameter.${name}`) ??
    textIfAny(LABELS[name] ?? "") ??
    preferenceLabel(name) ??
    (/^[A-Z]/.test(entry.act) ? t("audit.preference", { name }) : name)
  );
}

/** @param {string} name */
function preferenceLabel(name) {
  return textIfAny(`set.${name}`);
}

/** A value in words.
 * @param {string} name
 * @param {any} value
 * @param {Entry} entry
 * @param {SettingList} settings
 * @returns {string} */
function valueText(name, value, entry, settings) {
  const [first, second] = name.split("/");
  if (first === "role") return t(`role.${value}`);
  if (first === "bot_owner_id") return value ? nameOf(value) : t("org.none");
  if (name.endsWith("_group") || (value !== null && typeof value === "object" && "direct_members" in value))
    return formatList(namesIn(value));
  if (isAbout(entry, "channel")) return channelValue(name, value);
  const setting = first === "defaults" ? settings.defaults.get(second) : settings.settings.get(name);
  return setting ? formatSetting(first === "defaults" ? "defaults" : "settings", setting, value) : String(value);
}

/** @param {string} name
 * @param {any} value
 * @returns {string} */
function channelValue(name, value) {
  if (name === "privacy") return t(`privacy.${value}`);
  if (name === "topics_policy") return t(`topics.${value}`);
  if (name === "folder_id") return folders.get(value)?.name ?? t("org.none");
  if (typeof value === "boolean") return t(value ? "admin.on" : "admin.off");
  return value === null ? t("topics.inherit") : value < 0 ? t("limit.never") : String(value);
}

/** @param {Entry} entry
 * @param {string} kind */
function isAbout(entry, kind) {
  return entry.object?.startsWith(`${kind}/`) ?? false;
}
