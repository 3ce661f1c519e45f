"""What is done to an account, whoever does it: changed, ended, opened again, given a new key.

Who may do it to whom is in `accounts`; how one comes into being, in `joining`.
"""

from collections.abc import Mapping

from tertulia.actions import known_people, rights
from tertulia.domain.groups import GroupValue, Members, direct_system_groups
from tertulia.domain.keys import Vault, new_key
from tertulia.domain.mail_domains import RESTRICTION, is_welcome
from tertulia.domain.users import User, looks_like_email
from tertulia.errors import BadRequest
from tertulia.errors.people import (
    EmailTaken,
    InvalidEmail,
    LastOwner,
    UserIsDeactivated,
    UserNotFound,
)
from tertulia.events.audience import Everyone, Nobody, Watchers
from tertulia.events.log import announce
from tertulia.events.types.channels import ChannelChanged
from tertulia.events.types.groups import GroupChanged, SystemMembersAdded
from tertulia.events.types.realms import RealmChangedTogether
from tertulia.events.types.settings import AddressChanged, OwnNameChanged
from tertulia.events.types.users import KeyChanged, UserActivityChanged
from tertulia.storage import channels, groups, mail_domains, profiles, queues, realms, users
from tertulia.storage.tx import Tx


def rename(tx: Tx, user: User, full_name: str) -> None:
    """Give somebody a name that was checked; nothing happens if it is the present one."""
    if full_name != user.full_name:
        profiles.set_full_name(tx, user.id, full_name)
        announce(tx, OwnNameChanged(user.id, full_name), to=known_people.knowing(tx, user.id))


def change_address(tx: Tx, user: User, email: str) -> None:
    """Give somebody a real address that was checked."""
    if email != user.email:
        profiles.set_email(tx, user.id, email)
        shown_to = int(user.email_visibility)
        event = AddressChanged(user.id, email, user.email, shown_to, shown_to)
        announce(tx, event, to=known_people.knowing(tx, user.id))


def check_address(tx: Tx, email: str) -> None:
    """Raises for what is no address, or somebody's already."""
    if not looks_like_email(email):
        raise InvalidEmail()
    if users.find_by_email(tx, email) is not None:
        raise EmailTaken()


def check_welcome(tx: Tx, email: str) -> None:
    """Raises for an address that the organization does not want among its own."""
    if realms.current(tx).setting(RESTRICTION) and not is_welcome(
        email, mail_domains.everything(tx)
    ):
        raise BadRequest(f"Email '{email}' not allowed in this organization")


def check_name_is_free(tx: Tx, full_name: str, user_id: int | None = None) -> None:
    """Where names have to be unique, raises for one that somebody else has."""
    if realms.current(tx).setting("require_unique_names") and (
        set(users.names_in_use(tx, full_name)) - {user_id}
    ):
        raise BadRequest("Unique names required in this organization.")


def set_password(tx: Tx, user_id: int, password_hash: str) -> None:
    """Give somebody a password; nobody is told, and keys and queues stay."""
    profiles.set_password_hash(tx, user_id, password_hash)


# --- ending and beginning again ---


def deactivate(tx: Tx, user_id: int) -> None:
    """End an account and its bots: their keys stop working and their queues are gone."""
    user = get(tx, user_id)
    if not user.is_active:
        raise UserIsDeactivated()
    if user.is_owner and users.active_owner_ids(tx) == [user.id]:
        raise LastOwner(is_last_owner=True, entity="organization owner")
    for each in [*users.active_bots_of(tx, user.id), user]:
        users.set_active(tx, each.id, False)
        queues.delete(tx, queues.of_user(tx, each.id))
        _tell_of_activity(tx, each, is_active=False)
        _tell_permissions_of(tx, each.id)


def reactivate(tx: Tx, user_id: int) -> None:
    """Open an ended account again, with its channels and groups; its bots stay as they are."""
    user = get(tx, user_id)
    if user.is_active:
        return
    users.set_active(tx, user.id, True)
    _tell_of_activity(tx, user, is_active=True)
    announce(tx, SystemMembersAdded(_all_group_ids(tx, user), user.id), to=Everyone())
    _tell_permissions_of(tx, user.id)


def reset_key(tx: Tx, vault: Vault, user_id: int) -> str:
    """Give a new key; the old one and the queues it opened end at once."""
    user = get(tx, user_id)
    key = give_key(tx, vault, user)
    queues.delete(tx, queues.of_user(tx, user.id))
    announce(tx, KeyChanged(user.id), to=Nobody())
    return key


# --- finding ---


def get(tx: Tx, user_id: int) -> User:
    user = users.find(tx, user_id)
    if user is None:
        raise UserNotFound()
    return user


def get_by_email(tx: Tx, email: str) -> User:
    """By real address; for operators, who may see every address."""
    user = users.find_by_email(tx, email)
    if user is None:
        raise UserNotFound()
    return user


def system_group_ids(tx: Tx, user: User) -> list[int]:
    """The system groups that list somebody, the one of their role first."""
    waiting = realms.current(tx).setting("waiting_period_threshold")
    ids = groups.system_ids(tx)
    return [ids[name] for name in direct_system_groups(user, waiting, tx.now)]


def _all_group_ids(tx: Tx, user: User) -> list[int]:
    """The groups that list somebody, those that follow from their role included."""
    listing = groups.Memberships(tx, [user]).listing(user.id)
    return sorted([*system_group_ids(tx, user), *listing])


def _tell_of_activity(tx: Tx, user: User, *, is_active: bool) -> None:
    event = UserActivityChanged(
        user.id,
        is_active,
        unknown_to=known_people.strangers(tx, user.id),
        group_ids=_all_group_ids(tx, user),
    )
    announce(tx, event, to=Everyone())


def give_key(tx: Tx, vault: Vault, user: User) -> str:
    key = new_key()
    users.set_key(tx, user.id, vault.fingerprint(key), vault.seal(key))
    return key


def _tell_permissions_of(tx: Tx, user_id: int) -> None:
    """Tell the permissions that name somebody as clients see them now.

    Clients are never shown a deactivated person in a permission. The stored value keeps them, so
    that everything is as it was when they come back.
    """
    for channel in channels.everything(tx):
        told = _naming(tx, user_id, channel.permissions)
        if told:
            updates = [{"property": name, "value": value} for name, value in told.items()]
            announce(tx, ChannelChanged(channel.id, channel.name, updates), to=Watchers(channel.id))
    for group in groups.everything(tx):
        told = _naming(tx, user_id, group.permissions)
        if told:
            announce(tx, GroupChanged(group.id, told, group.deactivated), to=Everyone())
    told = _naming(tx, user_id, realms.current(tx).permissions())
    if told:
        announce(tx, RealmChangedTogether(told), to=Everyone())


def _naming(tx: Tx, user_id: int, permissions: Mapping[str, GroupValue]) -> dict[str, GroupValue]:
    return {
        name: rights.without_inactive(tx, value)
        for name, value in permissions.items()
        if isinstance(value, Members) and user_id in value.direct_members
    }
