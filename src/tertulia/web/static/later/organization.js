/** The organization's settings, for those who may change them, and for others to look at. */

import { get, patch, post, remove } from "../app/api.js";
import { channels, myChannels } from "../app/channels.js";
import { fill, h, iconButton } from "../app/html.js";
import { face } from "../app/marks.js";
import { known, myId, realm } from "../app/me.js";
import { people } from "../app/people.js";
import { plain } from "../app/completion.js";
import { say } from "../app/words.js";
import { deedButton, formSection, permissionRow, settingRow } from "./forms.js";
import { openPages } from "./pages_dialog.js";
import { uploadTo } from "./sending_files.js";

const ROLES = [100, 200, 300, 400, 600];
const PERMISSIONS = {
  "org.channels": ["can_create_public_channel_group", "can_create_private_channel_group", "can_create_web_public_channel_group", "can_add_subscribers_group", "can_mention_many_users_group"],
  "org.messages": ["can_delete_own_message_group", "can_delete_any_message_group", "can_move_messages_between_topics_group", "can_move_messages_between_channels_group", "can_resolve_topics_group"],
  "org.people": ["can_invite_users_group", "create_multiuse_invite_group", "can_access_all_users_group", "direct_message_initiator_group", "direct_message_permission_group", "can_create_groups", "can_manage_all_groups"],
  "org.others": ["can_add_custom_emoji_group", "can_create_bots_group", "can_create_write_only_bots_group"],
};

/** @param {{rest?: string[]}} [place] */
export function showOrganization(place) {
  openPages(realm("name"), "#organization", [
    { key: "organization-profile", title: say("org.profile"), draw: orgProfile },
    { key: "organization-settings", title: say("org.settings"), draw: orgSettings },
    { key: "organization-permissions", title: say("org.permissions"), draw: orgPermissions },
    { key: "users", title: say("org.users"), draw: orgUsers },
    { key: "invitations", title: say("org.invitations"), draw: orgInvitations },
    { key: "default-channels-list", title: say("org.defaults"), draw: orgDefaults },
    { key: "emoji-settings", title: say("org.emoji"), draw: orgEmoji },
    { key: "linkifier-settings", title: say("org.linkifiers"), draw: orgLinkifiers },
    { key: "playground-settings", title: say("org.playgrounds"), draw: orgPlaygrounds },
    { key: "profile-field-settings", title: say("org.fields"), draw: orgFields },
    ...(known.is_admin ? [{ key: "data-exports-admin", title: say("org.export"), draw: orgExport }] : []),
  ], place?.rest?.[0]);
}

/** @param {string} name
 * @param {Partial<import("./forms.js").Row>} [more] */
function ours(name, more = {}) {
  return settingRow({ name, label: say(`org.${name}`), value: realm(name), disabled: !known.is_admin, save: (value) => patch("/realm", { [name]: value }), ...more });
}

function orgProfile() {
  const icon = h("div", { class: "set" }, h("img", { class: "org-icon", src: realm("icon_url"), alt: "" }), known.is_admin && uploadTo("/realm/icon", say("org.icon"), "image/*"));
  return [formSection(say("org.profile"), icon, ours("name"), ours("description", { kind: "long" }), ours("default_language", { choices: [["en", "English"], ["es", "Español"]] }))];
}

function orgSettings() {
  const minutes = (/** @type {string} */ name) => ours(name, { value: Math.round((realm(name) ?? 0) / 60), kind: "number", hint: say("org.unlimited"), save: (value) => patch("/realm", { [name]: value > 0 ? value * 60 : "unlimited" }) });
  const channel = (/** @type {string} */ name) => ours(name, { choices: [[-1, say("org.none")], ...myChannels().map((each) => /** @type {[number, string]} */ ([each.stream_id, each.name]))] });
  return [
    formSection(say("org.messages"), ours("allow_message_editing"), minutes("message_content_edit_limit_seconds"), minutes("message_content_delete_limit_seconds"), ours("enable_read_receipts"), ours("inline_image_preview"),
      ours("message_edit_history_visibility_policy", { choices: ["all", "moves", "none"].map((each) => [each, say(`org.history.${each}`)]) }),
      ours("message_retention_days", { value: Math.max(0, realm("message_retention_days") ?? 0), kind: "number", hint: say("org.unlimited"), disabled: !known.is_owner, save: (value) => patch("/realm", { message_retention_days: value > 0 ? value : "unlimited" }) })),
    formSection(say("org.announcements"), channel("new_stream_announcements_stream_id"), channel("signup_announcements_stream_id"), channel("moderation_request_channel_id")),
    formSection(say("org.joining"), ours("invite_required", { disabled: !known.is_owner }), ours("emails_restricted_to_domains", { disabled: !known.is_owner }), ours("disallow_disposable_email_addresses", { disabled: !known.is_owner }), ours("waiting_period_threshold", { kind: "number", disabled: !known.is_owner })),
    formSection(say("org.others"), ours("name_changes_disabled"), ours("email_changes_disabled"), ours("avatar_changes_disabled"), ours("require_unique_names"), ours("presence_disabled"), ours("enable_guest_user_indicator"), ours("send_channel_events_messages")),
  ];
}

