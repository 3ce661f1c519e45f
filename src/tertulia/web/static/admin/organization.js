/** Settings of the organization. People who may not change them can read them. */

import { patch, remove } from "../core/api.js";
import { myChannels } from "../state/channels.js";
import { h } from "../core/html.js";
import { state, realm } from "../state/session.js";
import { t } from "../core/i18n.js";
import { actionButton, formSection, permissionRow, settingRow } from "../dialogs/forms.js";
import { fileButton } from "../dialogs/file_button.js";

/** @typedef {import("../state/types.d.ts").RealmName} RealmName */
/** @typedef {import("../state/types.d.ts").Permission} Permission */
/** @typedef {import("../dialogs/forms.js").FieldValue} FieldValue */
/** Names of settings whose value has type T. @template T @typedef {{[N in RealmName]: NonNullable<ReturnType<typeof realm<N>>> extends T ? N : never}[RealmName]} Named */
/** @typedef {Named<FieldValue>} SimpleName */
/** @typedef {Extract<Named<number>, `${string}_seconds`>} LimitName */
/** @typedef {Exclude<Named<Permission>, Named<number>>} PermissionName */

/** @type {Record<string, PermissionName[]>} */
const PERMISSIONS = {
  "org.channels": ["can_create_public_channel_group", "can_create_private_channel_group", "can_create_web_public_channel_group", "can_add_subscribers_group", "can_mention_many_users_group", "can_set_topics_policy_group", "can_set_delete_message_policy_group"],
  "org.messages": ["can_delete_own_message_group", "can_delete_any_message_group", "can_move_messages_between_topics_group", "can_move_messages_between_channels_group", "can_resolve_topics_group"],
  "org.people": ["can_invite_users_group", "create_multiuse_invite_group", "can_access_all_users_group", "direct_message_initiator_group", "direct_message_permission_group", "can_create_groups", "can_manage_all_groups"],
  "org.others": ["can_add_custom_emoji_group", "can_create_bots_group", "can_create_write_only_bots_group"],
};

/** Permissions that only owners may change. */
/** @type {Set<RealmName>} */
const OWNER_PERMISSIONS = new Set(["can_create_groups", "can_manage_all_groups", "can_invite_users_group", "create_multiuse_invite_group"]);

/** A row for a setting of the organization.
 * @param {SimpleName} name
 * @param {Partial<import("../dialogs/forms.js").Row>} [more] */
function orgRow(name, more = {}) {
  return settingRow({ name, label: t(`org.${name}`), value: realm(name), disabled: !state.is_admin, save: (value) => patch("/realm", { [name]: value }), ...more });
}

export function orgProfile() {
  const icon = h("div", { class: "set" }, h("img", { class: "org-icon", src: realm("icon_url"), alt: "" }), state.is_admin && fileButton("/realm/icon", t("org.icon"), "image/*"),
    state.is_admin && actionButton(t("org.no-icon"), () => remove("/realm/icon")));
  const logo = (/** @type {boolean} */ night) => state.is_admin && h("div", { class: "set" }, fileButton("/realm/logo", t(night ? "org.logo-night" : "org.logo-day"), "image/*", { night: String(night) }), actionButton(t("org.no-logo"), () => remove("/realm/logo", { night })));
  return [formSection(t("org.profile"), icon, logo(false), logo(true), orgRow("name"), orgRow("description", { kind: "long" }), orgRow("default_language", { choices: [["en", "English"], ["es", "Español"]] }))];
}

export function orgSettings() {
  const minutes = (/** @type {LimitName} */ name) => orgRow(name, { value: Math.round((realm(name) ?? 0) / 60), kind: "number", hint: t("org.unlimited"), save: (value) => patch("/realm", { [name]: Number(value) > 0 ? Number(value) * 60 : "unlimited" }) });
  const channel = (/** @type {SimpleName} */ name) => orgRow(name, { choices: [[-1, t("org.none")], ...myChannels().map((each) => /** @type {[number, string]} */ ([each.stream_id, each.name]))] });
  return [
    formSection(t("org.messages"), orgRow("allow_message_editing"), minutes("message_content_edit_limit_seconds"), minutes("message_content_delete_limit_seconds"), orgRow("enable_read_receipts"), orgRow("inline_image_preview"),
      orgRow("message_edit_history_visibility_policy", { choices: ["all", "moves", "none"].map((each) => [each, t(`org.history.${each}`)]) }),
      orgRow("message_retention_days", { value: Math.max(0, realm("message_retention_days") ?? 0), kind: "number", hint: t("org.unlimited"), disabled: !state.is_owner, save: (value) => patch("/realm", { message_retention_days: Number(value) > 0 ? value : "unlimited" }) })),
    formSection(t("org.new-accounts"), settingRow({ name: "default_enter_sends", label: t("set.enter_sends"), value: state.realm_user_settings_defaults?.enter_sends ?? false, disabled: !state.is_admin,
      save: (value) => patch("/realm/user_settings_defaults", { enter_sends: value }) })),
    formSection(t("org.announcements"), channel("new_stream_announcements_stream_id"), channel("signup_announcements_stream_id"), channel("moderation_request_channel_id")),
    formSection(t("org.joining"), orgRow("invite_required", { disabled: !state.is_owner }), orgRow("require_second_factor", { disabled: !state.is_owner }), orgRow("emails_restricted_to_domains", { disabled: !state.is_owner }), orgRow("disallow_disposable_email_addresses", { disabled: !state.is_owner }), orgRow("waiting_period_threshold", { kind: "number", disabled: !state.is_owner })),
    formSection(t("org.others"), orgRow("name_changes_disabled"), orgRow("email_changes_disabled"), orgRow("avatar_changes_disabled"), orgRow("require_unique_names"), orgRow("presence_disabled"), orgRow("enable_guest_user_indicator"), orgRow("send_channel_events_messages")),
  ];
}

export function orgPermissions() {
  return Object.entries(PERMISSIONS).map(([title, names]) => formSection(t(title), ...names.map((name) =>
    permissionRow(name, t(`org.${name}`), realm(name), (group) => patch("/realm", { [name]: { new: group, old: realm(name) } }), OWNER_PERMISSIONS.has(name) ? !state.is_owner : !state.is_admin))));
}
