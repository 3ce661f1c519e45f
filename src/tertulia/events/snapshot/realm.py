"""The organization and the server in the register snapshot, under `realm`."""

from typing import Annotated, Any

import msgspec
from msgspec.structs import asdict

from tertulia import domain
from tertulia.domain.channels.topics import EMPTY_TOPIC_NAME
from tertulia.domain.files.attachments import ANIMATED_THUMBNAIL, THUMBNAIL, THUMBNAIL_SIZE
from tertulia.domain.groups.group import (
    CHANNEL_PERMISSIONS,
    GROUP_PERMISSIONS,
    REALM_PERMISSIONS,
    GroupValue,
    Permission,
)
from tertulia.domain.organization.pictures import USUAL
from tertulia.domain.organization.settings import DEFAULTS, SETTINGS, LoginMethods
from tertulia.domain.people.external_accounts import EXTERNAL_ACCOUNTS, ExternalAccount
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.server_info import ServerInfo, StatePart
from tertulia.events.types.channels import channel
from tertulia.wire import Doc
from tertulia.wire_fields import AlwaysFalse

LOGIN_METHODS = "authentication_methods"

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


class LoginMethodsState(StatePart, kw_only=True):
    """What follows from the settings, for older clients, and from the server."""

    realm_allow_edit_history: Annotated[
        bool, Doc("Whether earlier versions of messages are visible. Deprecated.")
    ]
    realm_push_notifications_enabled: Annotated[
        bool, Doc("Whether the server can send push notifications to phones.")
    ]
    realm_push_notifications_enabled_end_timestamp: Annotated[
        int | None, Doc("The end of push notifications; null means none.")
    ] = None
    realm_email_auth_enabled: Annotated[
        bool, Doc("Whether users can log in with an email address and a password.")
    ]
    realm_password_auth_enabled: Annotated[bool, Doc("Whether users can log in with a password.")]


class PermissionObject(msgspec.Struct):
    allow_nobody_group: Annotated[bool, Doc("Whether `role:nobody` is accepted.")]
    allow_everyone_group: Annotated[bool, Doc("Whether `role:everyone` is accepted.")]
    allow_internet_group: Annotated[bool, Doc("Whether `role:internet` is accepted.")]
    require_system_group: Annotated[bool, Doc("Whether only system groups are accepted.")]
    default_group_name: Annotated[str, Doc("The default.")]
    default_for_system_groups: Annotated[str | None, Doc("The default for system groups.")]
    allowed_system_groups: Annotated[
        list[str], Doc("The accepted system groups; empty for all of them.")
    ]


class SupportedPermissions(msgspec.Struct):
    realm: Annotated[dict[str, PermissionObject], Doc("The permissions of an organization.")]
    stream: Annotated[dict[str, PermissionObject], Doc("The permissions of a channel.")]
    group: Annotated[dict[str, PermissionObject], Doc("The permissions of a group.")]


class PermissionState(StatePart):
    """Permissions as numbers, for older clients, and what each permission accepts."""

    realm_create_public_stream_policy: Annotated[
        int, Doc("Who may create public channels, by number. Deprecated.")
    ]
    realm_create_private_stream_policy: Annotated[
        int, Doc("Who may create private channels, by number. Deprecated.")
    ]
    realm_create_web_public_stream_policy: Annotated[
        int, Doc("Who may create web-public channels, by number. Deprecated.")
    ]
    realm_wildcard_mention_policy: Annotated[
        int, Doc("Who may use wildcard mentions, by number. Deprecated.")
    ]
    server_supported_permission_settings: Annotated[
        SupportedPermissions, Doc("The groups that each permission accepts.")
    ]


class NumberedName(msgspec.Struct):
    name: Annotated[str, Doc("The name.")]
    id: Annotated[int, Doc("The number that stands for it in settings.")]


