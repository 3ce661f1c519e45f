"""Bots: created by users, and managed by their owners and administrators."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from tertulia import domain, events, storage
from tertulia.actions.channels import lookups
from tertulia.actions.groups import permissions
from tertulia.actions.people import account_creation, avatars, roles, users
from tertulia.database.tx import Tx
from tertulia.domain.files.picture import Avatar
from tertulia.domain.people.bots import USUAL_INTERFACE, Bot
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import BotType, NewUser, Role, User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import AdministratorRequired, InsufficientPermission
from tertulia.errors.channels import ChannelNameNotFound
from tertulia.errors.parameters import TooMany
from tertulia.errors.people import BotNotFound
from tertulia.events.audience import BotManagers, Everyone, Users
from tertulia.events.types.organization.legal_holds import LegalHoldsChanged
from tertulia.events.types.people.bots import (
    BotChanged,
    BotOwnerChanged,
    BotOwnersChanged,
    BotsAdded,
)

# The names of a bot's properties in events.
_WIRE_NAMES = {
    "sending_channel_id": "default_sending_stream",
    "listening_channel_id": "default_events_register_stream",
    "all_public_channels": "default_all_public_streams",
    "service": "services",
}


class Defaults(msgspec.Struct, frozen=True):
    """A bot's default channels. None keeps a value, "" clears a channel."""

    sending: str | None = None
    listening: str | None = None
    all_public: bool | None = None


class NewBot(msgspec.Struct, frozen=True):
    full_name: str
    short_name: str
    bot_type: BotType
    service_url: str
    interface: int
    defaults: Defaults
    config: Mapping[str, str]
    avatar: Avatar | None = None


class BotChanges(msgspec.Struct, frozen=True):
    """The requested changes of a bot; None keeps a value."""

    full_name: str | None
    role: Role | None
    owner_id: int | None
    service_url: str | None
    interface: int | None
    defaults: Defaults
    config: Mapping[str, str] | None
    avatar: Avatar | None = None


def create(tx: Tx, vault: Vault, creator: User, new: NewBot, email_domain: str) -> tuple[User, str]:
    """Create a bot owned by its creator. Returns the account and its API key."""
    creator = permissions.current_rights(tx, creator)
    _require_creation(tx, creator, new.bot_type)
    full_name = domain.people.user.checked_full_name(new.full_name)
    email = domain.people.bots.bot_email(new.short_name, email_domain)
    _check_count(tx, creator)
    _check_name(tx, full_name)
    wanted = NewUser(email, full_name, bot_type=new.bot_type, bot_owner_id=creator.id)
    account, key = account_creation.add(tx, vault, wanted)
    bot = _with_defaults(tx, creator, Bot(account.id, config=dict(new.config)), new.defaults)
    if new.bot_type == BotType.OUTGOING_WEBHOOK:
        bot = replace(bot, service=domain.people.bots.new_service(new.service_url, new.interface))
    storage.people.bots.save(tx, bot)
    if new.avatar is not None:
        avatars.set_avatar(tx, account.id, new.avatar)
    return account, key


def edit(tx: Tx, vault: Vault, user: User, bot_id: int, changes: BotChanges) -> None:
    """Apply all changes to a bot, or none.

    A bot reads and posts in the channels of its owner. So the caller needs permission to read its
    key to give it another owner or another address. A change of owner replaces the key. It keeps
    the key if the new owner could read it before, and the caller can still read it afterwards.
    """
    user = permissions.current_rights(tx, user)
    account = managed_by(tx, user, bot_id)
    if changes.full_name is not None:
        _rename(tx, account, changes.full_name)
    if changes.role is not None:
        _change_role(tx, user, account, changes.role)
    if changes.owner_id is not None:
        account = _change_owner(tx, vault, user, account, changes.owner_id)
    if changes.avatar is not None:
        avatars.set_avatar(tx, account.id, changes.avatar)
    before = storage.people.bots.find(tx, bot_id)
    after = _with_defaults(tx, user, before, changes.defaults)
    after = _with_service(account, after, changes)
    if changes.config is not None:
        after = replace(after, config=dict(changes.config))
    if after.service != before.service:
        _require_key(tx, user, account)
    if after != before:
        storage.people.bots.save(tx, after)
    for part, name in _WIRE_NAMES.items():
        if getattr(after, part) != getattr(before, part):
            events.log.announce(tx, BotChanged(bot_id, name), to=BotManagers(account.bot_owner_id))


