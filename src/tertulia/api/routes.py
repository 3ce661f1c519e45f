"""The whole API, one line per route."""

from tertulia import api
from tertulia.errors import ClientError
from tertulia.errors.http import CallsNotConfigured, FeatureDisabled, NotInProduction
from tertulia.http.routing import delete, get, patch, post, put, requiring

# Paths that clients know and this server lacks, by prefix: the error says why.
ABSENT: dict[str, ClientError] = {
    "calls/constructorgroups": CallsNotConfigured(service="Constructor Groups"),
    "calls/webex": CallsNotConfigured(service="Webex"),
    "calls/zoom": CallsNotConfigured(service="Zoom"),
    "dev_fetch_api_key": NotInProduction(),
    "dev_list_users": NotInProduction(),
    "remotes": FeatureDisabled(what="a push notification service for other servers"),
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
    get("/messages", api.messages.history.fetch_messages, access="spectator"),
    post("/messages", api.messages.send.send_message, webhook_bots=True),
    get("/messages/matches_narrow", api.messages.history.matches_narrow),
    get("/messages/catch_up", api.messages.catch_up.fetch),
    get("/messages/{message_id}", api.messages.history.fetch_message, access="spectator"),
    patch("/messages/{message_id}", api.messages.edits.update),
    delete("/messages/{message_id}", api.messages.edits.delete),
    delete("/messages/{message_id}/link_previews", api.messages.edits.remove_link_previews),
    get("/messages/{message_id}/history", api.messages.edits.history),
    # incoming webhooks
    get("/external/{integration}", api.integrations.check_url, access="key", webhook_bots=True),
    post(
        "/external/{integration}",
        api.integrations.receive,
        access="key",
        webhook_bots=True,
        max_body=api.integrations.MAX_BODY,
    ),
    *requiring(
        api.guards.human_member,
        get("/integrations", api.integrations.catalogue),
        get("/integrations/bots", api.integrations.list_bots),
        post("/integrations/{integration}/example", api.integrations.send_example),
        post("/integrations/template/preview", api.integrations.preview_template),
    ),
    # flags and read state
    post("/messages/flags", api.messages.flags.update),
    post("/messages/flags/narrow", api.messages.flags.update_in_narrow),
    post("/mark_all_as_read", api.messages.flags.mark_all_as_read),
    post("/mark_stream_as_read", api.messages.flags.mark_stream_as_read),
    post("/mark_topic_as_read", api.messages.flags.mark_topic_as_read),
    get("/messages/{message_id}/read_receipts", api.messages.flags.read_receipts),
    # answers that grow
    get("/answers", api.messages.answers.list_open),
    *requiring(
        api.guards.bot,
        post("/answers", api.messages.answers.start),
        patch("/answers/{answer_token}", api.messages.answers.write),
        post("/answers/{answer_token}/finish", api.messages.answers.finish),
        delete("/answers/{answer_token}", api.messages.answers.abandon),
    ),
    post("/answers/{answer_token}/stop", api.messages.answers.stop, requires=api.guards.human),
    # reactions and emoji
    post("/messages/{message_id}/reactions", api.messages.reactions.add),
    delete("/messages/{message_id}/reactions", api.messages.reactions.remove),
    post("/messages/{message_id}/report", api.messages.reports.report),
    post("/submessage", api.messages.widgets.submit),
    get("/realm/emoji", api.organization.custom_emoji.list_emoji),
    *requiring(
        api.guards.human_member,
        post(
            "/realm/emoji/{emoji_name}",
            api.organization.custom_emoji.add,
            max_body=api.organization.custom_emoji.MAX_BODY,
        ),
        delete("/realm/emoji/{emoji_name}", api.organization.custom_emoji.deactivate),
    ),
    # uploaded files
    post("/user_uploads", api.files.uploads.upload),
    get("/user_uploads/{realm_id_str}/{filename:path}", api.files.uploads.temporary_link),
    get("/thumbnail/status/{realm_id_str}/{filename:path}", api.files.uploads.thumbnail_status),
    get("/attachments", api.files.uploads.list_own),
    delete("/attachments/{attachment_id}", api.files.uploads.delete),
    # scheduled messages and reminders
    get("/scheduled_messages", api.later.scheduled.list_own),
    post("/scheduled_messages", api.later.scheduled.create),
    patch("/scheduled_messages/{scheduled_message_id}", api.later.scheduled.edit),
    delete("/scheduled_messages/{scheduled_message_id}", api.later.scheduled.delete),
    get("/reminders", api.later.reminders.list_own),
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
    *requiring(
        api.guards.human,
        post("/register_client_device", api.personal.devices.add),
        post("/remove_client_device", api.personal.devices.remove),
    ),
    *requiring(
        api.guards.human_with_push,
        post("/mobile_push/register", api.personal.devices.register),
        post("/mobile_push/e2ee/test_notification", api.personal.devices.send_test),
        post("/mobile_push/test_notification", api.personal.devices.send_test_to_token),
        post("/users/me/apns_device_token", api.personal.devices.add_apns_token),
        delete("/users/me/apns_device_token", api.personal.devices.remove_apns_token),
        post("/users/me/android_gcm_reg_id", api.personal.devices.add_fcm_token),
        delete("/users/me/android_gcm_reg_id", api.personal.devices.remove_fcm_token),
    ),
    get(
        "/calls/bigbluebutton/create",
        api.messages.video_calls.create_bigbluebutton,
        requires=api.guards.with_bigbluebutton,
    ),
    post(
        "/calls/nextcloud_talk/create",
        api.messages.video_calls.create_nextcloud_talk,
        requires=api.guards.with_nextcloud,
    ),
    *requiring(
        api.guards.human,
        get("/web_push/key", api.personal.web_push.key),
        post("/web_push/subscriptions", api.personal.web_push.subscribe),
        delete("/web_push/subscriptions", api.personal.web_push.unsubscribe),
    ),
    # channels and topics
    get("/streams", api.channels.list_channels),
    *requiring(
        api.guards.no_guest,
        post("/channels/create", api.channels.create),
        post("/users/me/subscriptions", api.channels.subscriptions.subscribe),
    ),
    get("/get_stream_id", api.channels.id_of),
    get("/streams/{stream_id}", api.channels.one),
    patch("/streams/{stream_id}", api.channels.edit),
    delete("/streams/{stream_id}", api.channels.archive),
    get("/streams/{stream_id}/members", api.channels.members),
    get("/streams/{stream_id}/email_address", api.channels.email_address),
    get("/users/me/{stream_id}/topics", api.channels.topics, access="spectator"),
    *requiring(
        api.guards.administrator,
        post("/default_streams", api.channels.add_default),
        delete("/default_streams", api.channels.remove_default),
        post("/streams/{stream_id}/delete_topic", api.messages.edits.delete_topic),
        post("/streams/{stream_id}/export", api.organization.exports.start_channel),
        get(
            "/streams/{stream_id}/topic_deletion_preview",
            api.messages.edits.preview_topic_deletion,
        ),
    ),
    post("/user_topics", api.personal.topic_policies.set_policy),
    patch("/users/me/subscriptions/muted_topics", api.personal.topic_policies.set_muted),
    # subscriptions
    get("/users/me/subscriptions", api.channels.subscriptions.list_own),
    patch("/users/me/subscriptions", api.channels.subscriptions.edit),
    delete("/users/me/subscriptions", api.channels.subscriptions.unsubscribe),
    post("/users/me/subscriptions/properties", api.channels.subscriptions.set_properties),
    patch("/users/me/subscriptions/{stream_id}", api.channels.subscriptions.set_property),
    get("/users/{user_id}/channels", api.channels.of_user),
    get("/users/{user_id}/subscriptions/{stream_id}", api.channels.is_subscribed),
    # channel folders
    get("/channel_folders", api.channels.folders.list_folders),
    *requiring(
        api.guards.administrator,
        patch("/channel_folders", api.channels.folders.reorder),
        post("/channel_folders/create", api.channels.folders.create),
        patch("/channel_folders/{channel_folder_id}", api.channels.folders.edit),
    ),
    # groups
    *requiring(
        api.guards.no_guest,
        get("/user_groups", api.groups.list_groups),
        post("/user_groups/create", api.groups.create),
        patch("/user_groups/{group_id}", api.groups.edit),
        get("/user_groups/{group_id}/members", api.groups.members),
        post("/user_groups/{group_id}/members", api.groups.change_members),
        get("/user_groups/{group_id}/members/{user_id}", api.groups.is_member),
        get("/user_groups/{group_id}/subgroups", api.groups.subgroups),
        post("/user_groups/{group_id}/subgroups", api.groups.change_subgroups),
    ),
    post("/user_groups/{group_id}/deactivate", api.groups.deactivate),
    # the organization
    *requiring(
        api.guards.administrator,
        patch("/realm", api.organization.settings.edit),
        patch("/realm/user_settings_defaults", api.personal.settings.change_defaults),
        post("/realm/test_welcome_bot_custom_message", api.organization.welcome.send_test),
        get("/export/realm", api.organization.exports.list_exports),
        post("/export/realm", api.organization.exports.start),
        get("/export/realm/consents", api.organization.exports.consents),
        delete("/export/realm/{export_id}", api.organization.exports.delete),
        get("/realm/audit_log", api.organization.audit.newest),
        get("/realm/audit_log/{entry_id}", api.organization.audit.one),
        get("/realm/usage", api.organization.usage.usage),
        get("/realm/accounts", api.people.administration.list_accounts),
        patch("/realm/accounts", api.people.administration.change_roles),
    ),
    get("/realm/presence", api.people.presence.list_all),
    get("/realm/settings", api.organization.setting_list.list_settings, requires=api.guards.human),
    get("/realm/icon", api.organization.pictures.icon),
    get("/realm/logo", api.organization.pictures.logo),
    *requiring(
        api.guards.administrator,
        post(
            "/realm/icon",
            api.organization.pictures.upload_icon,
            max_body=api.organization.pictures.MAX_BODY,
        ),
        delete("/realm/icon", api.organization.pictures.delete_icon),
        post(
            "/realm/logo",
            api.organization.pictures.upload_logo,
            max_body=api.organization.pictures.MAX_BODY,
        ),
        delete("/realm/logo", api.organization.pictures.delete_logo),
    ),
    get("/realm/domains", api.organization.mail_domains.list_domains),
    *requiring(
        api.guards.owner,
        post("/realm/domains", api.organization.mail_domains.add),
        patch("/realm/domains/{domain}", api.organization.mail_domains.change),
        delete("/realm/domains/{domain}", api.organization.mail_domains.remove),
        get("/realm/agents", api.people.agents.list_all),
        delete("/realm/agents/{agent_id}", api.people.agents.revoke_any),
        get("/realm/retention_preview", api.organization.retention.preview),
        post("/realm/deactivate", api.organization.deactivation.deactivate),
        get("/server_health", api.organization.health.health),
    ),
    get("/realm/profile_fields", api.people.profile_fields.list_fields),
    *requiring(
        api.guards.administrator,
        post("/realm/profile_fields", api.people.profile_fields.create),
        patch("/realm/profile_fields", api.people.profile_fields.reorder),
        patch("/realm/profile_fields/{field_id}", api.people.profile_fields.edit),
        delete("/realm/profile_fields/{field_id}", api.people.profile_fields.delete),
    ),
    # the caller: settings, status, presence, typing
    get("/users/me", api.people.users.me),
    *requiring(
        api.guards.human,
        patch("/settings", api.personal.settings.change),
        patch("/settings/notifications", api.personal.settings.change),
        patch("/settings/display", api.personal.settings.change),
        post("/users/me/status", api.people.status.change),
        post("/users/me/presence", api.people.presence.report),
        patch("/users/me/profile_data", api.people.profile_fields.fill_in),
        delete("/users/me/profile_data", api.people.profile_fields.empty),
    ),
    get("/users/{user_id}/status", api.people.status.fetch),
    get("/users/{user_id}/presence", api.people.presence.by_id),
    get("/users/{email}/presence", api.people.presence.by_email),
    post("/typing", api.messages.typing.send),
    post("/messages/{message_id}/typing", api.messages.typing.send_for_edit),
    post("/users/me/muted_users/{muted_user_id}", api.personal.muted_users.mute),
    delete("/users/me/muted_users/{muted_user_id}", api.personal.muted_users.unmute),
    get("/users/me/alert_words", api.personal.alert_words.fetch),
    post("/users/me/alert_words", api.personal.alert_words.add),
    delete("/users/me/alert_words", api.personal.alert_words.remove),
    post("/users/me/avatar", api.people.avatars.upload, max_body=api.people.avatars.MAX_BODY),
    delete("/users/me/avatar", api.people.avatars.delete),
    # users
    get("/users", api.people.users.list_all, access="spectator"),
    get("/users/{user_id}", api.people.users.by_id),
    get("/users/{email}", api.people.users.by_email),
    post("/users", api.people.accounts.create, requires=api.guards.administrator),
    *requiring(
        api.guards.manager_of_accounts,
        patch("/users/{user_id}", api.people.accounts.edit_by_id),
        patch("/users/{email}", api.people.accounts.edit_by_email),
        delete("/users/{user_id}", api.people.accounts.deactivate_by_id),
        delete("/users/{email}", api.people.accounts.deactivate_by_email),
        post("/users/{user_id}/status", api.people.status.change_of_other),
        post("/users/{user_id}/password_link", api.people.accounts.create_password_link),
        delete("/users/{user_id}/password", api.people.accounts.invalidate_password),
        delete("/users/{user_id}/second_factor", api.people.second_factors.reset),
    ),
    *requiring(
        api.guards.administrator,
        get("/users/{user_id}/account", api.people.administration.one),
        delete("/users/{user_id}/sessions", api.people.administration.end_sessions),
        post("/users/{user_id}/api_key/regenerate", api.people.administration.renew_key),
    ),
    post("/users/{user_id}/erase", api.people.administration.erase, requires=api.guards.owner),
    post("/users/{user_id}/reactivate", api.people.accounts.reactivate),
    post("/users/me/api_key/regenerate", api.people.accounts.renew_key),
    *requiring(
        api.guards.human,
        delete("/users/me", api.people.accounts.deactivate_self),
        get("/users/me/agents", api.people.agents.list_own),
        delete("/users/me/agents/{agent_id}", api.people.agents.revoke),
        get("/users/me/sessions", api.people.sessions.list_own),
        delete("/users/me/sessions", api.people.sessions.log_out_others),
        delete("/users/me/sessions/{session_id}", api.people.sessions.end),
        get("/users/me/second_factor", api.people.second_factors.get_own),
        post("/users/me/second_factor/secret", api.people.second_factors.new_secret),
        post("/users/me/second_factor/app", api.people.second_factors.set_up_app),
        post(
            "/users/me/second_factor/recovery_codes", api.people.second_factors.renew_recovery_codes
        ),
        post("/users/me/second_factor/passkeys/begin", api.people.passkeys.start),
        post("/users/me/second_factor/passkeys", api.people.passkeys.add),
        delete("/users/me/second_factor/passkeys/{passkey_id}", api.people.passkeys.remove),
        delete("/users/me/second_factor", api.people.second_factors.remove),
    ),
    # invitations
    *requiring(
        api.guards.human_member,
        get("/invites", api.people.invitations.list_open),
        post("/invites", api.people.invitations.send),
        post("/invites/multiuse", api.people.invitations.create_link),
        delete("/invites/{invite_id}", api.people.invitations.revoke),
        delete("/invites/multiuse/{invite_id}", api.people.invitations.revoke_link),
        post("/invites/{invite_id}/resend", api.people.invitations.resend),
    ),
    # bots
    *requiring(
        api.guards.human_member,
        get("/bots", api.people.bots.list_own),
        post("/bots", api.people.bots.create, max_body=api.people.avatars.MAX_BODY),
        patch("/bots/{bot_id}", api.people.bots.edit, max_body=api.people.avatars.MAX_BODY),
        delete("/bots/{bot_id}", api.people.bots.deactivate),
        get("/bots/{bot_id}/api_key", api.people.bots.key),
        post("/bots/{bot_id}/api_key/regenerate", api.people.bots.regenerate_key),
    ),
    *requiring(
        api.guards.bot,
        get("/bot_storage", api.people.bot_storage.fetch),
        put("/bot_storage", api.people.bot_storage.store, max_body=api.people.bot_storage.MAX_BODY),
        delete("/bot_storage", api.people.bot_storage.delete),
    ),
    # markup
    post("/messages/render", api.messages.send.render),
    get("/realm/linkifiers", api.organization.linkifiers.list_linkifiers),
    *requiring(
        api.guards.administrator,
        patch("/realm/linkifiers", api.organization.linkifiers.reorder),
        post("/realm/filters", api.organization.linkifiers.add),
        patch("/realm/filters/{filter_id}", api.organization.linkifiers.change),
        delete("/realm/filters/{filter_id}", api.organization.linkifiers.remove),
        post("/realm/playgrounds", api.organization.playgrounds.add),
        delete("/realm/playgrounds/{playground_id}", api.organization.playgrounds.remove),
    ),
]

ROUTES = api.audit.marked(ROUTES)

# Endpoints that differ for a logged-in browser, at the same path under `/json`.
_FOR_BROWSERS = api.audit.marked(
    [post("/fetch_api_key", api.people.login.fetch_own_key, requires=api.guards.human)]
)
_REPLACED = {(each.method, each.path) for each in _FOR_BROWSERS}
BROWSER_ROUTES = [
    *(each for each in ROUTES if (each.method, each.path) not in _REPLACED),
    *_FOR_BROWSERS,
]
