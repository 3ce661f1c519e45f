"""Accounts: changes by administrators and by users themselves, with permission checks."""

from collections.abc import Sequence

import msgspec

from tertulia import domain, storage
from tertulia.actions import outbox
from tertulia.actions.groups import permissions
from tertulia.actions.people import bots, profiles, roles, users
from tertulia.actions.people.profiles import FieldChange
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import Role, User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import InsufficientPermission, OwnerRequired
from tertulia.errors.people import LastOwner, UserNotFound


class AccountChanges(msgspec.Struct, frozen=True):
    """The changes that an administrator requests; None keeps a value."""

    full_name: str | None = None
    role: Role | None = None
    email: str | None = None
    profile: Sequence[FieldChange] = ()


def edit(tx: Tx, actor: User, user_id: int, changes: AccountChanges) -> None:
    """Apply all changes to a user's account, or none."""
    actor = _administrator(tx, actor)
    user = _any_user(tx, user_id)
    if changes.role is not None and changes.role != user.role:
        roles.check(actor, user, changes.role)
        roles.change(tx, user, changes.role)
    full_name = (changes.full_name or "").strip()
    if full_name and full_name != user.full_name:
        full_name = domain.people.user.checked_full_name(full_name)
        users.check_name_is_free(tx, full_name, user.id)
        users.rename(tx, user, full_name)
    if changes.email is not None and changes.email.strip() != user.email:
        if user.is_owner and not actor.is_owner:
            raise OwnerRequired()  # an email address gives access to an account
        _change_address(tx, user, changes.email.strip())
    if changes.profile:
        if user.is_bot:
            raise BadRequest("Bots have no custom profile fields.")
        profiles.change(tx, actor, user.id, changes.profile)


def deactivate(tx: Tx, actor: User, user_id: int, vault: Vault, comment: str | None = None) -> None:
    """Deactivate a user's account. A comment, even an empty one, makes the server notify them by
    mail."""
    actor = _administrator(tx, actor)
    user = _any_user(tx, user_id)
    if user.is_bot:
        raise UserNotFound()
    if user.is_owner and not actor.is_owner:
        raise OwnerRequired()
    users.deactivate(tx, user.id)
    if comment is not None:
        values = {
            "organization": storage.organization.realms.current(tx).name,
            "name": user.full_name,
            "comment": comment.strip(),
        }
        mail = Email("deactivated", user.email, domain.emails.language_of(user), values)
        outbox.enqueue_mail(tx, vault, mail)


def deactivate_self(tx: Tx, actor: User) -> None:
    """Deactivate one's own account. The last user cannot."""
    actor = permissions.current_rights(tx, actor)
    if not actor.is_owner and storage.people.users.is_only_person(tx, actor.id):
        raise LastOwner(is_last_owner=False, entity="user")
    users.deactivate(tx, actor.id)


def reactivate(tx: Tx, actor: User, vault: Vault, user_id: int) -> None:
    """Administrators may reactivate all but owners, users their own bots.

    A bot whose owner is deactivated is transferred to the acting user.
    """
    actor = permissions.current_rights(tx, actor)
    user = storage.people.users.find(tx, user_id)
    if not actor.is_admin and (user is None or user.bot_owner_id != actor.id):
        raise InsufficientPermission()
    user = _any_user(tx, user_id)
    if user.is_owner and not actor.is_owner:
        raise OwnerRequired()
    owner = None if user.bot_owner_id is None else storage.people.users.find(tx, user.bot_owner_id)
    if not user.is_active and owner is not None and not owner.is_active:
        bots.transfer_ownership(tx, vault, actor, user)
    users.reactivate(tx, user.id)


def renew_key(tx: Tx, actor: User, vault: Vault) -> str:
    """Create a new API key for oneself. The old one and its queues become invalid at once."""
    return users.reset_key(tx, vault, permissions.current_rights(tx, actor).id)


def _administrator(tx: Tx, actor: User) -> User:
    """Checked before any lookup, so that others learn nothing about existing users."""
    actor = permissions.current_rights(tx, actor)
    if not actor.is_admin:
        raise InsufficientPermission()
    return actor


def _any_user(tx: Tx, user_id: int) -> User:
    """Any user of the organization, including bots and deactivated users."""
    user = storage.people.users.find(tx, user_id)
    if user is None or user.is_system_bot:
        raise UserNotFound()
    return user


def _change_address(tx: Tx, user: User, email: str) -> None:
    holder = storage.people.users.find_by_email(tx, email)
    if holder is None or holder.id != user.id:
        users.check_address(tx, email)
    if not user.is_bot:
        users.check_email_allowed(tx, email)
    users.change_address(tx, user, email)