function orgPermissions() {
  return Object.entries(PERMISSIONS).map(([title, names]) => formSection(say(title), ...names.map((name) =>
    permissionRow(name, say(`org.${name}`), realm(name), (group) => patch("/realm", { [name]: { new: group, old: realm(name) } })))));
}

function orgUsers() {
  const list = h("ul", { class: "plain kept" });
  const field = h("input", { class: "f", type: "search", "aria-label": say("org.find-person"), placeholder: say("org.find-person") });
  const draw = () => {
    const query = plain(field.value);
    const found = [...people.values()].filter((person) => !person.is_system_bot && plain(`${person.full_name} ${person.delivery_email ?? ""}`).includes(query)).sort((a, b) => a.full_name.localeCompare(b.full_name));
    fill(list, ...found.slice(0, 200).map((person) => userRow(person, draw)));
  };
  field.addEventListener("input", draw);
  draw();
  return [formSection(say("org.users"), field, list)];
}

/** @param {import("../app/people.js").Person} person
 * @param {() => void} draw */
function userRow(person, draw) {
  const mayChange = known.is_admin && person.user_id !== myId();
  const role = h("select", { class: "f", "aria-label": say("org.role-of", { name: person.full_name }), disabled: !mayChange || !person.is_active, onchange: (/** @type {Event} */ event) =>
    patch(`/users/${person.user_id}`, { role: Number(/** @type {HTMLSelectElement} */ (event.target).value) }) }, ...ROLES.map((each) => h("option", { value: each, selected: person.role === each }, say(`role.${each}`))));
  const end = person.is_active ? deedButton(say("org.deactivate"), () => remove(`/users/${person.user_id}`).then(draw)) : deedButton(say("org.reactivate"), () => post(`/users/${person.user_id}/reactivate`).then(draw));
  return h("li", {}, face(person.user_id), h("bdi", {}, person.full_name), h("small", { class: "cut" }, person.delivery_email ?? ""), person.is_bot ? h("small", {}, say("people.bot")) : role, mayChange && end);
}

async function orgInvitations() {
  const { invites } = await get("/invites");
  const list = h("ul", { class: "plain kept" }, ...invites.map(inviteRow));
  const emails = h("textarea", { class: "f", rows: 2, "aria-label": say("invite.emails") });
  const link = h("code", { class: "key" });
  const common = { invite_as: 400, invite_expires_in_minutes: 10 * 24 * 60, stream_ids: [] };
  return [formSection(say("invite.people"), h("label", { class: "field" }, say("invite.emails"), emails),
    deedButton(say("invite.send"), () => post("/invites", { ...common, invitee_emails: emails.value.split(/[\s,;]+/).filter(Boolean).join(","), include_realm_default_subscriptions: true })),
    deedButton(say("invite.link"), async () => { link.textContent = (await post("/invites/multiuse", { ...common, include_realm_default_subscriptions: true })).invite_link; }), link),
  formSection(say("org.invitations"), invites.length ? list : h("p", { class: "quiet" }, say("invite.none")))];
}

/** @param {Record<string, any>} invite */
function inviteRow(invite) {
  const path = invite.is_multiuse ? `/invites/multiuse/${invite.id}` : `/invites/${invite.id}`;
  const row = h("li", {}, h("span", { class: "cut" }, invite.is_multiuse ? invite.link_url : invite.email), h("small", {}, say(`role.${invite.invited_as}`)), iconButton("trash", say("invite.revoke"), { onclick: () => remove(path).then(() => row.remove()) }));
  return row;
}

function orgDefaults() {
  const ids = new Set((known.realm_default_streams ?? []).map((/** @type {any} */ each) => each.stream_id ?? each));
  const open = [...channels.values()].filter((channel) => !channel.invite_only && !channel.is_archived).sort((a, b) => a.name.localeCompare(b.name));
  return [formSection(say("org.defaults"), h("p", { class: "quiet" }, say("org.defaults-text")), ...open.map((channel) => settingRow({ name: `default-${channel.stream_id}`, label: channel.name, value: ids.has(channel.stream_id), disabled: !known.is_admin,
    save: (value) => (value ? post("/default_streams", { stream_id: channel.stream_id }) : remove("/default_streams", { stream_id: channel.stream_id })) })))];
}

