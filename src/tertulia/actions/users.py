"""Accounts: adding people and bots, changing and ending accounts, replacing keys.

What is done to an account is here, whoever does it; who may do it to whom is in `accounts`.
"""

from dataclasses import dataclass

from pyroaring import BitMap64

from tertulia.actions import acquaintance, newcomers
from tertulia.actions.naming import renamed_in_permissions
from tertulia.domain.groups import direct_system_groups
from tertulia.domain.keys import Vault, new_key
from tertulia.domain.preferences import for_newcomers
from tertulia.domain.users import BotType, Role, User, checked_full_name, looks_like_email
from tertulia.errors import (
    BadRequest,
    EmailTaken,
    InvalidEmail,
    LastOwner,
    NameNotUnique,
    UserIsDeactivated,
    UserNotFound,
)
from tertulia.events.audience import Everyone, Keepers, Nobody
from tertulia.events.log import announce
from tertulia.events.types.bots import BotsAdded
from tertulia.events.types.groups import SystemMembersAdded
from tertulia.events.types.settings import AddressChanged, OwnNameChanged
from tertulia.events.types.users import KeyChanged, UserActivityChanged, UserAdded
from tertulia.storage import groups, messages, profiles, queues, realms, unread, users
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class NewUser:
    """Somebody who is to have an account. A bot's owner is named by id or by real address."""

    email: str
    full_name: str
    role: Role = Role.MEMBER
    password_hash: str | None = None
    bot_type: BotType | None = None
    bot_owner_email: str | None = None
    bot_owner_id: int | None = None


def add(tx: Tx, vault: Vault, new: NewUser) -> tuple[User, str]:
    """Add a person or a bot; gives the account and its API key."""
    email = new.email.strip()
    check_address(tx, email)
    full_name = checked_full_name(new.full_name)
    check_name_is_free(tx, full_name)
    user = users.insert(
        tx,
        email=email,
        full_name=full_name,
        role=new.role,
        bot_type=new.bot_type,
        bot_owner_id=_owner_id(tx, new),
        password_hash=new.password_hash,
        settings=None if new.bot_type else for_newcomers(realms.current(tx).settings),
        avatar_source=realms.current(tx).setting("default_avatar_source"),
    )
    key = _give_key(tx, vault, user)
    unread.store(tx, user.id, BitMap64(), messages.newest_id(tx))

    announce(tx, UserAdded(user.id, acquaintance.strangers(tx, user.id)), to=Everyone())
    announce(tx, SystemMembersAdded(system_group_ids(tx, user), user.id), to=Everyone())
    if user.is_bot:
        announce(tx, BotsAdded([user.id]), to=Keepers(user.bot_owner_id))
    else:
        if not user.is_guest:
            newcomers.welcome(tx, user)
        newcomers.introduce(tx, user)
    return user, key


# --- changing ---


def rename(tx: Tx, user: User, full_name: str) -> None:
    """Give somebody a name that was checked; nothing happens if it is the present one."""
    if full_name != user.full_name:
        profiles.set_full_name(tx, user.id, full_name)
        announce(tx, OwnNameChanged(user.id, full_name), to=acquaintance.knowing(tx, user.id))


def change_address(tx: Tx, user: User, email: str) -> None:
    """Give somebody a real address that was checked."""
    if email != user.email:
        profiles.set_email(tx, user.id, email)
        shown_to = int(user.email_visibility)
        event = AddressChanged(user.id, email, user.email, shown_to, shown_to)
        announce(tx, event, to=acquaintance.knowing(tx, user.id))


def check_address(tx: Tx, email: str) -> None:
    """Raises for what is no address, or somebody's already."""
    if not looks_like_email(email):
        raise InvalidEmail()
    if users.find_by_email(tx, email) is not None:
        raise EmailTaken()


def check_name_is_free(tx: Tx, full_name: str, user_id: int | None = None) -> None:
    """Where names have to be unique, raises for one that somebody else has."""
    if realms.current(tx).setting("require_unique_names") and (
        set(users.names_in_use(tx, full_name)) - {user_id}
    ):
        raise NameNotUnique()


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
        renamed_in_permissions(tx, each.id)


def reactivate(tx: Tx, user_id: int) -> None:
    """Open an ended account again, with its channels and groups; its bots stay as they are."""
    user = get(tx, user_id)
    if user.is_active:
        return
    users.set_active(tx, user.id, True)
    _tell_of_activity(tx, user, is_active=True)
    announce(tx, SystemMembersAdded(_all_group_ids(tx, user), user.id), to=Everyone())
    renamed_in_permissions(tx, user.id)


def reset_key(tx: Tx, vault: Vault, user_id: int) -> str:
    """Give a new key; the old one and the queues it opened end at once."""
    user = get(tx, user_id)
    key = _give_key(tx, vault, user)
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
    return sorted([*system_group_ids(tx, user), *groups.listing(tx, user.id)])


def _tell_of_activity(tx: Tx, user: User, *, is_active: bool) -> None:
    event = UserActivityChanged(
        user.id,
        is_active,
        unknown_to=acquaintance.strangers(tx, user.id),
        group_ids=_all_group_ids(tx, user),
    )
    announce(tx, event, to=Everyone())


def _give_key(tx: Tx, vault: Vault, user: User) -> str:
    key = new_key()
    users.set_key(tx, user.id, vault.fingerprint(key), vault.seal(key))
    return key


def _owner_id(tx: Tx, new: NewUser) -> int | None:
    if new.bot_owner_id is not None:
        owner = users.find(tx, new.bot_owner_id)
    elif new.bot_owner_email is not None:
        owner = users.find_by_email(tx, new.bot_owner_email)
    else:
        return None
    if owner is None or owner.is_bot or not owner.is_active:
        named = new.bot_owner_email or new.bot_owner_id
        raise BadRequest(f"The owner of a bot must be an active person: {named}")
    return owner.id
