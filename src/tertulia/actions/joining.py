"""Joining an organization: an account, its key, its first channels, and the news of it.

Somebody new finds the default channels, with something in them to read. Where the organization has
a channel for that, the others are told who has joined.
"""

from dataclasses import dataclass

from pyroaring import BitMap64

from tertulia.actions import known_people, notices, rights
from tertulia.actions import subscriptions as subscription_actions
from tertulia.actions import users as user_actions
from tertulia.domain.keys import Vault
from tertulia.domain.notices import joined
from tertulia.domain.preferences import for_newcomers
from tertulia.domain.users import BotType, Role, User, checked_full_name
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone, Keepers
from tertulia.events.log import announce
from tertulia.events.types.bots import BotsAdded
from tertulia.events.types.groups import SystemMembersAdded
from tertulia.events.types.users import UserAdded
from tertulia.storage import channels, messages, realms, subscriptions, unread, users
from tertulia.storage.tx import Tx

UNREAD_AT_FIRST = 20
RECEIVED_AT_FIRST = 1000


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


def create(tx: Tx, actor: User, vault: Vault, new: NewUser) -> int:
    """Add somebody as an administrator does; gives their id."""
    rights.require_administrator(tx, actor)
    user_actions.check_welcome(tx, new.email.strip())
    user, _ = add(tx, vault, new)
    return user.id


def add(tx: Tx, vault: Vault, new: NewUser) -> tuple[User, str]:
    """Add a person or a bot; gives the account and its API key."""
    email = new.email.strip()
    user_actions.check_address(tx, email)
    full_name = checked_full_name(new.full_name)
    user_actions.check_name_is_free(tx, full_name)
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
    key = user_actions.give_key(tx, vault, user)
    unread.store(tx, user.id, BitMap64(), messages.newest_id(tx))

    announce(tx, UserAdded(user.id, known_people.strangers(tx, user.id)), to=Everyone())
    announce(
        tx, SystemMembersAdded(user_actions.system_group_ids(tx, user), user.id), to=Everyone()
    )
    if user.is_bot:
        announce(tx, BotsAdded([user.id]), to=Keepers(user.bot_owner_id))
    else:
        if not user.is_guest:
            _welcome(tx, user)
        _introduce(tx, user)
    return user, key


def _welcome(tx: Tx, user: User) -> None:
    """Subscribe somebody to the default channels; of what was said there, a little is unread."""
    defaults = channels.defaults(tx)
    subscription_actions.join_several(tx, defaults, [user])
    ids = [channel.id for channel in defaults]
    recent = messages.newest_in(tx, ids, RECEIVED_AT_FIRST) if ids else []
    if recent:
        subscriptions.extend_back(tx, user.id, ids, recent[-1] - 1)
        newest = messages.newest_id(tx)
        unread.store(tx, user.id, BitMap64(recent[:UNREAD_AT_FIRST]), newest)


def _introduce(tx: Tx, user: User) -> None:
    where = channels.find(tx, realms.current(tx).setting("signup_announcements_stream_id"))
    if where is not None and not where.archived:
        notices.post(tx, where, notices.SIGNUPS, joined(user), read_by=[user.id])


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
