"""Change of an email address, confirmed by a link sent to the new address.

Only that address learns whether another account uses it.
"""

from tertulia import domain, storage
from tertulia.actions import outbox
from tertulia.actions.people import one_time_links, users
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.one_time_links import ADDRESS
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import LinkInvalid


def request(tx: Tx, vault: Vault, user: User, email: str, site: str) -> None:
    """Send a confirmation to a new address. Raises RateLimited."""
    one_time_links.check_rate_of_user(tx, ADDRESS, user.id)
    realm = storage.organization.realms.current(tx)
    key = one_time_links.create(tx, vault, ADDRESS, email=email, user_id=user.id)
    values = {"organization": realm.name, "name": user.full_name, "address": email}
    holder = storage.people.users.find_by_email(tx, email)
    if holder is None or holder.id == user.id:
        link = f"{site}/accounts/confirm_new_email/{key}"
        mail = Email(
            "address-confirm", email, domain.emails.language_of(user), {**values, "link": link}
        )
    else:
        mail = Email("address-taken", email, domain.emails.language_in(realm), values)
    outbox.enqueue_mail(tx, vault, mail)


def check_allowed(tx: Tx, user: User) -> None:
    """Raise if only administrators may change addresses in the organization."""
    if (
        storage.organization.realms.current(tx).setting("email_changes_disabled")
        and not user.is_admin
    ):
        raise BadRequest(
            "Email address changes are disabled in this organization.",
            problem="email-changes-disabled",
        )


def new_address(tx: Tx, vault: Vault, key: str) -> str:
    """The address that a link confirms. Raises LinkInvalid."""
    return one_time_links.get(tx, vault, ADDRESS, key).email


def confirm(tx: Tx, vault: Vault, key: str) -> str:
    """Set the confirmed address, and notify the old one."""
    link = one_time_links.get(tx, vault, ADDRESS, key)
    user = None if link.user_id is None else storage.people.users.find(tx, link.user_id)
    holder = storage.people.users.find_by_email(tx, link.email)
    if user is None or not user.is_active or (holder is not None and holder.id != user.id):
        raise LinkInvalid()
    check_allowed(tx, user)
    users.check_email_allowed(tx, link.email)
    realm = storage.organization.realms.current(tx)
    values = {"organization": realm.name, "name": user.full_name, "address": link.email}
    mail = Email("address-changed", user.email, domain.emails.language_of(user), values)
    outbox.enqueue_mail(tx, vault, mail)
    users.change_address(tx, user, link.email)
    return link.email