function orgEmoji() {
  const own = Object.values(realm("emoji") ?? {}).filter((/** @type {any} */ each) => !each.deactivated);
  const name = h("input", { class: "f", "aria-label": say("emoji.name") });
  const add = h("div", {});
  const draw = () => fill(add, uploadTo(`/realm/emoji/${encodeURIComponent(name.value.trim().toLowerCase())}`, say("emoji.add"), "image/*"));
  name.addEventListener("input", draw);
  draw();
  return [formSection(say("org.emoji"), h("ul", { class: "plain kept" }, ...own.map((/** @type {any} */ each) => {
    const row = h("li", {}, h("img", { class: "emoji", src: each.source_url, alt: "" }), h("span", {}, `:${each.name}:`), iconButton("trash", say("emoji.remove", { name: each.name }), { onclick: () => remove(`/realm/emoji/${each.name}`).then(() => row.remove()) }));
    return row;
  }))), formSection(say("emoji.add"), h("label", { class: "field" }, say("emoji.name"), name), add)];
}

function orgLinkifiers() {
  const pattern = h("input", { class: "f", "aria-label": say("linkifier.pattern"), placeholder: "#(?P<id>[0-9]+)" });
  const template = h("input", { class: "f", "aria-label": say("linkifier.template"), placeholder: "https://example.com/{id}" });
  const rows = (known.realm_linkifiers ?? []).map((/** @type {any} */ each) => {
    const row = h("li", {}, h("code", {}, each.pattern), h("small", { class: "cut" }, each.url_template), known.is_admin && iconButton("trash", say("linkifier.remove"), { onclick: () => remove(`/realm/filters/${each.id}`).then(() => row.remove()) }));
    return row;
  });
  return [formSection(say("org.linkifiers"), h("ul", { class: "plain kept" }, ...rows)), known.is_admin && formSection(say("linkifier.add"), h("label", { class: "field" }, say("linkifier.pattern"), pattern), h("label", { class: "field" }, say("linkifier.template"), template),
    deedButton(say("linkifier.add"), () => post("/realm/filters", { pattern: pattern.value, url_template: template.value })))];
}

function orgPlaygrounds() {
  const name = h("input", { class: "f", "aria-label": say("playground.name") });
  const language = h("input", { class: "f", "aria-label": say("playground.language"), placeholder: "Python" });
  const template = h("input", { class: "f", "aria-label": say("linkifier.template"), placeholder: "https://example.com/?code={code}" });
  const rows = (known.realm_playgrounds ?? []).map((/** @type {any} */ each) => {
    const row = h("li", {}, h("span", {}, each.name), h("small", {}, each.pygments_language), known.is_admin && iconButton("trash", say("playground.remove"), { onclick: () => remove(`/realm/playgrounds/${each.id}`).then(() => row.remove()) }));
    return row;
  });
  return [formSection(say("org.playgrounds"), h("ul", { class: "plain kept" }, ...rows)), known.is_admin && formSection(say("playground.add"), ...[[say("playground.name"), name], [say("playground.language"), language], [say("linkifier.template"), template]].map(([text, field]) => h("label", { class: "field" }, text, field)),
    deedButton(say("playground.add"), () => post("/realm/playgrounds", { name: name.value, pygments_language: language.value, url_template: template.value })))];
}

function orgFields() {
  const name = h("input", { class: "f", "aria-label": say("field.name") });
  const kind = h("select", { class: "f", "aria-label": say("field.kind") }, ...[1, 2, 4, 5, 6, 8].map((each) => h("option", { value: each }, say(`field.kind.${each}`))));
  const rows = (known.custom_profile_fields ?? []).map((/** @type {any} */ each) => {
    const row = h("li", {}, h("bdi", {}, each.name), h("small", {}, each.hint ?? ""), known.is_admin && iconButton("trash", say("field.remove", { name: each.name }), { onclick: () => remove(`/realm/profile_fields/${each.id}`).then(() => row.remove()) }));
    return row;
  });
  return [formSection(say("org.fields"), h("ul", { class: "plain kept" }, ...rows)), known.is_admin && formSection(say("field.add"), h("label", { class: "field" }, say("field.name"), name), h("label", { class: "field" }, say("field.kind"), kind),
    deedButton(say("field.add"), () => post("/realm/profile_fields", { name: name.value, field_type: Number(kind.value) })))];
}

async function orgExport() {
  const { exports } = await get("/export/realm");
  const rows = exports.map((/** @type {any} */ each) => h("li", {}, h("span", {}, new Date(each.export_time * 1000).toLocaleString()), each.export_url ? h("a", { href: each.export_url }, say("export.download")) : h("small", {}, say(each.pending ? "export.pending" : "export.failed"))));
  return [formSection(say("org.export"), h("p", { class: "quiet" }, say("export.text")), h("ul", { class: "plain kept" }, ...rows), deedButton(say("export.do"), () => post("/export/realm")))];
}