class IdentityState(StatePart, kw_only=True):
    realm_url: Annotated[str, Doc("The URL of the organization.")]
    realm_uri: Annotated[str, Doc("The same as `realm_url`. Deprecated.")]
    realm_uuid: Annotated[str, Doc("A unique id of the organization.")]
    realm_date_created: Annotated[
        int, Doc("The creation time of the organization, in UNIX seconds.")
    ]
    realm_bot_domain: Annotated[str, Doc("The domain of bot addresses.")]
    realm_icon_source: Annotated[str, Doc("The source of the icon: `G` default, `U` uploaded.")]
    realm_icon_url: Annotated[str, Doc("The URL of the icon.")]
    realm_logo_source: Annotated[str, Doc("The source of the logo: `D` default, `U` uploaded.")]
    realm_logo_url: Annotated[str, Doc("The URL of the logo.")]
    realm_night_logo_source: Annotated[str, Doc("The source of the logo for the dark theme.")]
    realm_night_logo_url: Annotated[str, Doc("The URL of the logo for the dark theme.")]
    realm_plan_type: Annotated[int, Doc("Always 1 here.")] = 1
    realm_upload_quota_mib: Annotated[
        int | None, Doc("The total size of all files; null means no limit.")
    ]
    realm_default_external_accounts: Annotated[
        dict[str, ExternalAccount], Doc("The sites that an external account field can link to.")
    ]
    realm_available_video_chat_providers: Annotated[
        dict[str, NumberedName], Doc("The available video call providers.")
    ]
    realm_empty_topic_display_name: Annotated[str, Doc("The display name of the empty topic.")] = (
        EMPTY_TOPIC_NAME
    )


class ThumbnailFormat(msgspec.Struct):
    """A thumbnail that exists of every uploaded image."""

    name: Annotated[str, Doc("The name of the format.")]
    max_width: Annotated[int, Doc("The largest width.")]
    max_height: Annotated[int, Doc("The largest height.")]
    format: Annotated[str, Doc("The type of image.")]
    animated: Annotated[bool, Doc("Whether it is animated.")]


THUMBNAILS = [
    ThumbnailFormat(ANIMATED_THUMBNAIL, *THUMBNAIL_SIZE, format="webp", animated=True),
    ThumbnailFormat(THUMBNAIL, *THUMBNAIL_SIZE, format="webp", animated=False),
]
GIF_RATINGS = {"disabled": NumberedName("Disabled", 0)}


