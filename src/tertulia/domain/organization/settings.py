"""The settings of an organization: one table with everything about each of them.

The table defines the parameters of `PATCH /realm` and their rules, who may change a setting,
`tertulia org set` and `org settings`, the events, the `realm_*` keys of `/register` and
`docs/organization-settings.md`. Permissions are settings too; their rules are in
`groups.REALM_PERMISSIONS`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from tertulia import domain
from tertulia.domain.channels.channel import FOREVER
from tertulia.domain.channels.topics import ALLOW_EMPTY, DISABLE_EMPTY
from tertulia.domain.groups.group import REALM_PERMISSIONS, Permission, PermissionChange
from tertulia.domain.setting_values import (
    Adjustable,
    ChannelId,
    ChosenFrom,
    FreeText,
    Language,
    Limit,
    Switch,
    ValueKind,
    WebPlace,
    Whole,
)
from tertulia.errors import BadRequest, ClientError

# What a changed setting also requires. `actions/organization/settings.py` does it.
Consequence = Literal["full members", "whom guests know"]


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
    told_in_dictionary: bool = False  # Compat: clients get some settings as parts of a dictionary
    is_markup: bool = False  # clients get its HTML too
    # What clients get in place of the value alone.
    derived: Callable[[Any], dict[str, Any]] | None = None
    follows: Consequence | None = None

    def told(self, value: Any) -> dict[str, Any]:
        """What clients get for it, by name."""
        return {self.name: value} if self.derived is None else self.derived(value)


def _bad_value(name: str, value: Any) -> ClientError:
    return BadRequest(f"Bad value for '{name}': {value}")


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
        told_in_dictionary=True,
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
            "Whether people may edit what they have written.",
            told_in_dictionary=True,
        ),
        OrganizationSetting(
            "authentication_methods",
            LoginMethods(),
            {"Email": True},
            "How people may log in, of the ways that the server offers; `Email` is an address and "
            "a password. What was never switched off is open.",
            owners_only=True,
            told_in_dictionary=True,
            derived=_login_methods,
        ),
        OrganizationSetting(
            "avatar_changes_disabled",
            _SWITCH,
            False,
            "Whether only administrators may change pictures of people.",
        ),
        OrganizationSetting(
            "default_avatar_source",
            ChosenFrom(("J", "G")),
            "J",
            "What stands for people without a picture: one drawn for them here (`J`) or the one "
            "that Gravatar has for their address (`G`).",
        ),
        OrganizationSetting(
            "default_code_block_language",
            FreeText(50),
            "",
            "The language of code blocks that name none.",
        ),
        OrganizationSetting(
            "default_language",
            Language(),
            "en",
            "The language of the organization; told to clients.",
            refusal=domain.setting_values.in_words("Invalid language '{value}'"),
        ),
        OrganizationSetting(
            "description",
            FreeText(1000),
            "",
            "What the organization is about; markup is understood.",
            told_in_dictionary=True,
            is_markup=True,
        ),
        OrganizationSetting(
            "digest_emails_enabled",
            _SWITCH,
            False,
            "Whether those who have not been here for days get a digest by mail, once a week.",
        ),
        OrganizationSetting(
            "digest_weekday",
            ChosenFrom(tuple(range(7))),
            1,
            "The day for digests, from Monday (0) to Sunday (6).",
        ),
        OrganizationSetting(
            "disallow_disposable_email_addresses",
            _SWITCH,
            True,
            "Whether throw-away addresses are unwanted.",
            owners_only=True,
        ),
        OrganizationSetting(
            "email_changes_disabled",
            _SWITCH,
            False,
            "Whether only administrators may change addresses of people.",
        ),
        OrganizationSetting(
            "emails_restricted_to_domains",
            _SWITCH,
            False,
            "Whether addresses must be in one of the organization's mail domains.",
            owners_only=True,
        ),
        OrganizationSetting(
            "enable_guest_user_dm_warning",
            _SWITCH,
            True,
            "Whether clients warn of writing to a guest.",
        ),
        OrganizationSetting(
            "enable_guest_user_indicator",
            _SWITCH,
            True,
            "Whether clients mark guests as such.",
        ),
        OrganizationSetting(
            "enable_read_receipts",
            _SWITCH,
            True,
            "Whether people can see who has read a message.",
        ),
        OrganizationSetting(
            "enable_spectator_access",
            _SWITCH,
            False,
            "Whether web-public channels can be read without an account, where the server "
            "allows them.",
        ),
        OrganizationSetting(
            "gif_rating_policy",
            ChosenFrom((0, 1, 2, 3, 4)),
            1,
            "Up to which rating clients offer animated pictures; 0 offers none.",
        ),
        OrganizationSetting(
            "inline_image_preview",
            _SWITCH,
            True,
            "Whether linked and uploaded pictures are shown in messages.",
        ),
        OrganizationSetting(
            "inline_url_embed_preview",
            _SWITCH,
            False,
            "Whether previews of linked pages are wanted; told to clients.",
        ),
        OrganizationSetting(
            "invite_required",
            _SWITCH,
            True,
            "Whether one needs to be invited to join.",
            owners_only=True,
        ),
        OrganizationSetting(
            "jitsi_server_url",
            WebPlace(domain.limits.WEB_ADDRESS_LENGTH),
            None,
            "The Jitsi server on which clients hold calls.",
        ),
        OrganizationSetting(
            "media_preview_size",
            ChosenFrom((100, 150, 200)),
            100,
            "How large clients show previews of pictures, in percent.",
        ),
        OrganizationSetting(
            "message_content_allowed_in_email_notifications",
            _SWITCH,
            True,
            "Whether mail about messages may hold their text; told to clients.",
        ),
        OrganizationSetting(
            "message_content_delete_limit_seconds",
            _SECONDS,
            600,
            "How long people may delete what they have written.",
            refusal=_bad_value,
        ),
        OrganizationSetting(
            "message_content_edit_limit_seconds",
            _SECONDS,
            600,
            "How long people may edit what they have written.",
            refusal=_bad_value,
            told_in_dictionary=True,
        ),
        OrganizationSetting(
            "message_edit_history_visibility_policy",
            ChosenFrom(("all", "moves", "none")),
            "all",
            "What people see of the past of a message: all of it, where it stood, or nothing.",
        ),
        OrganizationSetting(
            "message_retention_days",
            Limit("days", unlimited=FOREVER),
            FOREVER,
            "After how long messages are deleted, in channels that say nothing else.",
            refusal=_bad_value,
            owners_only=True,
        ),
        OrganizationSetting(
            "moderation_request_channel_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel in which reported messages are brought to the moderators.",
        ),
        OrganizationSetting(
            "move_messages_between_streams_limit_seconds",
            _SECONDS,
            604_800,
            "How long people may move messages to other channels.",
            refusal=_bad_value,
        ),
        OrganizationSetting(
            "move_messages_within_stream_limit_seconds",
            _SECONDS,
            604_800,
            "How long people may move messages to other topics.",
            refusal=_bad_value,
        ),
        OrganizationSetting(
            "name",
            FreeText(40, is_title=True),
            "",
            "The name of the organization.",
        ),
        OrganizationSetting(
            "name_changes_disabled",
            _SWITCH,
            False,
            "Whether only administrators may change names of people.",
        ),
        OrganizationSetting(
            "new_stream_announcements_stream_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel in which new channels are announced.",
        ),
        OrganizationSetting(
            "org_type",
            Whole(0, 1000),
            0,
            "The number of the kind of organization; told to clients.",
        ),
        OrganizationSetting(
            "owner_full_content_access",
            _SWITCH,
            False,
            "Whether owners may read all content; told to clients, opens nothing here.",
        ),
        OrganizationSetting(
            "presence_disabled",
            _SWITCH,
            False,
            "Whether nobody is told who is here.",
        ),
        OrganizationSetting(
            "require_e2ee_push_notifications",
            _SWITCH,
            False,
            "Whether push notifications must be encrypted throughout; told to clients.",
        ),
        OrganizationSetting(
            "require_second_factor",
            _SWITCH,
            False,
            "Whether a password needs a second factor: who has none sets one up at the next login."
            " Browsers and programs that are logged in stay so.",
            owners_only=True,
        ),
        OrganizationSetting(
            "require_unique_names",
            _SWITCH,
            False,
            "Whether no two people may have the same name.",
        ),
        OrganizationSetting(
            "send_channel_events_messages",
            _SWITCH,
            False,
            "Whether changes to a channel are told in it.",
        ),
        OrganizationSetting(
            "send_welcome_emails",
            _SWITCH,
            True,
            "Whether newcomers are welcomed by mail; told to clients, nothing is sent.",
        ),
        OrganizationSetting(
            "signup_announcements_stream_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel in which newcomers are announced.",
        ),
        OrganizationSetting(
            "topics_policy",
            ChosenFrom((ALLOW_EMPTY, DISABLE_EMPTY)),
            ALLOW_EMPTY,
            "Whether messages need a topic, in channels that say nothing else.",
            told_in_dictionary=True,
            derived=_topics_policy,
        ),
        OrganizationSetting(
            "video_chat_provider",
            ChosenFrom((0, 1, 4, 7)),
            1,
            "Where clients hold calls: nowhere (0), on a Jitsi server (1), on BigBlueButton (4) or"
            " on Nextcloud Talk (7), if the server is set up for these.",
        ),
        OrganizationSetting(
            "waiting_period_threshold",
            Whole(0, 36_500),
            0,
            "After how many days members become full members.",
            owners_only=True,
            follows="full members",
        ),
        OrganizationSetting(
            "want_advertise_in_communities_directory",
            _SWITCH,
            False,
            "Whether the organization wants to be listed among open communities; told to clients.",
        ),
        OrganizationSetting(
            "welcome_message_custom_text",
            FreeText(8000),
            "",
            "What newcomers are welcomed with.",
        ),
        OrganizationSetting(
            "zulip_update_announcements_stream_id",
            _CHANNEL,
            ChannelId.NONE,
            "The channel for news about the software; told to clients.",
        ),
        *map(_permission, REALM_PERMISSIONS.values()),
    )
}

DEFAULTS: dict[str, Any] = {
    setting.name: setting.default
    for setting in SETTINGS.values()
    if setting.name not in REALM_PERMISSIONS
}
