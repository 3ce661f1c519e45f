"""Accounts: adding people and bots, ending accounts, replacing keys."""

from dataclasses import dataclass

from pyroaring import BitMap64

from tertulia.actions import newcomers
from tertulia.domain.groups import direct_system_groups
from tertulia.domain.keys import Vault, new_key
from tertulia.domain.preferences import for_newcomers
from tertulia.domain.users import BotType, Role, User, checked_full_name, looks_like_email
from tertulia.errors import BadRequest, EmailTaken, LastOwner, UserIsDeactivated, UserNotFound
from tertulia.events.audience import Everyone, Nobody
from tertulia.events.log import announce
from tertulia.events.types.groups import SystemMembersAdded
from tertulia.events.types.users import KeyChanged, UserActivityChanged, UserAdded
from tertulia.storage import groups, messages, queues, realms, unread, users
from tertulia.storage.tx import Tx


@dataclass(frozen=True, slots=True)
class NewUser:
    email: str
    full_name: str
    role: Role = Role.MEMBER
    password_hash: str | None = None
    bot_type: BotType | None = None
    bot_owner_email: str | None = None


def add(tx: Tx, vault: Vault, new: NewUser) -> tuple[User, str]:
    """Add a person or a bot; gives the account and its API key."""
    if not looks_like_email(new.email):
        raise BadRequest("Enter a valid email address.")
    if users.find_by_email(tx, new.email) is not None:
        raise EmailTaken()
    user = users.insert(
        tx,
        email=new.email,
        full_name=checked_full_name(new.full_name),
        role=new.role,
        bot_type=new.bot_type,
        bot_owner_id=_owner_id(tx, new),
        password_hash=new.password_hash,
        settings=None if new.bot_type else for_newcomers(realms.current(tx).settings),
    )
    key = _give_key(tx, vault, user)
    unread.store(tx, user.id, BitMap64(), messages.newest_id(tx))

    announce(tx, UserAdded(user.id), to=Everyone())
    waiting = realms.current(tx).setting("waiting_period_threshold")
    ids = groups.system_ids(tx)
    group_ids = [ids[name] for name in direct_system_groups(user, waiting, tx.now)]
    announce(tx, SystemMembersAdded(group_ids, user.id), to=Everyone())
    if not user.is_bot and not user.is_guest:
        newcomers.welcome(tx, user)
    return user, key


def deactivate(tx: Tx, user_id: int) -> None:
    """End an account: its key stops working and its queues are gone."""
    user = get(tx, user_id)
    if not user.is_active:
        raise UserIsDeactivated()
    if user.is_owner and users.active_owner_ids(tx) == [user.id]:
        raise LastOwner(is_last_owner=True, entity="organization owner")
    users.set_active(tx, user.id, False)
    queues.delete(tx, queues.of_user(tx, user.id))
    announce(tx, UserActivityChanged(user.id, False), to=Everyone())


def reset_key(tx: Tx, vault: Vault, user_id: int) -> str:
    """Give a new key; the old one and the queues it opened end at once."""
    user = get(tx, user_id)
    key = _give_key(tx, vault, user)
    queues.delete(tx, queues.of_user(tx, user.id))
    announce(tx, KeyChanged(user.id), to=Nobody())
    return key


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


def _give_key(tx: Tx, vault: Vault, user: User) -> str:
    key = new_key()
    users.set_key(tx, user.id, vault.fingerprint(key), vault.seal(key))
    return key


def _owner_id(tx: Tx, new: NewUser) -> int | None:
    if new.bot_owner_email is None:
        return None
    owner = users.find_by_email(tx, new.bot_owner_email)
    if owner is None or owner.is_bot or not owner.is_active:
        raise BadRequest(f"The owner of a bot must be an active person: {new.bot_owner_email}")
    return owner.id
