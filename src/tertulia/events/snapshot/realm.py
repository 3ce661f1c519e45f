"""The organization and the server in the register snapshot, under `realm`."""

from typing import Any

from tertulia import domain, events
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME
from tertulia.domain.files.attachments import ANIMATED_THUMBNAIL, THUMBNAIL, THUMBNAIL_SIZE
from tertulia.domain.groups.group import (
    CHANNEL_PERMISSIONS,
    GROUP_PERMISSIONS,
    REALM_PERMISSIONS,
    GroupValue,
    Permission,
)
from tertulia.domain.messages.reports import REASONS
from tertulia.domain.organization.pictures import USUAL
from tertulia.domain.organization.settings import DEFAULTS, SETTINGS, LoginMethods
from tertulia.domain.people.external_accounts import EXTERNAL_ACCOUNTS
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.server_info import ServerInfo

LOGIN_METHODS = "authentication_methods"
JITSI_SERVER_URL = "https://meet.jit.si"

TYPING_STARTED_WAIT_MS = 30_000
TYPING_STOPPED_WAIT_MS = 12_000
TYPING_EXPIRY_MS = 45_000

# Permission values as numbers, for older clients.
_CREATE_POLICIES = {
    "role:members": 1,
    "role:administrators": 2,
    "role:fullmembers": 3,
    "role:moderators": 4,
    "role:nobody": 6,
    "role:owners": 7,
}
_WILDCARD_POLICIES = {
    "role:everyone": 1,
    "role:members": 2,
    "role:fullmembers": 3,
    "role:administrators": 5,
    "role:nobody": 6,
    "role:moderators": 7,
}


CALL_PROVIDERS = {
    0: ("disabled", "None"),
    1: ("jitsi_meet", "Jitsi Meet"),
    4: ("big_blue_button", "BigBlueButton"),
    7: ("nextcloud_talk", "Nextcloud Talk"),
}


def realm_state(org: Organization, server: ServerInfo) -> dict[str, Any]:
    return {
        **_settings(org, server),
        **_permissions(org),
        **_identity(org, server),
        **_server(server),
        "jitsi_server_url": org.realm.setting("jitsi_server_url") or JITSI_SERVER_URL,
    }


def _settings(org: Organization, server: ServerInfo) -> dict[str, Any]:
    realm = org.realm
    methods = LoginMethods().among(realm.setting(LOGIN_METHODS), server.login_methods)
    values = {name: realm.setting(name) for name in DEFAULTS} | {LOGIN_METHODS: methods}
    state = {
        f"realm_{known}": value
        for name in DEFAULTS
        for known, value in SETTINGS[name].wire_fields(values[name]).items()
    }
    visibility = realm.setting("message_edit_history_visibility_policy")
    return state | {
        "realm_allow_edit_history": visibility != "none",
        "realm_push_notifications_enabled": server.pushes,
        "realm_push_notifications_enabled_end_timestamp": None,
        "realm_email_auth_enabled": realm.admits_passwords,
        "realm_password_auth_enabled": realm.admits_passwords or methods.get("LDAP", False),
    }


def _permissions(org: Organization) -> dict[str, Any]:
    values = {
        name: events.types.channels.channel.shown_value(org, org.realm_permission(name))
        for name in REALM_PERMISSIONS
    }
    return {f"realm_{name}": value for name, value in values.items()} | {
        "realm_create_public_stream_policy": _policy(
            org, values["can_create_public_channel_group"], _CREATE_POLICIES, 1
        ),
        "realm_create_private_stream_policy": _policy(
            org, values["can_create_private_channel_group"], _CREATE_POLICIES, 1
        ),
        "realm_create_web_public_stream_policy": _policy(
            org, values["can_create_web_public_channel_group"], _CREATE_POLICIES, 7
        ),
        "realm_wildcard_mention_policy": _policy(
            org, values["can_mention_many_users_group"], _WILDCARD_POLICIES, 5
        ),
        "server_supported_permission_settings": {
            "realm": {name: _described(each) for name, each in REALM_PERMISSIONS.items()},
            "stream": {name: _described(each) for name, each in CHANNEL_PERMISSIONS.items()},
            "group": {
                name: _described(each, for_system_groups="role:nobody")
                for name, each in GROUP_PERMISSIONS.items()
            },
        },
    }


def _policy(org: Organization, value: GroupValue, numbers: dict[str, int], otherwise: int) -> int:
    group = org.groups.get(value) if isinstance(value, int) else None
    return otherwise if group is None else numbers.get(group.name, otherwise)


