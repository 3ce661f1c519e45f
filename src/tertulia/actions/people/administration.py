"""What administrators do with accounts of others: facts, sessions, API keys and roles."""

from collections.abc import Collection, Sequence

import msgspec

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.sessions import LIFE_SECONDS, Session
from tertulia.domain.people.user import Role, User
from tertulia.errors.authentication import OwnerRequired
from tertulia.errors.people import UserNotFound
from tertulia.storage.messages.expired import ExpiredMessages
from tertulia.storage.people.account_facts import AccountFacts


class AccountDetails(msgspec.Struct, frozen=True):
    facts: AccountFacts
    sessions: Sequence[Session]
    space_used: int  # with the user's bots, as the quota counts
    sent: ExpiredMessages  # what an erasure with messages would delete


def facts(tx: Tx, actor: User, user_ids: Collection[int] | None = None) -> dict[int, AccountFacts]:
    """The facts about some accounts, or about all."""
    actions.groups.permissions.require_administrator(tx, actor)
    return storage.people.account_facts.of_users(tx, tx.now - LIFE_SECONDS, user_ids)


def details(tx: Tx, actor: User, user_id: int) -> AccountDetails:
    user = _account(tx, actor, user_id)
    found = storage.people.account_facts.of_users(tx, tx.now - LIFE_SECONDS, [user.id])
    return AccountDetails(
        found.get(user.id, AccountFacts()),
        actions.people.sessions.of_user(tx, user),
        storage.files.attachments.space_used_by(tx, user.person),
        storage.messages.expired.by_sender(tx, user.id),
    )


def end_sessions(tx: Tx, actor: User, user_id: int) -> None:
    """Log a user out of all browsers."""
    actions.people.sessions.end_all(tx, _changeable(tx, actor, user_id).id)


def renew_key(tx: Tx, actor: User, vault: Vault, user_id: int) -> None:
    """End the access of a user's programs: agents, and those with the API key, which is replaced.

    The user alone can fetch the new key.
    """
    user = _changeable(tx, actor, user_id)
    if user.is_bot or not user.is_active:
        raise UserNotFound()
    actions.people.reset_key(tx, vault, user.id)
    actions.people.agent_revocation.end_all_of(tx, user.id)


def change_roles(tx: Tx, actor: User, user_ids: Sequence[int], role: Role) -> None:
    """Give several users a role: all of them, or none."""
    actor = _administrator(tx, actor)
    people = storage.people.find_many(tx, list(user_ids))
    if len(people) < len(set(user_ids)) or any(user.is_bot for user in people):
        raise UserNotFound()
    for user in people:
        if role != user.role:
            actions.people.roles.check(actor, user, role)
    actions.people.roles.change_many(tx, people, role)


def _administrator(tx: Tx, actor: User) -> User:
    actions.groups.permissions.require_administrator(tx, actor)
    return actions.groups.permissions.current_rights(tx, actor)


def _account(tx: Tx, actor: User, user_id: int) -> User:
    """Any account of the organization, including bots and deactivated ones."""
    _administrator(tx, actor)
    user = storage.people.find(tx, user_id)
    if user is None or user.is_system_bot:
        raise UserNotFound()
    return user


def _changeable(tx: Tx, actor: User, user_id: int) -> User:
    """An account whose access the actor may end: that of an owner only if they are one."""
    user = _account(tx, actor, user_id)
    if user.is_owner and not _administrator(tx, actor).is_owner:
        raise OwnerRequired()
    return user