def transfer_ownership(tx: Tx, vault: Vault, user: User, account: User) -> None:
    """Take over a bot whose owner is deactivated. Its key is replaced, because the owner may
    still have it."""
    _require_key(tx, user, account)
    _set_owner(tx, account, user.id)
    users.reset_key(tx, vault, account.id)


def deactivate(tx: Tx, user: User, bot_id: int) -> None:
    """Deactivate a bot. No effect if it is deactivated."""
    account = managed_by(tx, permissions.current_rights(tx, user), bot_id)
    if account.is_active:
        users.deactivate(tx, account.id)


def usable_by(tx: Tx, user: User, bot_id: int) -> User:
    """An active bot in whose name the user may send, because they may read its key."""
    account = _with_key_for(tx, user, bot_id)
    if not account.is_active:
        raise BotNotFound()
    return account


def sealed_key(tx: Tx, user: User, bot_id: int) -> bytes:
    account = _with_key_for(tx, user, bot_id)
    sealed = storage.people.users.sealed_key(tx, account.id)
    assert sealed is not None
    return sealed


def reset_key(tx: Tx, vault: Vault, user: User, bot_id: int) -> str:
    """Create a new key for a bot. The old one and its queues become invalid at once."""
    return users.reset_key(tx, vault, _with_key_for(tx, user, bot_id).id)


def managed_by(tx: Tx, user: User, bot_id: int) -> User:
    """A bot that a user may manage: its owner or an administrator.

    Administrators may not manage a bot with the role of an owner.
    """
    account = storage.people.users.find(tx, bot_id)
    if account is None or not account.is_bot or account.is_system_bot:
        raise BotNotFound()
    if not _may_manage(user, account):
        raise InsufficientPermission()
    return account


def _may_manage(user: User, account: User) -> bool:
    if account.bot_owner_id == user.id:
        return True
    return user.is_admin and (user.is_owner or not account.is_owner)


def _with_key_for(tx: Tx, user: User, bot_id: int) -> User:
    """A bot whose key the user may read."""
    user = permissions.current_rights(tx, user)
    account = managed_by(tx, user, bot_id)
    _require_key(tx, user, account)
    return account


def _require_key(tx: Tx, user: User, account: User) -> None:
    if not _may_have_key(tx, user, account):
        raise InsufficientPermission()


def _may_have_key(tx: Tx, user: User, account: User) -> bool:
    """A bot's key gives its holder the bot's permissions, including those of its owner."""
    if user.is_owner or account.bot_owner_id in (user.id, None):
        return True
    owner = storage.people.users.find(tx, account.bot_owner_id)
    return user.is_admin and owner is not None and not owner.is_owner


def channel_renamed(tx: Tx, channel_id: int) -> None:
    """Announce the new name of a channel to managers of bots that use it."""
    for bot in storage.people.bots.using(tx, channel_id):
        account = storage.people.users.find(tx, bot.user_id)
        assert account is not None
        for part in ("sending_channel_id", "listening_channel_id"):
            if getattr(bot, part) == channel_id:
                event = BotChanged(bot.user_id, _WIRE_NAMES[part])
                events.log.announce(tx, event, to=BotManagers(account.bot_owner_id))


def _require_creation(tx: Tx, creator: User, bot_type: BotType) -> None:
    if permissions.has_realm_permission(tx, creator, "can_create_bots_group"):
        return
    if bot_type != BotType.INCOMING_WEBHOOK:
        raise InsufficientPermission()
    permissions.require_in_realm(tx, creator, "can_create_write_only_bots_group")


def _check_count(tx: Tx, owner: User) -> None:
    if len(storage.people.bots.ids_of_owners(tx, [owner.id])) >= domain.limits.MAX_BOTS:
        raise TooMany("bots", domain.limits.MAX_BOTS)


def _check_name(tx: Tx, full_name: str) -> None:
    if storage.people.bots.is_name_in_use(tx, full_name):
        raise BadRequest("Name is already in use.", problem="name-taken")