def _described(permission: Permission, for_system_groups: str | None = None) -> dict[str, Any]:
    return {
        "allow_nobody_group": permission.nobody,
        "allow_everyone_group": permission.everyone,
        "allow_internet_group": False,
        "require_system_group": permission.requires_system_group,
        "default_group_name": permission.default,
        "default_for_system_groups": for_system_groups,
        "allowed_system_groups": list(permission.allowed),
    }


def _identity(org: Organization, server: ServerInfo) -> dict[str, Any]:
    realm = org.realm
    pictures = {
        f"realm_{name}": value
        for kind in USUAL
        for name, value in domain.organization.pictures.wire_fields(realm, kind, server.url).items()
    }
    return {
        "realm_url": server.url,
        "realm_uri": server.url,
        "realm_uuid": realm.uuid,
        "realm_date_created": int(realm.created_at),
        "realm_bot_domain": org.email_domain,
        **pictures,
        "realm_plan_type": 1,
        "realm_upload_quota_mib": server.upload_quota_mib or None,
        "realm_default_external_accounts": EXTERNAL_ACCOUNTS,
        "realm_available_video_chat_providers": {
            key: {"name": name, "id": number}
            for number, (key, name) in CALL_PROVIDERS.items()
            if number in server.call_providers
        },
        "realm_empty_topic_display_name": EMPTY_TOPIC_NAME,
    }


def _server(server: ServerInfo) -> dict[str, Any]:
    return {
        "max_message_length": domain.limits.MAX_MESSAGE_LENGTH,
        "max_topic_length": domain.limits.MAX_TOPIC_LENGTH,
        "max_stream_name_length": domain.limits.MAX_CHANNEL_NAME_LENGTH,
        "max_stream_description_length": domain.limits.MAX_CHANNEL_DESCRIPTION_LENGTH,
        "max_channel_folder_name_length": domain.limits.MAX_FOLDER_NAME_LENGTH,
        "max_channel_folder_description_length": domain.limits.MAX_FOLDER_DESCRIPTION_LENGTH,
        "max_reminder_note_length": domain.limits.MAX_REMINDER_NOTE_LENGTH,
        "max_bulk_new_subscription_messages": domain.limits.MAX_NEW_SUBSCRIPTION_NOTICES,
        "max_file_upload_size_mib": server.max_upload_mib,
        "max_avatar_file_size_mib": domain.limits.MAX_AVATAR_BYTES >> 20,
        "max_icon_file_size_mib": domain.limits.MAX_REALM_PICTURE_BYTES >> 20,
        "max_logo_file_size_mib": domain.limits.MAX_REALM_PICTURE_BYTES >> 20,
        "password_min_length": domain.limits.MIN_PASSWORD_LENGTH,
        "password_max_length": domain.limits.MAX_PASSWORD_LENGTH,
        "password_min_guesses": domain.people.passwords.MIN_GUESSES,
        "server_typing_started_wait_period_milliseconds": TYPING_STARTED_WAIT_MS,
        "server_typing_stopped_wait_period_milliseconds": TYPING_STOPPED_WAIT_MS,
        "server_typing_started_expiry_period_milliseconds": TYPING_EXPIRY_MS,
        "server_presence_ping_interval_seconds": 60,
        "server_presence_offline_threshold_seconds": domain.people.presence.OFFLINE_AFTER_SECONDS,
        "event_queue_longpoll_timeout_seconds": 90,
        "server_generation": server.started_at,
        "server_emoji_data_url": f"{server.url}/static/emoji.json",
        "server_inline_image_preview": True,
        "server_inline_url_embed_preview": server.link_previews,
        "server_thumbnail_formats": [
            _thumbnail_format(ANIMATED_THUMBNAIL, is_animated=True),
            _thumbnail_format(THUMBNAIL, is_animated=False),
        ],
        "server_avatar_changes_disabled": False,
        "server_name_changes_disabled": False,
        "server_needs_upgrade": False,
        "server_can_summarize_topics": False,
        "server_web_public_streams_enabled": server.web_public_enabled,
        "server_min_deactivated_realm_deletion_days": 14,
        "server_max_deactivated_realm_deletion_days": None,
        "server_report_message_types": [
            {"key": key, "name": name} for key, name in REASONS.items()
        ],
        "server_jitsi_server_url": JITSI_SERVER_URL,
        "development_environment": False,
        "settings_send_digest_emails": server.sends_mail,
        "zulip_plan_is_not_limited": True,
        "upgrade_text_for_wide_organization_logo": "",
        "gif_rating_policy_options": {
            "disabled": {"name": "Disabled", "id": 0},
        },
    }


def _thumbnail_format(name: str, *, is_animated: bool) -> dict[str, Any]:
    """Tells clients which thumbnails of uploaded images exist."""
    width, height = THUMBNAIL_SIZE
    return {
        "name": name,
        "max_width": width,
        "max_height": height,
        "format": "webp",
        "animated": is_animated,
    }
