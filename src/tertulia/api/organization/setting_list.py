"""The organization's settings with what a form needs: kind, value, default and limits."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from tertulia import domain, events
from tertulia.api.call import Call
from tertulia.config import Config
from tertulia.domain.groups.group import Permission
from tertulia.domain.organization.settings import (
    SETTINGS,
    LoginMethods,
    OrganizationSetting,
    PeopleNamed,
)
from tertulia.domain.personal.settings import PREFERENCES
from tertulia.domain.setting_values import (
    Adjustable,
    ChannelId,
    ChosenFrom,
    DailyHours,
    FreeText,
    Language,
    Limit,
    ServerUrl,
    Switch,
    ValueKind,
    Whole,
)
from tertulia.events.directory.organization import Organization
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import SettingName

KINDS: dict[type[ValueKind], str] = {
    Switch: "switch",
    ChosenFrom: "choice",
    Language: "choice",
    Whole: "number",
    Limit: "limit",
    FreeText: "text",
    ServerUrl: "url",
    DailyHours: "hours",
    ChannelId: "channel",
    LoginMethods: "login_methods",
    PeopleNamed: "permission",
}


class SettingObject(msgspec.Struct, kw_only=True):
    """One setting. A value without limit and the default URL are null."""

    name: SettingName
    section: Annotated[
        str | None, Doc("The section of our page that shows it; null if none shows it.")
    ]
    heading: Annotated[str | None, Doc("Its heading there. Settings have the order of the page.")]
    kind: Annotated[
        str,
        Doc(
            "The kind of value: `switch`, `choice`, `number`, `limit`, `text`, `url`,"
            " `hours`, `channel`, `login_methods` or `permission`."
        ),
    ]
    value: Annotated[Any, Doc("The value.")]
    default: Annotated[Any, Doc("The value where the organization has chosen none.")]
    meaning: Annotated[str, Doc("One sentence about it.")]
    owners_only: Annotated[bool, Doc("Whether only owners may change it.")] = False
    can_change: Annotated[bool, Doc("Whether the caller may change it.")]
    choices: Annotated[list[int | str], Doc("The possible values, if there are only a few.")] = (
        msgspec.field(default_factory=list)
    )
    minimum: Annotated[int | None, Doc("The smallest number; null if there is no limit.")] = None
    maximum: Annotated[
        int | None, Doc("The largest number or the greatest length; null if there is no limit.")
    ] = None
    unit: Annotated[str | None, Doc("What a limit counts: `seconds` or `days`.")] = None
    fixed_by: Annotated[
        str | None,
        Doc("The setting of the server that decides instead; null if the organization decides."),
    ] = None
    missing: Annotated[
        dict[str, str],
        Doc(
            "Values that the server does not offer, and the setting of the server that each needs."
        ),
    ] = msgspec.field(default_factory=dict)


class SettingList(Reply):
    settings: Annotated[list[SettingObject], Doc("The settings of the organization.")]
    user_settings_defaults: Annotated[
        list[SettingObject], Doc("The personal settings of new users.")
    ]


async def list_settings(call: Call) -> SettingList:
    """List the settings of the organization and the defaults of new users, with their limits."""
    offered = call.config.login_methods(call.org.realm.subdomain)
    chosen = domain.personal.settings.defaults_for_new_users(call.org.realm.settings)
    return SettingList(
        settings=[_described(call, setting, offered) for setting in SETTINGS.values()],
        user_settings_defaults=[
            _limited(
                _new_object(
                    setting,
                    value=chosen.get(setting.name, setting.default),
                    can_change=call.user.is_admin,
                ),
                setting,
            )
            for setting in PREFERENCES.values()
        ],
    )


def _described(call: Call, setting: OrganizationSetting, offered: tuple[str, ...]) -> SettingObject:
    fixed_by = fixed_by_server(call.config, setting.name)
    may_change = call.user.is_owner if setting.owners_only else call.user.is_admin
    shown = _new_object(setting, value=None, can_change=may_change and fixed_by is None)
    shown.owners_only, shown.fixed_by = setting.owners_only, fixed_by
    kind = setting.kind
    if isinstance(kind, PeopleNamed):
        value = call.org.realm_permission(setting.name)
        shown.value = events.types.channels.channel.shown_value(call.org, value)
        shown.default = call.org.system_ids[kind.permission.default]
        shown.choices = [*_groups(call.org, kind.permission)]
    else:
        shown.value = call.org.realm.setting(setting.name)
    if isinstance(kind, LoginMethods):
        shown.value = kind.among(shown.value, offered)
        shown.default = dict.fromkeys(offered, True)
        shown.choices = list(offered)
        shown.missing = {name: TABLES[name] for name in LoginMethods.KNOWN if name not in offered}
    if setting.name == "video_chat_provider":
        shown.missing = {
            str(number): needed
            for number, needed in CALL_SETTINGS.items()
            if number not in call.config.call_providers
        }
    return _limited(shown, setting)


def _new_object(setting: Adjustable, value: Any, can_change: bool) -> SettingObject:
    section, heading = setting.heading or (None, None)
    return SettingObject(
        name=setting.name,
        section=section,
        heading=heading,
        kind=KINDS[type(setting.kind)],
        value=value,
        default=setting.default,
        meaning=setting.meaning,
        can_change=can_change,
    )


def _limited(shown: SettingObject, setting: Adjustable) -> SettingObject:
    kind = setting.kind
    if isinstance(kind, ChosenFrom):
        shown.choices = [each for each in kind.values if str(each) not in shown.missing]
    elif isinstance(kind, Whole):
        shown.minimum, shown.maximum = kind.minimum, kind.maximum
    elif isinstance(kind, Limit):
        shown.minimum, shown.unit = 1, kind.unit
        shown.value = None if shown.value == kind.unlimited else shown.value
        shown.default = None if shown.default == kind.unlimited else shown.default
    elif isinstance(kind, FreeText | ServerUrl):
        shown.maximum = kind.max_length
    return shown


def _groups(org: Organization, permission: Permission) -> list[int]:
    """The groups that a permission can be given to."""
    if permission.allowed:
        return [org.system_ids[name] for name in permission.allowed]
    excluded = {"role:internet", *permission.refused}
    if not permission.everyone:
        excluded.add("role:everyone")
    if not permission.nobody:
        excluded.add("role:nobody")
    return [
        group.id
        for group in org.groups.values()
        if not group.deactivated and not (group.is_system and group.name in excluded)
    ]


# Where the server's settings decide: the setting that an operator would have to change, by the
# organization's setting, and whether it leaves the choice to the organization.
SERVER_DECIDES: dict[str, tuple[str, Callable[[Config], bool]]] = {
    "digest_emails_enabled": ("smtp_host", lambda config: config.sends_mail),
    "digest_weekday": ("smtp_host", lambda config: config.sends_mail),
    "enable_public_pages": (
        "web_public_streams_enabled",
        lambda config: config.web_public_streams_enabled,
    ),
    "enable_spectator_access": (
        "web_public_streams_enabled",
        lambda config: config.web_public_streams_enabled,
    ),
    "can_create_web_public_channel_group": (
        "web_public_streams_enabled",
        lambda config: config.web_public_streams_enabled,
    ),
    "message_content_allowed_in_email_notifications": (
        "smtp_host",
        lambda config: config.sends_mail,
    ),
    "require_e2ee_push_notifications": ("push_service_url", lambda config: config.pushes),
}

# The tables and settings of the server that offer a login method or a provider of calls.
TABLES = {
    "Email": "email",
    "LDAP": "[[ldap]]",
    "RemoteUser": "[[remote_user]]",
    "GitHub": "[[openid]]",
    "GitLab": "[[openid]]",
    "Google": "[[openid]]",
    "OpenID Connect": "[[openid]]",
    "SAML": "[[saml]]",
    "JWT": "[[jwt]]",
}
CALL_SETTINGS = {4: "bigbluebutton_url", 7: "nextcloud_url"}


def fixed_by_server(config: Config, name: str) -> str | None:
    """The server's setting without which a setting of the organization has no effect."""
    setting, is_open = SERVER_DECIDES.get(name, ("", lambda config: True))
    return None if is_open(config) else setting
