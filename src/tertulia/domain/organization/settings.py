"""The settings of an organization: one table with everything about each of them.

The table defines the parameters of `PATCH /realm` and their rules, who may change a setting,
`tertulia org set` and `org settings`, the events, the `realm_*` keys of `/register` and
`docs/organization-settings.md`. Permissions are settings too; their rules are in
`groups.REALM_PERMISSIONS`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from tertulia.domain.channels.channel import FOREVER
from tertulia.domain.channels.topics import ALLOW_EMPTY, DISABLE_EMPTY
from tertulia.domain.groups.group import REALM_PERMISSIONS, Permission, PermissionChange
from tertulia.domain.limits import MAX_WEB_ADDRESS_LENGTH
from tertulia.domain.messages.deleted import MAX_DAYS
from tertulia.domain.setting_values import (
    Adjustable,
    ChannelId,
    ChosenFrom,
    FreeText,
    Language,
    Limit,
    ServerUrl,
    Switch,
    ValueKind,
    Whole,
    refusal_with_value,
)
from tertulia.errors import BadRequest, ClientError

MAX_NAME_LENGTH = 40

# What a changed setting also requires. `actions/organization/settings.py` does it.
Consequence = Literal["full members", "kept messages", "whom guests know"]


class LoginMethods(ValueKind, frozen=True):
    """The login methods and whether each is enabled. At least one must be."""

    KNOWN = (
        "Email", "LDAP", "RemoteUser", "GitHub", "GitLab", "Google", "OpenID Connect", "SAML",
        "JWT",
    )  # fmt: skip
    TOKENS = "JWT"
    must_be = f"a list of ways to log in, out of {', '.join(KNOWN)}"

    def read(self, text: str) -> dict[str, bool]:
        wanted = [word.strip() for word in text.split(",")]
        return dict.fromkeys(self.KNOWN, False) | dict.fromkeys(filter(None, wanted), True)

    def checked(self, value: Any) -> dict[str, bool]:
        """A request may contain only some methods; the action adds the others."""
        if type(value) is not dict or any(type(each) is not bool for each in value.values()):
            raise ValueError(value)
        return value

    def written(self, value: dict[str, bool]) -> str:
        return ", ".join(name for name, is_open in value.items() if is_open)

    def among(self, value: dict[str, bool], offered: Iterable[str]) -> dict[str, bool]:
        """Whether each method that the server offers is enabled."""
        return {name: value.get(name, True) for name in self.KNOWN if name in offered}


class PeopleNamed(ValueKind, frozen=True):
    """Who holds a permission: a group, or an anonymous group of users and groups."""

    permission: Permission
    must_be = "the name of a group, such as role:members"

    def checked(self, value: Any) -> PermissionChange:
        if not isinstance(value, PermissionChange):
            raise ValueError(value)
        return value


class OrganizationSetting(Adjustable, frozen=True):
    owners_only: bool = False  # administrators may change the others
    in_dictionary: bool = False  # Compat: clients get some settings as parts of a dictionary
    is_markup: bool = False  # clients get its HTML too
    # What clients get in place of the value alone.
    derived: Callable[[Any], dict[str, Any]] | None = None
    follows: Consequence | None = None

    def wire_fields(self, value: Any) -> dict[str, Any]:
        """What clients get for it, by name."""
        return {self.name: value} if self.derived is None else self.derived(value)


def _bad_value(name: str, value: Any) -> ClientError:
    return BadRequest(f"Bad value for '{name}': {value}", problem="bad-value")


def _bad_name(name: str, value: Any) -> ClientError:
    words = f"name must be a text of 1 to {MAX_NAME_LENGTH} characters"
    return BadRequest(words, problem="organization-name-length")


def _topics_policy(value: str) -> dict[str, Any]:
    return {"topics_policy": value, "mandatory_topics": value == DISABLE_EMPTY}


def _login_methods(value: dict[str, bool]) -> dict[str, Any]:
    shown = {name: {"enabled": is_open, "available": True} for name, is_open in value.items()}
    return {"authentication_methods": shown}


def _permission(rule: Permission) -> OrganizationSetting:
    return OrganizationSetting(
        rule.name,
        PeopleNamed(rule),
        rule.default,
        rule.meaning,
        owners_only=rule.owners_only,
        in_dictionary=True,
        follows="whom guests know" if rule.name == "can_access_all_users_group" else None,
    )


_SWITCH = Switch()
_SECONDS = Limit("seconds", unlimited=None)
_CHANNEL = ChannelId()

# Events of changes made together have this order.
SETTINGS: dict[str, OrganizationSetting] = {
    setting.name: setting
    for setting in (
        OrganizationSetting(
            "allow_message_editing",
            _SWITCH,
            True,
            "Users may edit their messages.",
            in_dictionary=True,
        ),
        OrganizationSetting(
            "authentication_methods",
            LoginMethods(),
            {"Email": True},
            "The enabled login methods, out of those that the server offers; `Email` is an "
            "email address and a password. Methods are enabled unless you turn them off.",
            owners_only=True,
            in_dictionary=True,
            derived=_login_methods,
        ),
        OrganizationSetting(
            "avatar_changes_disabled",
            _SWITCH,
            False,
            "Only administrators may change avatars.",
        ),
        OrganizationSetting(
            "default_avatar_source",
            ChosenFrom(("J", "G")),
            "J",
            "The avatar of users without a picture: generated by the server (`J`) or from "
            "Gravatar (`G`).",
        ),
        OrganizationSetting(
            "default_code_block_language",
            FreeText(50),
            "",
            "The language of code blocks without one.",
        ),
        OrganizationSetting(
            "default_language",
            Language(),
            "en",
            "The language of the organization: for mails to people without an account, and for the "
            "word forms that search finds.",
            refusal=refusal_with_value("Invalid language '{value}'"),
        ),
        OrganizationSetting(
            "deleted_message_grace_days",
            Whole(0, MAX_DAYS),
            0,
            "For how many days the server's operator can restore deleted messages; 0 for none.",
            owners_only=True,
            follows="kept messages",
        ),
        OrganizationSetting(
            "description",
            FreeText(1000),
            "",
            "The description of the organization, in Markdown.",
            in_dictionary=True,
            is_markup=True,
        ),
        OrganizationSetting(
            "digest_emails_enabled",
            _SWITCH,
            False,
            "Users who have been away for days get a digest by mail, once a week.",
        ),
        OrganizationSetting(
            "digest_weekday",
            ChosenFrom(tuple(range(7))),
            1,
            "The day of digests, from Monday (0) to Sunday (6).",
        ),
        OrganizationSetting(
            "disallow_disposable_email_addresses",
            _SWITCH,
            True,
            "Refuse disposable email addresses.",
            owners_only=True,
        ),
        OrganizationSetting(
            "email_changes_disabled",
            _SWITCH,
            False,
            "Only administrators may change email addresses.",
        ),
        OrganizationSetting(
            "emails_restricted_to_domains",
            _SWITCH,
            False,
            "Email addresses must be in one of the organization's domains.",
            owners_only=True,
        ),
        OrganizationSetting(
            "enable_guest_user_dm_warning",
            _SWITCH,
            True,
            "Clients warn before a direct message to a guest.",
        ),
        OrganizationSetting(
            "enable_guest_user_indicator",
            _SWITCH,
            True,
            "Clients mark guests.",
        ),
        OrganizationSetting(
            "enable_read_receipts",
            _SWITCH,
            True,
            "Users can see who has read a message.",
        ),
        OrganizationSetting(
            "enable_agent_access",
            _SWITCH,
            False,
            "Bots and programs that users allow can use the Model Context Protocol at `/mcp`.",
            owners_only=True,
        ),
        OrganizationSetting(
            "enable_topic_summaries",
            _SWITCH,
            False,
            "Users can ask for a summary of a topic. The server sends the messages that they may"
            " read to the language model of its operator.",
            owners_only=True,
        ),
        OrganizationSetting(
            "enable_spectator_access",
            _SWITCH,
            False,
            "Web-public channels can be read without an account, if the server allows them.",
        ),
        OrganizationSetting(
            "enable_public_pages",
            _SWITCH,
            True,
            "Web-public channels have pages and feeds that search engines may list, if they can be"
            " read without an account.",
        ),
        OrganizationSetting(
            "gif_rating_policy",
            ChosenFrom((0, 1, 2, 3, 4)),
            1,
            "The highest rating of GIFs that clients offer; 0 offers none.",
        ),
        OrganizationSetting(
            "inline_image_preview",
            _SWITCH,
            True,
            "Messages show previews of linked and uploaded images.",
        ),
        OrganizationSetting(
            "inline_url_embed_preview",
            _SWITCH,
            False,
            "Messages show previews of linked pages, which the server fetches.",
        ),
        OrganizationSetting(
            "invite_required",
            _SWITCH,
            True,
            "New users need an invitation.",
            owners_only=True,
        ),
        OrganizationSetting(
            "jitsi_server_url",
            ServerUrl(MAX_WEB_ADDRESS_LENGTH),
            None,
            "The Jitsi server for calls.",
        ),
        OrganizationSetting(
            "media_preview_size",
            ChosenFrom((100, 150, 200)),
            100,
            "Clients show image previews at this size, in percent.",
        ),
        OrganizationSetting(
            "message_content_allowed_in_email_notifications",
            _SWITCH,
            True,
            "Mails about missed messages may contain the text of messages.",
        ),
        OrganizationSetting(
            "message_content_delete_limit_seconds",
            _SECONDS,
            600,
            "How long users may delete their messages.",
            refusal=_bad_value,
        ),
        OrganizationSetting(
            "message_content_edit_limit_seconds",
            _SECONDS,
            600,
            "How long users may edit their messages.",
            refusal=_bad_value,
            in_dictionary=True,
        ),
        OrganizationSetting(
            "message_edit_history_visibility_policy",
            ChosenFrom(("all", "moves", "none")),
            "all",
            "What users see of the edit history: everything, moves only, or nothing.",
        ),
        OrganizationSetting(
            "message_retention_days",
            Limit("days", unlimited=FOREVER),
            FOREVER,
            "After how many days messages are deleted, in channels without their own setting.",
            refusal=_bad_value,
            owners_only=True,
        ),
        OrganizationSetting(
            "moderation_request_channel_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel for reported messages.",
        ),
        OrganizationSetting(
            "move_messages_between_streams_limit_seconds",
            _SECONDS,
            604_800,
            "How long users may move messages to other channels.",
            refusal=_bad_value,
        ),
        OrganizationSetting(
            "move_messages_within_stream_limit_seconds",
            _SECONDS,
            604_800,
            "How long users may move messages to other topics.",
            refusal=_bad_value,
        ),
        OrganizationSetting(
            "name",
            FreeText(MAX_NAME_LENGTH, is_title=True),
            "",
            "The name of the organization.",
            refusal=_bad_name,
        ),
        OrganizationSetting(
            "name_changes_disabled",
            _SWITCH,
            False,
            "Only administrators may change names.",
        ),
        OrganizationSetting(
            "new_stream_announcements_stream_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel for announcements of new channels.",
        ),
        OrganizationSetting(
            "org_type",
            Whole(0, 1000),
            0,
            "The type of the organization, by number; only for clients.",
        ),
        OrganizationSetting(
            "owner_full_content_access",
            _SWITCH,
            False,
            "Owners may export all private data.",
        ),
        OrganizationSetting(
            "presence_disabled",
            _SWITCH,
            False,
            "Hide the presence of all users.",
        ),
        OrganizationSetting(
            "require_e2ee_push_notifications",
            _SWITCH,
            False,
            "Push notifications for phones with an older app contain ids only, because they are "
            "not encrypted.",
        ),
        OrganizationSetting(
            "require_second_factor",
            _SWITCH,
            False,
            "Password logins need a second factor. Users without one set it up at the next "
            "login. Existing sessions and API keys stay valid.",
            owners_only=True,
        ),
        OrganizationSetting(
            "require_unique_names",
            _SWITCH,
            False,
            "Names of users must be unique.",
        ),
        OrganizationSetting(
            "send_channel_events_messages",
            _SWITCH,
            False,
            "Post a notice in a channel when its settings change.",
        ),
        OrganizationSetting(
            "send_welcome_emails",
            _SWITCH,
            True,
            "Send welcome mails; only for clients, without effect on this server.",
        ),
        OrganizationSetting(
            "signup_announcements_stream_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel for announcements of new users.",
        ),
        OrganizationSetting(
            "topics_policy",
            ChosenFrom((ALLOW_EMPTY, DISABLE_EMPTY)),
            ALLOW_EMPTY,
            "Whether messages need a topic, in channels without their own setting.",
            in_dictionary=True,
            derived=_topics_policy,
        ),
        OrganizationSetting(
            "video_chat_provider",
            ChosenFrom((0, 1, 4, 7)),
            1,
            "The video call provider: none (0), Jitsi (1), BigBlueButton (4) or Nextcloud Talk "
            "(7); the last two need settings of the server.",
        ),
        OrganizationSetting(
            "waiting_period_threshold",
            Whole(0, 36_500),
            0,
            "After how many days new members become full members.",
            owners_only=True,
            follows="full members",
        ),
        OrganizationSetting(
            "want_advertise_in_communities_directory",
            _SWITCH,
            False,
            "List the organization in a directory of communities; only for clients.",
        ),
        OrganizationSetting(
            "welcome_message_custom_text",
            FreeText(8000),
            "",
            "The welcome message for new users.",
        ),
        OrganizationSetting(
            "zulip_update_announcements_stream_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel for news about the software; only for clients.",
        ),
        *map(_permission, REALM_PERMISSIONS.values()),
    )
}

DEFAULTS: dict[str, Any] = {
    setting.name: setting.default
    for setting in SETTINGS.values()
    if setting.name not in REALM_PERMISSIONS
}
