"""Personal settings of a user, and the organization's defaults for new users."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import field

from tertulia import domain, events, storage
from tertulia.actions.groups import permissions
from tertulia.actions.people import email_change, known_people, users
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone, Users
from tertulia.events.types.event import Event
from tertulia.events.types.people.status import StatusChanged
from tertulia.events.types.personal.settings import (
    AddressChanged,
    SettingChanged,
    TimezoneChanged,
    UserSettingDefaultsChanged,
)


class SettingsChanges(msgspec.Struct, frozen=True):
    """The requested changes of an account; None keeps a value."""

    settings: dict[str, Any] = field(default_factory=dict)
    timezone: str | None = None
    full_name: str | None = None
    email: str | None = None
    password_hash: str | None = None
    session_id: int | None = None  # the current session, which survives a new password


class EmailConfirmation(msgspec.Struct, frozen=True):
    """What is needed to confirm a new address, if the server sends mail."""

    vault: Vault
    site: str


def change(
    tx: Tx, user: User, changes: SettingsChanges, confirming: EmailConfirmation | None = None
) -> None:
    """Checks everything before anything is stored. Only real changes produce events."""
    user = _present(tx, user)
    wanted = domain.personal.settings.checked(changes.settings)
    email = _checked_email(tx, user, changes.email, is_confirmed=confirming is None)
    full_name = _checked_name(tx, user, changes.full_name)

    _change_settings(tx, user, wanted)
    if changes.timezone is not None and changes.timezone != user.timezone:
        storage.people.users.update(tx, user.id, timezone=changes.timezone)
        events.log.announce(
            tx, SettingChanged(user.id, "timezone", changes.timezone), to=Users([user.id])
        )
        events.log.announce(
            tx,
            TimezoneChanged(user.id, changes.timezone),
            to=known_people.audience_knowing(tx, user.id),
        )
    if changes.password_hash is not None:
        users.set_password(tx, user.id, changes.password_hash, changes.session_id)
    if email is not None and confirming is not None:
        email_change.request(tx, confirming.vault, user, email, confirming.site)
    elif email is not None:
        users.change_address(tx, _present(tx, user), email)
    if full_name is not None:
        users.rename(tx, user, full_name)


def change_presence(tx: Tx, user: User, enabled: bool) -> None:
    """Show or hide the user's presence. The caller sends the event."""
    _store(tx, user, {"presence_enabled": enabled})


def check_may_change_for(tx: Tx, actor: User, user_ids: list[int]) -> None:
    """Raise unless the user may change the settings of these others."""
    permissions.require_administrator(tx, actor)
    if any(user.is_owner for user in storage.people.users.find_many(tx, user_ids)):
        permissions.require_owner(tx, actor)


def change_for(
    tx: Tx, actor: User, user_ids: list[int], settings: dict[str, Any], only_untouched: bool
) -> None:
    """Change settings of others; with `only_untouched`, only those that still have the default."""
    check_may_change_for(tx, actor, user_ids)
    wanted = domain.personal.settings.checked(settings)
    chosen = domain.personal.settings.defaults_for_new_users(
        storage.organization.realms.current(tx).settings
    )
    usual = domain.personal.settings.DEFAULTS | chosen
    for user in storage.people.users.find_many(tx, user_ids):
        theirs = {
            name: value
            for name, value in wanted.items()
            if not only_untouched or user.prefers(name) == usual[name]
        }
        _change_settings(tx, user, theirs)


def change_defaults_for_new_users(tx: Tx, settings: dict[str, Any]) -> None:
    """Change the organization's defaults for new users."""
    wanted = domain.personal.settings.checked(settings)
    known = domain.personal.settings.defaults_for_new_users(
        storage.organization.realms.current(tx).settings
    )
    changed = {
        name: value
        for name, value in wanted.items()
        if known.get(name, domain.personal.settings.DEFAULTS[name]) != value
    }
    if changed:
        storage.organization.realms.set_setting(
            tx, domain.personal.settings.REALM_KEY, known | changed
        )
    for name, value in changed.items():
        events.log.announce(tx, UserSettingDefaultsChanged(name, value), to=Everyone())


def _change_settings(tx: Tx, user: User, wanted: dict[str, Any]) -> None:
    for name, value in _store(tx, user, wanted).items():
        if name in _PUBLIC_SETTINGS:
            event = _PUBLIC_SETTINGS[name](user, value)
            events.log.announce(tx, event, to=known_people.audience_knowing(tx, user.id))


def _address_shown(user: User, visibility: int) -> Event:
    return AddressChanged(user.id, user.email, user.email, visibility, int(user.email_visibility))


_PUBLIC_SETTINGS: dict[str, Callable[[User, Any], Event]] = {
    "email_address_visibility": _address_shown,
    "presence_enabled": lambda user, value: StatusChanged(user.id, {"away": not value}),
}


def _store(tx: Tx, user: User, wanted: dict[str, Any]) -> dict[str, Any]:
    """Store settings and announce them to their owner. Returns those that changed."""
    changed = {name: value for name, value in wanted.items() if user.prefers(name) != value}
    if changed:
        storage.people.users.set_settings(tx, user.id, user.settings | changed)
    for name, value in changed.items():
        events.log.announce(tx, SettingChanged(user.id, name, value), to=Users([user.id]))
    return changed


def _present(tx: Tx, user: User) -> User:
    found = storage.people.users.find(tx, user.id)
    assert found is not None
    return found


def _checked_email(tx: Tx, user: User, email: str | None, *, is_confirmed: bool) -> str | None:
    """The new address; None if it does not change. Only administrators may set one without
    confirmation."""
    if email is None or email == user.email:
        return None
    email_change.check_allowed(tx, user)
    if is_confirmed and not user.is_admin:
        # It is unconfirmed, and the error would reveal which addresses exist.
        raise BadRequest(
            "Only administrators can change addresses in this organization.",
            problem="email-changes-by-administrators-only",
        )
    if not domain.people.user.looks_like_email(email):
        raise BadRequest("Invalid address.", problem="invalid-address")
    holder = storage.people.users.find_by_email(tx, email)
    if is_confirmed and holder is not None and holder.id != user.id:
        raise BadRequest("Already has an account.", problem="address-has-account")
    users.check_email_allowed(tx, email)
    return email


def _checked_name(tx: Tx, user: User, full_name: str | None) -> str | None:
    """The new name; None if it does not change."""
    if full_name is None or full_name.strip() == user.full_name:
        return None
    if (
        storage.organization.realms.current(tx).setting("name_changes_disabled")
        and not user.is_admin
    ):
        return None  # clients that do not offer it still send the name
    name = domain.people.user.checked_full_name(full_name)
    users.check_name_is_free(tx, name, user.id)
    return name