class ServerState(StatePart, kw_only=True):
    max_message_length: Annotated[int, Doc("The longest message.")] = (
        domain.limits.MAX_MESSAGE_LENGTH
    )
    max_topic_length: Annotated[int, Doc("The longest topic.")] = domain.limits.MAX_TOPIC_LENGTH
    max_stream_name_length: Annotated[int, Doc("The longest name of a channel.")] = (
        domain.limits.MAX_CHANNEL_NAME_LENGTH
    )
    max_stream_description_length: Annotated[int, Doc("The longest description of a channel.")] = (
        domain.limits.MAX_CHANNEL_DESCRIPTION_LENGTH
    )
    max_channel_folder_name_length: Annotated[int, Doc("The longest name of a folder.")] = (
        domain.limits.MAX_FOLDER_NAME_LENGTH
    )
    max_channel_folder_description_length: Annotated[
        int, Doc("The longest description of a folder.")
    ] = domain.limits.MAX_FOLDER_DESCRIPTION_LENGTH
    max_reminder_note_length: Annotated[int, Doc("The longest note of a reminder.")] = (
        domain.limits.MAX_REMINDER_NOTE_LENGTH
    )
    max_bulk_new_subscription_messages: Annotated[
        int, Doc("Up to how many new subscribers get a message.")
    ] = domain.limits.MAX_NEW_SUBSCRIPTION_NOTICES
    max_file_upload_size_mib: Annotated[int, Doc("The largest size of a file.")]
    max_avatar_file_size_mib: Annotated[int, Doc("The largest size of a user's picture.")] = (
        domain.limits.MAX_AVATAR_BYTES >> 20
    )
    max_icon_file_size_mib: Annotated[int, Doc("The largest size of the organization's icon.")] = (
        domain.limits.MAX_REALM_PICTURE_BYTES >> 20
    )
    max_logo_file_size_mib: Annotated[int, Doc("The largest size of the organization's logo.")] = (
        domain.limits.MAX_REALM_PICTURE_BYTES >> 20
    )
    password_min_length: Annotated[int, Doc("The shortest password.")] = (
        domain.limits.MIN_PASSWORD_LENGTH
    )
    password_max_length: Annotated[int, Doc("The longest password.")] = (
        domain.limits.MAX_PASSWORD_LENGTH
    )
    password_min_guesses: Annotated[
        int, Doc("The required strength of a password, in guesses.")
    ] = domain.people.passwords.MIN_GUESSES
    server_typing_started_wait_period_milliseconds: Annotated[
        int, Doc("The interval for repeating a typing notification.")
    ] = 30_000
    server_typing_stopped_wait_period_milliseconds: Annotated[
        int, Doc("After how long without input a client sends that typing has stopped.")
    ] = 12_000
    server_typing_started_expiry_period_milliseconds: Annotated[
        int, Doc("How long a typing notification is valid.")
    ] = 45_000
    server_presence_ping_interval_seconds: Annotated[
        int, Doc("The interval for sending the own presence.")
    ] = 60
    server_presence_offline_threshold_seconds: Annotated[
        int, Doc("After how many seconds without a sign of life a user is offline.")
    ] = domain.people.presence.OFFLINE_AFTER_SECONDS
    event_queue_longpoll_timeout_seconds: Annotated[int, Doc("The longest duration of a poll.")] = (
        90
    )
    server_generation: Annotated[int, Doc("The start time of the server, in UNIX seconds.")]
    server_emoji_data_url: Annotated[str, Doc("The URL of the table of all emoji.")]
    server_inline_image_preview: Annotated[bool, Doc("Whether messages have image previews.")] = (
        True
    )
    server_inline_url_embed_preview: Annotated[
        bool, Doc("Whether messages have previews of linked pages.")
    ]
    server_thumbnail_formats: Annotated[
        list[ThumbnailFormat], Doc("The sizes and formats of thumbnails.")
    ]
    server_avatar_changes_disabled: Annotated[
        bool, Doc("Whether the server forbids users to change their picture.")
    ] = False
    server_name_changes_disabled: Annotated[
        bool, Doc("Whether the server forbids users to change their name.")
    ] = False
    server_needs_upgrade: AlwaysFalse = False
    server_can_summarize_topics: AlwaysFalse = False
    server_web_public_streams_enabled: Annotated[
        bool, Doc("Whether the server allows web-public channels.")
    ]
    server_min_deactivated_realm_deletion_days: Annotated[
        int | None, Doc("After how many days an organization may be deleted.")
    ] = 14
    server_max_deactivated_realm_deletion_days: Annotated[int | None, Doc("Always null here.")] = (
        None
    )
    server_jitsi_server_url: Annotated[str | None, Doc("The default Jitsi server for calls.")]
    development_environment: AlwaysFalse = False
    settings_send_digest_emails: Annotated[bool, Doc("Whether the server sends digests.")]
    zulip_plan_is_not_limited: Annotated[bool, Doc("Always true here.")] = True
    upgrade_text_for_wide_organization_logo: Annotated[str, Doc("Always empty here.")] = ""
    gif_rating_policy_options: Annotated[
        dict[str, NumberedName], Doc("The values of `realm_gif_rating_policy`.")
    ]
    jitsi_server_url: Annotated[str | None, Doc("The Jitsi server for calls.")]


