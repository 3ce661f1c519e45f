"""Organization settings: changes by administrators and the command line.

`domain.organization.settings` defines the values, permissions and events.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from tertulia import events, storage
from tertulia.actions.channels import lookups
from tertulia.actions.groups import permissions
from tertulia.actions.messages import deletion
from tertulia.actions.people import known_people
from tertulia.actions.people.full_members import new_waiting_period
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import GroupValue, PermissionChange
from tertulia.domain.organization.settings import (
    SETTINGS,
    Consequence,
    LoginMethods,
    OrganizationSetting,
    PeopleNamed,
)
from tertulia.domain.people.user import User
from tertulia.domain.setting_values import ChannelId, ValueKind
from tertulia.errors import BadRequest
from tertulia.errors.authentication import AdministratorRequired, OwnerRequired
from tertulia.errors.channels import ChannelNotAccessible
from tertulia.events.audience import Everyone
from tertulia.events.types.organization.settings import RealmChanged, RealmSettingsChanged


def edit(
    tx: Tx,
    user: User | None,
    wanted: Mapping[str, Any],
    html: Mapping[str, str] | None = None,
    login_methods: Sequence[str] = ("Email",),
) -> dict[str, Any]:
    """Change settings, all or none. Returns those whose value changed.

    Without a user it is the server's operator, who may do what an owner may. `html` is the HTML of
    settings that are markup; `login_methods` are those that the server offers.
    """
    for name in wanted.keys() - SETTINGS.keys():
        raise BadRequest(f"{name} is not a setting of the organization")
    requested = [setting for setting in SETTINGS.values() if setting.name in wanted]
    user = _entitled(tx, user, requested)
    changed: dict[str, Any] = {}
    for setting in requested:
        value = setting.checked(wanted[setting.name])
        find = _LOOKUPS.get(type(setting.kind))
        if find is not None:
            value = find(tx, user, setting, value)
        if isinstance(setting.kind, LoginMethods):
            value = _all_methods(
                storage.organization.settings.present(tx, setting), value, login_methods
            )
        if value != storage.organization.settings.present(tx, setting):
            changed[setting.name] = value
            _change(tx, setting, value, html or {}, login_methods)
    return changed


def _entitled(tx: Tx, user: User | None, requested: list[OrganizationSetting]) -> User | None:
    if user is None:
        return None
    user = permissions.current_rights(tx, user)
    if not user.is_admin:
        raise AdministratorRequired()
    if not user.is_owner and any(setting.owners_only for setting in requested):
        raise OwnerRequired()
    return user


def _change(
    tx: Tx,
    setting: OrganizationSetting,
    value: Any,
    html: Mapping[str, str],
    login_methods: Sequence[str],
) -> None:
    consequence = nullcontext() if setting.follows is None else _FOLLOWS[setting.follows](tx, value)
    before = (
        {}
        if setting.follows is None
        else {setting.name: storage.organization.settings.present(tx, setting)}
    )
    after = dict.fromkeys(before, value)
    with consequence:
        if setting.name == "name":
            storage.organization.realms.rename(tx, value)
        else:
            storage.organization.realms.set_setting(tx, setting.name, value)
        if isinstance(setting.kind, LoginMethods):
            value = setting.kind.among(value, login_methods)
        fields = setting.wire_fields(value)
        if setting.is_markup:
            fields[f"rendered_{setting.name}"] = html[setting.name]
        if setting.in_dictionary:
            events.log.announce(tx, RealmSettingsChanged(fields, before, after), to=Everyone())
        else:
            for name, each in fields.items():
                events.log.announce(tx, RealmChanged(name, each, before, after), to=Everyone())


# --- values that must be looked up in this organization ---


def _find_channel(tx: Tx, user: User | None, setting: OrganizationSetting, channel_id: int) -> int:
    if channel_id == ChannelId.NONE:
        return channel_id
    if user is None:
        channel = storage.channels.table.find(tx, channel_id)
    else:
        channel = lookups.visible_to(tx, user, channel_id)
    if channel is None or channel.archived:
        raise ChannelNotAccessible()
    return channel_id


def _find_people(
    tx: Tx, user: User | None, setting: OrganizationSetting, change: PermissionChange
) -> GroupValue:
    assert isinstance(setting.kind, PeopleNamed)
    new = permissions.checked_value(tx, setting.kind.permission, change.new)
    permissions.check_expected(tx, change, storage.organization.settings.present(tx, setting))
    return new


_LOOKUPS: dict[type[ValueKind], Callable[[Tx, User | None, OrganizationSetting, Any], Any]] = {
    ChannelId: _find_channel,
    PeopleNamed: _find_people,
}


def _all_methods(
    before: dict[str, bool], wanted: dict[str, bool], offered: Sequence[str]
) -> dict[str, bool]:
    """The requested methods merged with the current ones. At least one that the server offers must
    stay enabled.

    JWT does not count, because the login page does not offer it.
    """
    for name in wanted:
        if name not in LoginMethods.KNOWN:
            raise BadRequest(f"Invalid authentication method: {name}")
    methods = before | wanted
    interactive = [name for name in offered if name != LoginMethods.TOKENS]
    if not any(LoginMethods().among(methods, interactive).values()):
        raise BadRequest(
            "At least one authentication method must be enabled.", problem="no-login-method-left"
        )
    return methods


# --- consequences of a change ---


@contextmanager
def _announcing_guest_visibility(tx: Tx, value: GroupValue) -> Iterator[None]:
    guests = storage.people.users.active_guests(tx)
    knew = known_people.known(tx, guests)
    yield
    known_people.announce_changes(tx, knew, known_people.known(tx, guests))


@contextmanager
def _shortening_grace(tx: Tx, days: int) -> Iterator[None]:
    yield
    deletion.shorten_grace(tx, days)


_FOLLOWS: dict[Consequence, Callable[[Tx, Any], AbstractContextManager[None]]] = {
    "full members": new_waiting_period,
    "kept messages": _shortening_grace,
    "whom guests know": _announcing_guest_visibility,
}
