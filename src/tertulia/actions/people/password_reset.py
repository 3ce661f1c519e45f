"""Password reset: a link with which a user chooses a new password.

The link is sent by mail, or handed over by an administrator. A request by mail does not reveal
whether an account exists: only the address learns that.
"""

from collections.abc import Collection

from tertulia import domain, storage
from tertulia.actions import outbox
from tertulia.actions.groups import permissions
from tertulia.actions.people import one_time_links, users
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.one_time_links import PASSWORD, OneTimeLink
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import LinkInvalid, OwnerRequired
from tertulia.errors.people import UserIsDeactivated, UserNotFound


def request(
    tx: Tx,
    vault: Vault,
    email: str,
    requested_from: str,
    site: str,
    directories: Collection[str] = (),
) -> None:
    """Send a mail to the address, whether or not it has an account. Raises RateLimited.

    A user whose password is in one of the directories gets a mail that says so.
    """
    one_time_links.check_rate_of_address(tx, PASSWORD, email, requested_from)
    realm = storage.organization.realms.current(tx)
    user = storage.people.users.find_by_email(tx, email)
    if user is None or user.is_bot or not user.is_active:
        one_time_links.record_request_without_account(tx, PASSWORD, email, requested_from)
        mail = Email(
            "password-unknown",
            email,
            domain.emails.language_in(realm),
            {"organization": realm.name, "site": site, "address": email},
        )
    elif storage.people.identities.providers_of(tx, user.id) & {*directories}:
        one_time_links.record_request_without_account(tx, PASSWORD, email, requested_from)
        mail = Email(
            "password-elsewhere",
            user.email,
            domain.emails.language_of(user),
            {"organization": realm.name, "name": user.full_name},
        )
    else:
        key = one_time_links.create(
            tx, vault, PASSWORD, email=email, user_id=user.id, requested_from=requested_from
        )
        mail = Email(
            "password-reset",
            user.email,
            domain.emails.language_of(user),
            {"organization": realm.name, "name": user.full_name, "link": address(site, key)},
        )
    outbox.enqueue_mail(tx, vault, mail)


def create_link(
    tx: Tx, vault: Vault, actor: User | None, user_id: int, directories: Collection[str] = ()
) -> str:
    """Create a link to hand over to a user; `actor` is None for the operator. Returns its key.

    Raises if the user's password is in one of the directories.
    """
    user = _get_user(tx, actor, user_id, directories)
    requested_from = "" if actor is None else domain.people.one_time_links.requested_by(actor.id)
    return one_time_links.create(
        tx, vault, PASSWORD, email=user.email, user_id=user.id, requested_from=requested_from
    )


def invalidate(
    tx: Tx,
    vault: Vault,
    actor: User | None,
    user_id: int,
    site: str | None,
    directories: Collection[str] = (),
) -> bool:
    """Invalidate a user's password and end their sessions. Returns whether they had one.

    They get a link by mail; `site` is None if no mail is sent.
    """
    user = _get_user(tx, actor, user_id, directories)
    password_hash = storage.people.users.password_hash(tx, user.id)
    if password_hash is None:
        return False
    users.set_password(tx, user.id, domain.people.passwords.ended(password_hash))
    if site is not None:
        key = create_link(tx, vault, None, user.id)
        values = {
            "organization": storage.organization.realms.current(tx).name,
            "name": user.full_name,
        }
        values |= {"link": address(site, key), "site": site}
        mail = Email("password-ended", user.email, domain.emails.language_of(user), values)
        outbox.enqueue_mail(tx, vault, mail)
    return True


def _get_user(tx: Tx, actor: User | None, user_id: int, directories: Collection[str]) -> User:
    """A user whose password is stored here, and whom the actor may help."""
    user = storage.people.users.find(tx, user_id)
    if actor is not None:
        permissions.require_administrator(tx, actor)
    if user is None or user.is_system_bot:
        raise UserNotFound()
    if user.is_bot:
        raise BadRequest(
            "A bot logs in with its key and has no password.", problem="bot-has-no-password"
        )
    if not user.is_active:
        raise UserIsDeactivated()
    if actor is not None and not _may_help(actor, user):
        raise OwnerRequired()
    check_is_local(tx, user, directories)
    return user


def check_is_local(tx: Tx, user: User, directories: Collection[str]) -> None:
    """Raise BadRequest if the user's password is in one of the directories."""
    if storage.people.identities.providers_of(tx, user.id).intersection(directories):
        raise BadRequest(
            "The password of {email} is kept in LDAP, and changed there.",
            problem="password-of-user-in-ldap",
            email=user.full_name,
        )


def owner_of(tx: Tx, vault: Vault, key: str) -> User:
    """The user whose password a link resets. Raises LinkInvalid."""
    link = one_time_links.get(tx, vault, PASSWORD, key)
    user = None if link.user_id is None else storage.people.users.find(tx, link.user_id)
    if user is None or not user.is_active or not _actor_may_still_help(tx, link, user):
        raise LinkInvalid()
    return user


def set_password(tx: Tx, vault: Vault, key: str, password_hash: str, renew_key: bool) -> User:
    """Set the new password of a link's user and end all their sessions."""
    user = owner_of(tx, vault, key)
    users.set_password(tx, user.id, password_hash)
    if renew_key:
        users.reset_key(tx, vault, user.id)
    return user


def address(site: str, key: str) -> str:
    """The URL of a link."""
    return f"{site}/accounts/password/reset/{key}/"


def _actor_may_still_help(tx: Tx, link: OneTimeLink, user: User) -> bool:
    """Whether the administrator who made the link could still make it.

    Otherwise they could keep it after losing their role, or until its user is an owner.
    """
    maker_id = link.maker_id()
    if maker_id is None:
        return True
    maker = storage.people.users.find(tx, maker_id)
    return maker is not None and maker.is_active and maker.is_admin and _may_help(maker, user)


def _may_help(actor: User, user: User) -> bool:
    """A link gives access to an account, so only owners make one for an owner."""
    return actor.is_owner or not user.is_owner