def realm_state(org: Organization, server: ServerInfo) -> dict[str, Any]:
    return {
        **_settings(org, server),
        **_permissions(org),
        **asdict(_identity(org, server)),
        **asdict(_server(org, server)),
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
    login = LoginMethodsState(
        realm_allow_edit_history=realm.setting("message_edit_history_visibility_policy") != "none",
        realm_push_notifications_enabled=server.pushes,
        realm_email_auth_enabled=realm.admits_passwords,
        realm_password_auth_enabled=realm.admits_passwords or methods.get("LDAP", False),
    )
    return state | asdict(login)


def _permissions(org: Organization) -> dict[str, Any]:
    values = {
        name: channel.shown_value(org, org.realm_permission(name)) for name in REALM_PERMISSIONS
    }
    more = PermissionState(
        realm_create_public_stream_policy=_policy(
            org, values["can_create_public_channel_group"], _CREATE_POLICIES, 1
        ),
        realm_create_private_stream_policy=_policy(
            org, values["can_create_private_channel_group"], _CREATE_POLICIES, 1
        ),
        realm_create_web_public_stream_policy=_policy(
            org, values["can_create_web_public_channel_group"], _CREATE_POLICIES, 7
        ),
        realm_wildcard_mention_policy=_policy(
            org, values["can_mention_many_users_group"], _WILDCARD_POLICIES, 5
        ),
        server_supported_permission_settings=SUPPORTED_PERMISSIONS,
    )
    return {f"realm_{name}": value for name, value in values.items()} | asdict(more)


def _policy(org: Organization, value: GroupValue, numbers: dict[str, int], otherwise: int) -> int:
    group = org.groups.get(value) if isinstance(value, int) else None
    return otherwise if group is None else numbers.get(group.name, otherwise)


def _described(permission: Permission, for_system_groups: str | None = None) -> PermissionObject:
    return PermissionObject(
        allow_nobody_group=permission.nobody,
        allow_everyone_group=permission.everyone,
        allow_internet_group=False,
        require_system_group=permission.requires_system_group,
        default_group_name=permission.default,
        default_for_system_groups=for_system_groups,
        allowed_system_groups=list(permission.allowed),
    )


SUPPORTED_PERMISSIONS = SupportedPermissions(
    realm={name: _described(each) for name, each in REALM_PERMISSIONS.items()},
    stream={name: _described(each) for name, each in CHANNEL_PERMISSIONS.items()},
    group={name: _described(each, "role:nobody") for name, each in GROUP_PERMISSIONS.items()},
)


def _identity(org: Organization, server: ServerInfo) -> IdentityState:
    realm = org.realm
    pictures: dict[str, Any] = {
        f"realm_{name}": value
        for kind in USUAL
        for name, value in domain.organization.pictures.wire_fields(realm, kind, server.url).items()
    }
    return IdentityState(
        realm_url=server.url,
        realm_uri=server.url,
        realm_uuid=realm.uuid,
        realm_date_created=int(realm.created_at),
        realm_bot_domain=org.email_domain,
        realm_upload_quota_mib=server.upload_quota_mib or None,
        realm_default_external_accounts=EXTERNAL_ACCOUNTS,
        realm_available_video_chat_providers={
            key: NumberedName(name, number)
            for number, (key, name) in CALL_PROVIDERS.items()
            if number in server.call_providers
        },
        **pictures,
    )


def _server(org: Organization, server: ServerInfo) -> ServerState:
    return ServerState(
        max_file_upload_size_mib=server.max_upload_mib,
        server_jitsi_server_url=server.jitsi_url,
        server_generation=server.started_at,
        server_emoji_data_url=f"{server.url}/static/emoji.json",
        server_inline_url_embed_preview=server.link_previews,
        server_thumbnail_formats=THUMBNAILS,
        server_web_public_streams_enabled=server.web_public_enabled,
        settings_send_digest_emails=server.sends_mail,
        gif_rating_policy_options=GIF_RATINGS,
        jitsi_server_url=org.realm.setting("jitsi_server_url") or server.jitsi_url,
    )
