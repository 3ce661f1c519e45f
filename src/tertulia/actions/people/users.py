"""Changes of an account: profile, deactivation, reactivation, API key.

`accounts` checks who may change whom. `account_creation` creates accounts.
"""

from collections.abc import Collection, Mapping

from tertulia import domain, events, storage
from tertulia.actions.groups.permissions import system_group_ids, without_inactive
from tertulia.actions.people import (
    agent_revocation,
    email_policy,
    known_people,
    pending_invitations,
    sessions,
)
from tertulia.actions.people.email_policy import Rejection
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import GroupValue, Members
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.one_time_links import ADDRESS, PASSWORD
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.people import (
    EmailTaken,
    InvalidEmail,
    LastOwner,
    UserIsDeactivated,
    UserNotFound,
)
from tertulia.events.audience import ChannelViewers, Everyone, NoClients
from tertulia.events.types.channels.channel import ChannelChanged
from tertulia.events.types.groups import GroupChanged, SystemMembersAdded
from tertulia.events.types.organization.settings import RealmSettingsChanged
from tertulia.events.types.people.user import KeyChanged, UserActivityChanged
from tertulia.events.types.personal.settings import AddressChanged, OwnNameChanged


def rename(tx: Tx, user: User, full_name: str) -> None:
    """Set a name that was checked."""
    if full_name != user.full_name:
        storage.people.users.update(tx, user.id, full_name=full_name)
        events.log.announce(
            tx,
            OwnNameChanged(user.id, full_name),
            to=known_people.audience_knowing(tx, user.id),
        )


def change_address(tx: Tx, user: User, email: str) -> None:
    """Set a real email address that was checked."""
    if email != user.email:
        storage.people.users.set_email(tx, user.id, email)
        _end_links(tx, user.id)  # they were sent to the old address, or confirm another one
        shown_to = int(user.email_visibility)
        event = AddressChanged(user.id, email, user.email, shown_to, shown_to)
        events.log.announce(tx, event, to=known_people.audience_knowing(tx, user.id))


def check_address(tx: Tx, email: str) -> None:
    """Raise if it is not an email address or is already in use."""
    if not domain.people.user.looks_like_email(email):
        raise InvalidEmail()
    if storage.people.users.find_by_email(tx, email) is not None:
        raise EmailTaken()


def check_email_allowed(tx: Tx, email: str) -> None:
    """Raise if the organization does not accept this email address."""
    against = email_policy.rejection_reason(tx, email)
    if against is Rejection.OUTSIDE:
        raise BadRequest(
            "Email '{email}' not allowed in this organization",
            problem="email-not-allowed",
            email=email,
        )
    if against is Rejection.DISPOSABLE:
        raise BadRequest(
            "Disposable email addresses are not allowed in this organization",
            problem="email-disposable",
        )
    if against is Rejection.PLUS:
        raise BadRequest(against.value)


def check_name_is_free(tx: Tx, full_name: str, user_id: int | None = None) -> None:
    """If names must be unique, raise if another user has this name."""
    if storage.organization.realms.current(tx).setting("require_unique_names") and (
        set(storage.people.users.names_in_use(tx, full_name)) - {user_id}
    ):
        raise BadRequest("Unique names required in this organization.", problem="name-not-unique")


def set_password(tx: Tx, user_id: int, password_hash: str, session_id: int | None = None) -> None:
    """Set a password and end all sessions except the given one.

    API keys and queues stay. One-time links and reply addresses become invalid.
    """
    storage.people.users.update(tx, user_id, password_hash=password_hash)
    _end_links(tx, user_id)
    storage.inbound_mail.delete_reply_addresses(tx, user_id)
    sessions.end_all(tx, user_id, session_id)


def _end_links(tx: Tx, user_id: int) -> None:
    for purpose in (PASSWORD, ADDRESS):
        storage.people.one_time_links.expire(tx, purpose, user_id)


# --- deactivation and reactivation ---


def deactivate(tx: Tx, user_id: int) -> None:
    """Deactivate an account and its bots. Their API keys and queues become invalid, and their
    agents end for good."""
    user = get(tx, user_id)
    if not user.is_active:
        raise UserIsDeactivated()
    if user.is_owner and storage.people.users.active_owner_ids(tx) == [user.id]:
        raise LastOwner(is_last_owner=True, entity="organization owner")
    bot_ids = [each.id for each in storage.people.users.active_bots_of(tx, user.id)]
    storage.people.users.set_active(tx, [*bot_ids, user.id], False)
    # A bot has none of these: it does not log in.
    sessions.end_all(tx, user.id)
    agent_revocation.end_all_of(tx, user.id)
    _end_links(tx, user.id)
    pending_invitations.end_of_inviter(tx, user.id)
    storage.queues.delete_of_users(tx, [*bot_ids, user.id])
    if bot_ids:
        ended = [UserActivityChanged(bot_id, False, unknown_to=[]) for bot_id in bot_ids]
        events.log.announce_all(tx, [(each, Everyone()) for each in ended])
    _announce_activity(tx, user, is_active=False)
    _announce_permissions_of(tx, [*bot_ids, user.id])


