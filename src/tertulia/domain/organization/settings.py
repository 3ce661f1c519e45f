"""The settings of an organization: one table with everything about each of them.

The table defines the parameters of `PATCH /realm` and their rules, who may change a setting,
`tertulia org set` and `org settings`, the events, the `realm_*` keys of `/register`, the forms of
the page and `docs/organization-settings.md`. Permissions are settings too; their rules are in
`groups.REALM_PERMISSIONS`. The catalogue has the label, `org.NAME`, the help, `help.NAME`, and the
names of values, `choice.NAME.VALUE`.
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
    Heading,
    Language,
    Limit,
    ServerUrl,
    Switch,
    ValueKind,
    Whole,
    english,
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
    clients_only: bool = False  # the server stores it and does not use it
    in_dictionary: bool = False  # Compat: clients get some settings as parts of a dictionary
    is_markup: bool = False  # clients get its HTML too
    # What clients get in place of the value alone.
    derived: Callable[[Any], dict[str, Any]] | None = None
    follows: Consequence | None = None

    @property
    def meaning(self) -> str:
        words = f"{english(f'org.{self.name}')}. {english(f'help.{self.name}')}"
        note = " Only for clients." if self.clients_only else ""
        return f"{words}{self._values('choice')}{note}"

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
        Heading("organization-permissions", rule.heading),
        PeopleNamed(rule),
        rule.default,
        owners_only=rule.owners_only,
        clients_only=rule.clients_only,
        in_dictionary=True,
        follows="whom guests know" if rule.name == "can_access_all_users_group" else None,
    )


_SWITCH = Switch()
_SECONDS = Limit("seconds", unlimited=None)
_CHANNEL = ChannelId()

# The headings of the page, by section.
_IDENTITY = Heading("organization-profile", "identity")
_WRITING = Heading("organization-settings", "writing")
_TOPICS = Heading("organization-settings", "topics")
_PRIVACY = Heading("organization-settings", "privacy")
_CALLS = Heading("organization-settings", "calls")
_MAIL = Heading("organization-settings", "mail")
_WELCOME = Heading("organization-settings", "welcome")
_ANNOUNCEMENTS = Heading("organization-settings", "announcements")
_PEOPLE = Heading("organization-settings", "people")
_VISITORS = Heading("organization-settings", "visitors")
_LOGIN = Heading("auth-methods", "login")
_JOINING = Heading("auth-methods", "joining")
# Our page shows these collapsed, because it does not use them.
_PROFILE_ELSEWHERE = Heading("organization-profile", "other-clients")
_SETTINGS_ELSEWHERE = Heading("organization-settings", "other-clients")

# Events of changes made together have this order.
SETTINGS: dict[str, OrganizationSetting] = {
    setting.name: setting
    for setting in (
        OrganizationSetting(
            "name", _IDENTITY, FreeText(MAX_NAME_LENGTH, is_title=True), "", refusal=_bad_name
        ),
        OrganizationSetting(
            "description", _IDENTITY, FreeText(1000), "", in_dictionary=True, is_markup=True
        ),
        OrganizationSetting(
            "default_language",
            _IDENTITY,
            Language(),
            "en",
            refusal=refusal_with_value("Invalid language '{value}'"),
        ),
        OrganizationSetting("org_type", _PROFILE_ELSEWHERE, Whole(0, 1000), 0, clients_only=True),
        OrganizationSetting(
            "want_advertise_in_communities_directory",
            _PROFILE_ELSEWHERE,
            _SWITCH,
            False,
            clients_only=True,
        ),
        OrganizationSetting("allow_message_editing", _WRITING, _SWITCH, True, in_dictionary=True),
        OrganizationSetting(
            "message_content_edit_limit_seconds",
            _WRITING,
            _SECONDS,
            600,
            refusal=_bad_value,
            in_dictionary=True,
        ),
        OrganizationSetting(
            "message_content_delete_limit_seconds", _WRITING, _SECONDS, 600, refusal=_bad_value
        ),
        OrganizationSetting(
            "message_edit_history_visibility_policy",
            _WRITING,
            ChosenFrom(("all", "moves", "none")),
            "all",
        ),
        OrganizationSetting("inline_image_preview", _WRITING, _SWITCH, True),
        OrganizationSetting("inline_url_embed_preview", _WRITING, _SWITCH, False),
        OrganizationSetting(
            "media_preview_size",
            _SETTINGS_ELSEWHERE,
            ChosenFrom((100, 150, 200), note=" percent"),
            100,
            clients_only=True,
        ),
        OrganizationSetting(
            "gif_rating_policy",
            _SETTINGS_ELSEWHERE,
            ChosenFrom((0, 1, 2, 3, 4)),
            1,
            clients_only=True,
        ),
        OrganizationSetting("default_code_block_language", _WRITING, FreeText(50), ""),
        OrganizationSetting(
            "topics_policy",
            _TOPICS,
            ChosenFrom((ALLOW_EMPTY, DISABLE_EMPTY)),
            ALLOW_EMPTY,
            in_dictionary=True,
            derived=_topics_policy,
        ),
        OrganizationSetting(
            "move_messages_within_stream_limit_seconds",
            _TOPICS,
            _SECONDS,
            604_800,
            refusal=_bad_value,
        ),
        OrganizationSetting(
            "move_messages_between_streams_limit_seconds",
            _TOPICS,
            _SECONDS,
            604_800,
            refusal=_bad_value,
        ),
        OrganizationSetting("send_channel_events_messages", _TOPICS, _SWITCH, False),
        OrganizationSetting("enable_read_receipts", _PRIVACY, _SWITCH, True),
        OrganizationSetting("presence_disabled", _PRIVACY, _SWITCH, False),
        OrganizationSetting("enable_topic_summaries", _PRIVACY, _SWITCH, False, owners_only=True),
        OrganizationSetting(
            "message_retention_days",
            _PRIVACY,
            Limit("days", unlimited=FOREVER),
            FOREVER,
            refusal=_bad_value,
            owners_only=True,
        ),
        OrganizationSetting(
            "deleted_message_grace_days",
            _PRIVACY,
            Whole(0, MAX_DAYS),
            0,
            owners_only=True,
            follows="kept messages",
        ),
        OrganizationSetting("owner_full_content_access", _PRIVACY, _SWITCH, False),
        OrganizationSetting("video_chat_provider", _CALLS, ChosenFrom((0, 1, 4, 7)), 1),
        OrganizationSetting("jitsi_server_url", _CALLS, ServerUrl(MAX_WEB_ADDRESS_LENGTH), None),
        OrganizationSetting("max_call_people", _CALLS, ChosenFrom((0, 2, 3, 4, 5, 6, 7, 8)), 5),
        OrganizationSetting("calls_relay_only", _CALLS, _SWITCH, False),
        OrganizationSetting("digest_emails_enabled", _MAIL, _SWITCH, False),
        OrganizationSetting(
            "digest_weekday", _MAIL, ChosenFrom(tuple(range(7)), note=" (0 is Monday)"), 1
        ),
        OrganizationSetting("message_content_allowed_in_email_notifications", _MAIL, _SWITCH, True),
        OrganizationSetting("require_e2ee_push_notifications", _MAIL, _SWITCH, False),
        OrganizationSetting("push_servers_allowed", _MAIL, _SWITCH, True),
        OrganizationSetting(
            "send_welcome_emails", _SETTINGS_ELSEWHERE, _SWITCH, True, clients_only=True
        ),
        OrganizationSetting("welcome_message_custom_text", _WELCOME, FreeText(8000), ""),
        OrganizationSetting(
            "new_stream_announcements_stream_id", _ANNOUNCEMENTS, _CHANNEL, ChannelId.NONE
        ),
        OrganizationSetting(
            "signup_announcements_stream_id", _ANNOUNCEMENTS, _CHANNEL, ChannelId.NONE
        ),
        OrganizationSetting(
            "moderation_request_channel_id", _ANNOUNCEMENTS, _CHANNEL, ChannelId.NONE
        ),
        OrganizationSetting(
            "zulip_update_announcements_stream_id",
            _SETTINGS_ELSEWHERE,
            _CHANNEL,
            ChannelId.NONE,
            clients_only=True,
        ),
        OrganizationSetting("name_changes_disabled", _PEOPLE, _SWITCH, False),
        OrganizationSetting("email_changes_disabled", _PEOPLE, _SWITCH, False),
        OrganizationSetting("avatar_changes_disabled", _PEOPLE, _SWITCH, False),
        OrganizationSetting("require_unique_names", _PEOPLE, _SWITCH, False),
        OrganizationSetting("default_avatar_source", _PEOPLE, ChosenFrom(("J", "G")), "J"),
        OrganizationSetting(
            "enable_guest_user_indicator", _PEOPLE, _SWITCH, True, clients_only=True
        ),
        OrganizationSetting(
            "enable_guest_user_dm_warning", _SETTINGS_ELSEWHERE, _SWITCH, True, clients_only=True
        ),
        OrganizationSetting("enable_agent_access", _PEOPLE, _SWITCH, False, owners_only=True),
        OrganizationSetting("enable_spectator_access", _VISITORS, _SWITCH, False),
        OrganizationSetting("enable_public_pages", _VISITORS, _SWITCH, True),
        OrganizationSetting(
            "authentication_methods",
            _LOGIN,
            LoginMethods(),
            {"Email": True},
            owners_only=True,
            in_dictionary=True,
            derived=_login_methods,
        ),
        OrganizationSetting("require_second_factor", _LOGIN, _SWITCH, False, owners_only=True),
        OrganizationSetting("invite_required", _JOINING, _SWITCH, True, owners_only=True),
        OrganizationSetting(
            "waiting_period_threshold",
            _JOINING,
            Whole(0, 36_500),
            0,
            owners_only=True,
            follows="full members",
        ),
        OrganizationSetting(
            "emails_restricted_to_domains", _JOINING, _SWITCH, False, owners_only=True
        ),
        OrganizationSetting(
            "disallow_disposable_email_addresses", _JOINING, _SWITCH, True, owners_only=True
        ),
        *map(_permission, REALM_PERMISSIONS.values()),
    )
}

DEFAULTS: dict[str, Any] = {
    setting.name: setting.default
    for setting in SETTINGS.values()
    if setting.name not in REALM_PERMISSIONS
}