def _rename(tx: Tx, account: User, full_name: str) -> None:
    full_name = domain.people.user.checked_full_name(full_name)
    if full_name == account.full_name:
        return
    _check_name(tx, full_name)
    users.check_name_is_free(tx, full_name, account.id)
    users.rename(tx, account, full_name)


def _change_role(tx: Tx, user: User, account: User, role: Role) -> None:
    if not user.is_admin:
        raise AdministratorRequired()
    roles.check(user, account, role)
    roles.change(tx, account, role)


def _change_owner(tx: Tx, vault: Vault, user: User, account: User, owner_id: int) -> User:
    """Transfer a bot, with a new key if the old one would get a new reader."""
    if owner_id == account.bot_owner_id:
        return account
    _require_key(tx, user, account)
    given = _set_owner(tx, account, owner_id)
    owner = users.get(tx, owner_id)
    keeps_key = _can_read_key(tx, user, given) and _can_read_key(tx, owner, account)
    if not keeps_key:
        users.reset_key(tx, vault, account.id)
    return given


def _can_read_key(tx: Tx, user: User, account: User) -> bool:
    return _may_manage(user, account) and _may_have_key(tx, user, account)


def _set_owner(tx: Tx, account: User, owner_id: int) -> User:
    """Set the owner of a bot. Returns the changed account."""
    owner = storage.people.users.find(tx, owner_id)
    if owner is None or owner.is_system_bot:
        raise BadRequest("Failed to change owner, no such user", problem="bot-owner-invalid")
    if not owner.is_active:
        raise BadRequest("Failed to change owner, user is deactivated", problem="bot-owner-invalid")
    if owner.is_bot:
        raise BadRequest(
            "Failed to change owner, bots can't own other bots", problem="bot-owner-invalid"
        )
    if owner.is_guest:
        raise BadRequest(
            "Failed to change owner, guests can't own bots", problem="bot-owner-invalid"
        )
    if owner.id == account.bot_owner_id:
        return account
    _check_count(tx, owner)
    former = (
        None
        if account.bot_owner_id is None
        else storage.people.users.find(tx, account.bot_owner_id)
    )
    storage.people.bots.set_owner(tx, account.id, owner.id)
    if storage.organization.legal_holds.extend_to_bot(tx, account):
        owner_ids = storage.people.users.active_owner_ids(tx)
        events.log.announce(tx, LegalHoldsChanged(), to=Users(owner_ids))
    events.log.announce(tx, BotOwnerChanged(account.id, owner.id), to=Everyone())
    if former is not None and not former.is_admin:
        events.log.announce(tx, BotOwnersChanged([account.id]), to=Users([former.id]))
    if not owner.is_admin:
        events.log.announce(tx, BotsAdded([account.id]), to=Users([owner.id]))
    return replace(account, bot_owner_id=owner.id)


def _with_defaults(tx: Tx, user: User, bot: Bot, wanted: Defaults) -> Bot:
    if wanted.sending is not None:
        bot = replace(bot, sending_channel_id=_channel_id(tx, user, wanted.sending))
    if wanted.listening is not None:
        bot = replace(bot, listening_channel_id=_channel_id(tx, user, wanted.listening))
    if wanted.all_public is not None:
        bot = replace(bot, all_public_channels=wanted.all_public)
    return bot


def _channel_id(tx: Tx, user: User, name: str) -> int | None:
    if not name.strip():
        return None
    channel = storage.channels.table.find_by_name(tx, name)
    if channel is None or channel.archived or not lookups.may_read(tx, user, channel):
        raise ChannelNameNotFound(name=name)
    return channel.id


def _with_service(account: User, bot: Bot, changes: BotChanges) -> Bot:
    if changes.service_url is None and changes.interface is None:
        return bot
    if account.bot_type != BotType.OUTGOING_WEBHOOK:
        if changes.service_url is None:
            return bot  # Compat: clients send the interface with other changes
        raise BadRequest("Only outgoing webhook bots are called at an address.")
    service = bot.service or domain.people.bots.new_service("", USUAL_INTERFACE)
    if changes.service_url is not None:
        service = replace(service, url=changes.service_url)
    if changes.interface is not None:
        service = replace(service, interface=changes.interface)
    return replace(bot, service=service)
