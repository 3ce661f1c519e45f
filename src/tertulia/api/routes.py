"""The whole API, one line per route: one long table, to be read in one sitting."""

from tertulia import api
from tertulia.errors import ClientError
from tertulia.errors.http import (
    CallsNotConfigured,
    NotInProduction,
    NotOffered,
)
from tertulia.http.routing import delete, get, patch, post, put

# Addresses that clients know, by how they begin: who tries is told why there is nothing.
ABSENT: dict[str, ClientError] = {
    "calls/constructorgroups": CallsNotConfigured(service="Constructor Groups"),
    "calls/webex": CallsNotConfigured(service="Webex"),
    "calls/zoom": CallsNotConfigured(service="Zoom"),
    "dev_fetch_api_key": NotInProduction(),
    "dev_list_users": NotInProduction(),
    "remotes": NotOffered(what="a push notification service for other servers"),
}

ROUTES = [
    # the server and logging in
    get("/server_settings", api.organization.server.settings, access="public"),
    post("/fetch_api_key", api.people.login.fetch_api_key, access="public"),
    post("/jwt/fetch_api_key", api.people.jwt.fetch_api_key, access="public"),
    # events
    post("/register", api.events.register, access="spectator"),
    get("/events", api.events.poll, long_poll=True),
    delete("/events", api.events.unregister),
    # messages
    get("/messages", api.messages.fetching.fetch_messages, access="spectator"),
    post("/messages", api.messages.sending.send_message, webhook_bots=True),
    get("/messages/matches_narrow", api.messages.fetching.matches_narrow),
    get("/messages/{message_id}", api.messages.fetching.fetch_message, access="spectator"),
    patch("/messages/{message_id}", api.messages.editing.update),
    delete("/messages/{message_id}", api.messages.editing.delete),
    get("/messages/{message_id}/history", api.messages.editing.history),
    # what other services send
    get("/external/{integration}", api.integrations.try_out, access="key", webhook_bots=True),
    post(
        "/external/{integration}",
        api.integrations.receive,
        access="key",
        webhook_bots=True,
        max_body=api.integrations.MAX_BODY,
    ),
    # flags and reading
    post("/messages/flags", api.messages.flags.update),
    post("/messages/flags/narrow", api.messages.flags.update_in_narrow),
    post("/mark_all_as_read", api.messages.flags.mark_all_as_read),
    post("/mark_stream_as_read", api.messages.flags.mark_stream_as_read),
    post("/mark_topic_as_read", api.messages.flags.mark_topic_as_read),
    get("/messages/{message_id}/read_receipts", api.messages.flags.read_receipts),
    # reactions and emoji
    post("/messages/{message_id}/reactions", api.messages.reactions.add),
    delete("/messages/{message_id}/reactions", api.messages.reactions.remove),
    post("/messages/{message_id}/report", api.messages.reports.report),
    post("/submessage", api.messages.widgets.take_part),
    get("/realm/emoji", api.organization.custom_emoji.everything),
    post(
        "/realm/emoji/{emoji_name}",
        api.organization.custom_emoji.add,
        requires=api.requirements.human_member,
        max_body=api.organization.custom_emoji.MAX_BODY,
    ),
    delete(
        "/realm/emoji/{emoji_name}",
        api.organization.custom_emoji.deactivate,
        requires=api.requirements.human_member,
    ),
    # uploaded files
    post("/user_uploads", api.files.uploads.upload),
    get("/user_uploads/{realm_id_str}/{filename:path}", api.files.uploads.temporary_link),
    get("/thumbnail/status/{realm_id_str}/{filename:path}", api.files.uploads.thumbnail_status),
    get("/attachments", api.files.uploads.mine),
    delete("/attachments/{attachment_id}", api.files.uploads.delete),
    # scheduled messages and reminders
    get("/scheduled_messages", api.later.scheduled.mine),
    post("/scheduled_messages", api.later.scheduled.create),
    patch("/scheduled_messages/{scheduled_message_id}", api.later.scheduled.edit),
    delete("/scheduled_messages/{scheduled_message_id}", api.later.scheduled.delete),
    get("/reminders", api.later.reminders.mine),
    post("/reminders", api.later.reminders.create),
    delete("/reminders/{reminder_id}", api.later.reminders.delete),
    # drafts and snippets
    get("/drafts", api.personal.drafts.fetch),
    post("/drafts", api.personal.drafts.add),
    patch("/drafts/{draft_id}", api.personal.drafts.edit),
    delete("/drafts/{draft_id}", api.personal.drafts.delete),
    get("/saved_snippets", api.personal.snippets.fetch),
    post("/saved_snippets", api.personal.snippets.add),
    patch("/saved_snippets/{saved_snippet_id}", api.personal.snippets.edit),
    delete("/saved_snippets/{saved_snippet_id}", api.personal.snippets.delete),
    get("/navigation_views", api.personal.navigation_views.fetch),
    post("/navigation_views", api.personal.navigation_views.add),
    patch("/navigation_views/{fragment:path}", api.personal.navigation_views.edit),
    delete("/navigation_views/{fragment:path}", api.personal.navigation_views.remove),
    post(
        "/register_client_device",
        api.personal.devices.add,
        requires=api.requirements.human_with_push,
    ),
    post(
        "/remove_client_device",
        api.personal.devices.remove,
        requires=api.requirements.human_with_push,
    ),
    post(
        "/mobile_push/register",
        api.personal.devices.register,
        requires=api.requirements.human_with_push,
    ),
    post(
        "/mobile_push/e2ee/test_notification",
        api.personal.devices.try_out,
        requires=api.requirements.human_with_push,
    ),
    post(
        "/mobile_push/test_notification",
        api.personal.devices.try_out_token,
        requires=api.requirements.human_with_push,
    ),
    post(
        "/users/me/apns_device_token",
        api.personal.devices.add_apns_token,
        requires=api.requirements.human_with_push,
    ),
    delete(
        "/users/me/apns_device_token",
        api.personal.devices.remove_apns_token,
        requires=api.requirements.human_with_push,
    ),
    post(
        "/users/me/android_gcm_reg_id",
        api.personal.devices.add_fcm_token,
        requires=api.requirements.human_with_push,
    ),
    delete(
        "/users/me/android_gcm_reg_id",
        api.personal.devices.remove_fcm_token,
        requires=api.requirements.human_with_push,
    ),
    get(
        "/calls/bigbluebutton/create",
        api.messages.calls.begin_meeting,
        requires=api.requirements.with_bigbluebutton,
    ),
    post(
        "/calls/nextcloud_talk/create",
        api.messages.calls.make_room,
        requires=api.requirements.with_nextcloud,
    ),
    get("/web_push/key", api.personal.web_push.key, requires=api.requirements.human),
    post(
        "/web_push/subscriptions",
        api.personal.web_push.subscribe,
        requires=api.requirements.human,
    ),
    delete(
        "/web_push/subscriptions",
        api.personal.web_push.unsubscribe,
        requires=api.requirements.human,
    ),
    # channels and topics
    get("/streams", api.channels.everything),
    post("/channels/create", api.channels.create, requires=api.requirements.no_guest),
    get("/get_stream_id", api.channels.id_of),
    get("/streams/{stream_id}", api.channels.one),
    patch("/streams/{stream_id}", api.channels.edit),
    delete("/streams/{stream_id}", api.channels.archive),
    get("/streams/{stream_id}/members", api.channels.members),
    get("/streams/{stream_id}/email_address", api.channels.email_address),
    get("/users/me/{stream_id}/topics", api.channels.topics, access="spectator"),
    post("/default_streams", api.channels.add_default, requires=api.requirements.administrator),
    delete(
        "/default_streams", api.channels.remove_default, requires=api.requirements.administrator
    ),
    post(
        "/streams/{stream_id}/delete_topic",
        api.messages.editing.delete_topic,
        requires=api.requirements.administrator,
    ),
    post("/user_topics", api.personal.topic_policies.set_policy),
    patch("/users/me/subscriptions/muted_topics", api.personal.topic_policies.set_muted),
    # subscriptions
    get("/users/me/subscriptions", api.channels.subscriptions.mine),
    post(
        "/users/me/subscriptions",
        api.channels.subscriptions.subscribe,
        requires=api.requirements.no_guest,
    ),
    patch("/users/me/subscriptions", api.channels.subscriptions.edit),
    delete("/users/me/subscriptions", api.channels.subscriptions.unsubscribe),
    post("/users/me/subscriptions/properties", api.channels.subscriptions.set_properties),
    patch("/users/me/subscriptions/{stream_id}", api.channels.subscriptions.set_property),
    get("/users/{user_id}/channels", api.channels.of_user),
    get("/users/{user_id}/subscriptions/{stream_id}", api.channels.is_subscribed),
    # channel folders
    get("/channel_folders", api.channels.folders.everything),
    patch(
        "/channel_folders", api.channels.folders.reorder, requires=api.requirements.administrator
    ),
    post(
        "/channel_folders/create",
        api.channels.folders.create,
        requires=api.requirements.administrator,
    ),
    patch(
        "/channel_folders/{channel_folder_id}",
        api.channels.folders.edit,
        requires=api.requirements.administrator,
    ),
    # groups
    get("/user_groups", api.groups.everything, requires=api.requirements.no_guest),
    post("/user_groups/create", api.groups.create, requires=api.requirements.no_guest),
    patch("/user_groups/{group_id}", api.groups.edit, requires=api.requirements.no_guest),
    post("/user_groups/{group_id}/deactivate", api.groups.deactivate),
    get("/user_groups/{group_id}/members", api.groups.members, requires=api.requirements.no_guest),
    post(
        "/user_groups/{group_id}/members",
        api.groups.change_members,
        requires=api.requirements.no_guest,
    ),
    get(
        "/user_groups/{group_id}/members/{user_id}",
        api.groups.is_member,
        requires=api.requirements.no_guest,
    ),
    get(
        "/user_groups/{group_id}/subgroups",
        api.groups.subgroups,
        requires=api.requirements.no_guest,
    ),
    post(
        "/user_groups/{group_id}/subgroups",
        api.groups.change_subgroups,
        requires=api.requirements.no_guest,
    ),
    # the organization
    patch("/realm", api.organization.settings.edit, requires=api.requirements.administrator),
    get(
        "/export/realm",
        api.organization.exports.everything,
        requires=api.requirements.administrator,
    ),
    post("/export/realm", api.organization.exports.ask, requires=api.requirements.administrator),
    get(
        "/export/realm/consents",
        api.organization.exports.consents,
        requires=api.requirements.administrator,
    ),
    delete(
        "/export/realm/{export_id}",
        api.organization.exports.delete,
        requires=api.requirements.administrator,
    ),
    get(
        "/realm/audit_log",
        api.organization.audit.newest,
        requires=api.requirements.administrator,
    ),
    get("/realm/presence", api.people.presence.everyone),
    get("/realm/icon", api.organization.pictures.icon),
    post(
        "/realm/icon",
        api.organization.pictures.upload_icon,
        requires=api.requirements.administrator,
        max_body=api.organization.pictures.MAX_BODY,
    ),
    delete(
        "/realm/icon",
        api.organization.pictures.delete_icon,
        requires=api.requirements.administrator,
    ),
    get("/realm/logo", api.organization.pictures.logo),
    post(
        "/realm/logo",
        api.organization.pictures.upload_logo,
        requires=api.requirements.administrator,
        max_body=api.organization.pictures.MAX_BODY,
    ),
    delete(
        "/realm/logo",
        api.organization.pictures.delete_logo,
        requires=api.requirements.administrator,
    ),
    get("/realm/domains", api.organization.mail_domains.everything),
    post("/realm/domains", api.organization.mail_domains.add, requires=api.requirements.owner),
    patch(
        "/realm/domains/{domain}",
        api.organization.mail_domains.change,
        requires=api.requirements.owner,
    ),
    delete(
        "/realm/domains/{domain}",
        api.organization.mail_domains.remove,
        requires=api.requirements.owner,
    ),
    patch(
        "/realm/user_settings_defaults",
        api.personal.settings.change_newcomers,
        requires=api.requirements.administrator,
    ),
    get("/realm/profile_fields", api.people.profile_fields.everything),
    post(
        "/realm/profile_fields",
        api.people.profile_fields.create,
        requires=api.requirements.administrator,
    ),
    patch(
        "/realm/profile_fields",
        api.people.profile_fields.reorder,
        requires=api.requirements.administrator,
    ),
    patch(
        "/realm/profile_fields/{field_id}",
        api.people.profile_fields.edit,
        requires=api.requirements.administrator,
    ),
    delete(
        "/realm/profile_fields/{field_id}",
        api.people.profile_fields.delete,
        requires=api.requirements.administrator,
    ),
    post("/realm/deactivate", api.organization.ending.deactivate, requires=api.requirements.owner),
    post(
        "/realm/test_welcome_bot_custom_message",
        api.organization.welcome.try_out,
        requires=api.requirements.administrator,
    ),
    # oneself: settings, status, presence, typing
    get("/users/me", api.people.users.me),
    patch("/settings", api.personal.settings.change, requires=api.requirements.human),
    patch("/settings/notifications", api.personal.settings.change, requires=api.requirements.human),
    patch("/settings/display", api.personal.settings.change, requires=api.requirements.human),
    post("/users/me/status", api.people.status.change, requires=api.requirements.human),
    get("/users/{user_id}/status", api.people.status.fetch),
    post(
        "/users/{user_id}/status",
        api.people.status.change_of_other,
        requires=api.requirements.manager_of_accounts,
    ),
    post("/users/me/presence", api.people.presence.report, requires=api.requirements.human),
    get("/users/{user_id}/presence", api.people.presence.by_id),
    get("/users/{email}/presence", api.people.presence.by_email),
    post("/typing", api.messages.typing.tell),
    post("/messages/{message_id}/typing", api.messages.typing.tell_of_edit),
    post("/users/me/muted_users/{muted_user_id}", api.personal.muted_users.mute),
    delete("/users/me/muted_users/{muted_user_id}", api.personal.muted_users.unmute),
    get("/users/me/alert_words", api.personal.alert_words.fetch),
    post("/users/me/alert_words", api.personal.alert_words.add),
    delete("/users/me/alert_words", api.personal.alert_words.remove),
    patch(
        "/users/me/profile_data", api.people.profile_fields.fill_in, requires=api.requirements.human
    ),
    delete(
        "/users/me/profile_data", api.people.profile_fields.empty, requires=api.requirements.human
    ),
    post("/users/me/avatar", api.people.avatars.upload, max_body=api.people.avatars.MAX_BODY),
    delete("/users/me/avatar", api.people.avatars.delete),
    # users
    get("/users", api.people.users.everyone, access="spectator"),
    get("/users/{user_id}", api.people.users.by_id),
    get("/users/{email}", api.people.users.by_email),
    post("/users", api.people.accounts.create, requires=api.requirements.administrator),
    patch(
        "/users/{user_id}",
        api.people.accounts.edit_by_id,
        requires=api.requirements.manager_of_accounts,
    ),
    patch(
        "/users/{email}",
        api.people.accounts.edit_by_email,
        requires=api.requirements.manager_of_accounts,
    ),
    delete(
        "/users/{user_id}",
        api.people.accounts.deactivate_by_id,
        requires=api.requirements.manager_of_accounts,
    ),
    delete(
        "/users/{email}",
        api.people.accounts.deactivate_by_email,
        requires=api.requirements.manager_of_accounts,
    ),
    delete("/users/me", api.people.accounts.deactivate_self, requires=api.requirements.human),
    post("/users/{user_id}/reactivate", api.people.accounts.reactivate),
    post(
        "/users/{user_id}/password_link",
        api.people.accounts.make_password_link,
        requires=api.requirements.manager_of_accounts,
    ),
    delete(
        "/users/{user_id}/password",
        api.people.accounts.end_password,
        requires=api.requirements.manager_of_accounts,
    ),
    post("/users/me/api_key/regenerate", api.people.accounts.renew_key),
    get("/users/me/sessions", api.people.sessions.mine, requires=api.requirements.human),
    delete("/users/me/sessions", api.people.sessions.end_others, requires=api.requirements.human),
    delete(
        "/users/me/sessions/{session_id}",
        api.people.sessions.end,
        requires=api.requirements.human,
    ),
    get(
        "/users/me/second_factor",
        api.people.second_factors.mine,
        requires=api.requirements.human,
    ),
    post(
        "/users/me/second_factor/secret",
        api.people.second_factors.new_secret,
        requires=api.requirements.human,
    ),
    post(
        "/users/me/second_factor/app",
        api.people.second_factors.set_up_app,
        requires=api.requirements.human,
    ),
    post(
        "/users/me/second_factor/recovery_codes",
        api.people.second_factors.renew_recovery_codes,
        requires=api.requirements.human,
    ),
    post(
        "/users/me/second_factor/passkeys/begin",
        api.people.passkeys.begin,
        requires=api.requirements.human,
    ),
    post(
        "/users/me/second_factor/passkeys",
        api.people.passkeys.add,
        requires=api.requirements.human,
    ),
    delete(
        "/users/me/second_factor/passkeys/{passkey_id}",
        api.people.passkeys.remove,
        requires=api.requirements.human,
    ),
    delete(
        "/users/me/second_factor",
        api.people.second_factors.remove,
        requires=api.requirements.human,
    ),
    delete(
        "/users/{user_id}/second_factor",
        api.people.second_factors.reset,
        requires=api.requirements.manager_of_accounts,
    ),
    # invitations
    get("/invites", api.people.invitations.everything, requires=api.requirements.human_member),
    post("/invites", api.people.invitations.send, requires=api.requirements.human_member),
    post(
        "/invites/multiuse",
        api.people.invitations.make_link,
        requires=api.requirements.human_member,
    ),
    delete(
        "/invites/{invite_id}",
        api.people.invitations.revoke,
        requires=api.requirements.human_member,
    ),
    delete(
        "/invites/multiuse/{invite_id}",
        api.people.invitations.revoke_link,
        requires=api.requirements.human_member,
    ),
    post(
        "/invites/{invite_id}/resend",
        api.people.invitations.send_again,
        requires=api.requirements.human_member,
    ),
    # bots
    get("/bots", api.people.bots.mine, requires=api.requirements.human_member),
    post(
        "/bots",
        api.people.bots.create,
        requires=api.requirements.human_member,
        max_body=api.people.avatars.MAX_BODY,
    ),
    patch(
        "/bots/{bot_id}",
        api.people.bots.edit,
        requires=api.requirements.human_member,
        max_body=api.people.avatars.MAX_BODY,
    ),
    delete("/bots/{bot_id}", api.people.bots.deactivate, requires=api.requirements.human_member),
    get("/bots/{bot_id}/api_key", api.people.bots.key, requires=api.requirements.human_member),
    post(
        "/bots/{bot_id}/api_key/regenerate",
        api.people.bots.regenerate_key,
        requires=api.requirements.human_member,
    ),
    get("/bot_storage", api.people.bot_storage.fetch, requires=api.requirements.bot),
    put(
        "/bot_storage",
        api.people.bot_storage.put,
        requires=api.requirements.bot,
        max_body=api.people.bot_storage.MAX_BODY,
    ),
    delete("/bot_storage", api.people.bot_storage.forget, requires=api.requirements.bot),
    # markup
    post("/messages/render", api.messages.sending.render),
    get("/realm/linkifiers", api.organization.linkifiers.everything),
    patch(
        "/realm/linkifiers",
        api.organization.linkifiers.put_in_order,
        requires=api.requirements.administrator,
    ),
    post(
        "/realm/filters", api.organization.linkifiers.add, requires=api.requirements.administrator
    ),
    patch(
        "/realm/filters/{filter_id}",
        api.organization.linkifiers.change,
        requires=api.requirements.administrator,
    ),
    delete(
        "/realm/filters/{filter_id}",
        api.organization.linkifiers.remove,
        requires=api.requirements.administrator,
    ),
    post(
        "/realm/playgrounds",
        api.organization.playgrounds.add,
        requires=api.requirements.administrator,
    ),
    delete(
        "/realm/playgrounds/{playground_id}",
        api.organization.playgrounds.remove,
        requires=api.requirements.administrator,
    ),
]

ROUTES = api.recording.marked(ROUTES)

# What is another thing for a browser that is logged in, by the same address under `/json`.
_FOR_BROWSERS = api.recording.marked(
    [post("/fetch_api_key", api.people.login.own_api_key, requires=api.requirements.human)]
)
_REPLACED = {(each.method, each.path) for each in _FOR_BROWSERS}
BROWSER_ROUTES = [
    *(each for each in ROUTES if (each.method, each.path) not in _REPLACED),
    *_FOR_BROWSERS,
]