def reactivate(tx: Tx, user_id: int) -> None:
    """Reactivate an account with its channels and groups. Its bots stay as they are."""
    user = get(tx, user_id)
    if user.is_active:
        return
    storage.people.users.set_active(tx, [user.id], True)
    _announce_activity(tx, user, is_active=True)
    event = SystemMembersAdded(_all_group_ids(tx, user), user.id)
    events.log.announce(tx, event, to=known_people.audience_knowing(tx, user.id))
    _announce_permissions_of(tx, [user.id])


def reactivate_as_operator(tx: Tx, vault: Vault, user_id: int) -> bool:
    """Reactivate an account as the server's operator. Returns whether it has a new API key.

    A bot's owner knows its key. If the owner is deactivated, the bot gets a new key.
    """
    user = get(tx, user_id)
    owner = None if user.bot_owner_id is None else get(tx, user.bot_owner_id)
    needs_key = not user.is_active and owner is not None and not owner.is_active
    if needs_key:
        reset_key(tx, vault, user.id)
    reactivate(tx, user.id)
    return needs_key


def reset_key(tx: Tx, vault: Vault, user_id: int) -> str:
    """Create a new API key. The old one, its queues and the reply addresses become invalid at
    once."""
    user = get(tx, user_id)
    key = issue_key(tx, vault, user)
    storage.inbound_mail.delete_reply_addresses(tx, user.id)
    storage.queues.delete(tx, storage.queues.of_user(tx, user.id))
    events.log.announce(tx, KeyChanged(user.id), to=NoClients())
    return key


# --- lookups ---


def get(tx: Tx, user_id: int) -> User:
    user = storage.people.users.find(tx, user_id)
    if user is None:
        raise UserNotFound()
    return user


def get_by_email(tx: Tx, email: str) -> User:
    """By real email address; for operators, who may see every address."""
    user = storage.people.users.find_by_email(tx, email)
    if user is None:
        raise UserNotFound()
    return user


def _all_group_ids(tx: Tx, user: User) -> list[int]:
    """The groups that contain a user directly, including system groups."""
    listing = storage.groups.Memberships(tx, [user]).listing(user.id)
    return sorted([*system_group_ids(tx, [user])[user.id], *listing])


def _announce_activity(tx: Tx, user: User, *, is_active: bool) -> None:
    event = UserActivityChanged(
        user.id,
        is_active,
        unknown_to=known_people.hidden_people(tx, user.id),
    )
    events.log.announce(tx, event, to=Everyone())


def issue_key(tx: Tx, vault: Vault, user: User) -> str:
    key = domain.people.keys.new_key()
    storage.people.users.set_key(tx, user.id, vault.fingerprint(key), vault.seal(key))
    return key


def _announce_permissions_of(tx: Tx, user_ids: Collection[int]) -> None:
    """Announce the permissions that name one of the users, as clients see them now.

    Clients do not see deactivated users in a permission. The stored value keeps them for a
    reactivation.
    """
    users = set(user_ids)
    for channel in storage.channels.table.list_all(tx):
        changes = _naming(tx, users, channel.permissions)
        if changes:
            updates = [{"property": name, "value": value} for name, value in changes.items()]
            events.log.announce(
                tx, ChannelChanged(channel.id, channel.name, updates), to=ChannelViewers(channel.id)
            )
    for group in storage.groups.list_without_members(tx):
        changes = _naming(tx, users, group.permissions)
        if changes:
            events.log.announce(
                tx, GroupChanged(group.id, changes, group.deactivated), to=Everyone()
            )
    changes = _naming(tx, users, storage.organization.realms.current(tx).permissions())
    if changes:
        events.log.announce(tx, RealmSettingsChanged(changes), to=Everyone())


def _naming(
    tx: Tx, user_ids: set[int], permissions: Mapping[str, GroupValue]
) -> dict[str, GroupValue]:
    return {
        name: without_inactive(tx, value)
        for name, value in permissions.items()
        if isinstance(value, Members) and not user_ids.isdisjoint(value.direct_members)
    }
