"""Sign-up: accounts by invitation, or for everyone if the organization allows it."""

import msgspec

from tertulia import domain, storage
from tertulia.actions import outbox
from tertulia.actions.groups import synced
from tertulia.actions.messages import notices
from tertulia.actions.people import account_creation, email_policy, one_time_links
from tertulia.actions.people.email_policy import Rejection
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.messages.notices import WelcomeMessage
from tertulia.domain.people.invitations import Invitation, Terms
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.one_time_links import SIGN_UP
from tertulia.domain.people.user import NewUser, Role, User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import InvitationRequired, LinkInvalid
from tertulia.errors.people import AddressOutsideDomains

REFUSALS = {
    Rejection.INVALID: ("Enter a valid email address.", "email-invalid"),
    Rejection.PLUS: (
        "Email addresses containing + are not allowed in this organization.",
        "email-with-plus",
    ),
    Rejection.DISPOSABLE: ("Please use your real email address.", "email-not-real"),
}


class NewAccount(msgspec.Struct, frozen=True):
    """The data that a new user enters."""

    full_name: str
    password_hash: str | None
    role: Role = Role.MEMBER  # an invitation overrides it


def check_may_join(tx: Tx, email: str, invitation: Invitation | None) -> None:
    """Raise if an address may not have an account here."""
    invited = invitation is not None or storage.people.invitations.for_address(tx, email)
    if not invited and storage.organization.realms.current(tx).setting("invite_required"):
        raise InvitationRequired(email=email)
    against = email_policy.rejection_reason(tx, email)
    if against is Rejection.OUTSIDE:
        raise AddressOutsideDomains(email)
    if against is not None:
        words, problem = REFUSALS[against]
        raise BadRequest(words, problem=problem)


def request(
    tx: Tx, vault: Vault, email: str, requested_from: str, site: str, invitation_id: int | None
) -> None:
    """Send a confirmation to a user who wants to join.

    Only the address learns whether it has an account. Raises RateLimited.
    """
    invitation = None
    if invitation_id is not None:
        invitation = storage.people.invitations.find(tx, invitation_id)
    check_may_join(tx, email, invitation)
    one_time_links.check_rate_of_address(tx, SIGN_UP, email, requested_from)
    realm = storage.organization.realms.current(tx)
    values = {"organization": realm.name, "site": site, "address": email}
    key = one_time_links.create(
        tx,
        vault,
        SIGN_UP,
        email=email,
        user_id=None,
        requested_from=requested_from,
        invitation_id=invitation_id,
    )
    kind = "sign-up"
    if storage.people.users.find_by_email(tx, email) is not None:
        kind = "sign-up-needless"
    else:
        values["link"] = f"{site}/accounts/do_confirm/{key}"
    mail = Email(kind, email, domain.emails.language_in(realm), values)
    outbox.enqueue_mail(tx, vault, mail)


def confirmed(tx: Tx, vault: Vault, key: str) -> tuple[str, Invitation | None]:
    """The confirmed address of a sign-up link, and its invitation."""
    link = one_time_links.get(tx, vault, SIGN_UP, key)
    invitation = None
    if link.invitation_id is not None:
        invitation = storage.people.invitations.find(tx, link.invitation_id)
        if invitation is None or not invitation.is_good(tx.now):
            raise LinkInvalid()
    return link.email, invitation


def finish_sign_up(
    tx: Tx, vault: Vault, key: str, account: NewAccount, welcome_message: WelcomeMessage | None
) -> User:
    """Create the account of a confirmed address. The link is used up."""
    email, invitation = confirmed(tx, vault, key)
    check_may_join(tx, email, invitation)
    storage.people.one_time_links.expire_for_address(tx, SIGN_UP, email)
    invitation = invitation or storage.people.invitations.for_address(tx, email)
    return join(tx, vault, email, account, invitation, welcome_message)


def accept(
    tx: Tx,
    vault: Vault,
    key: str,
    email: str,
    account: NewAccount,
    welcome_message: WelcomeMessage | None,
) -> User:
    """Create an account by an invitation link.

    A link sent to an address is for that address. A multi-use link does not confirm an address.
    """
    invitation = account_creation.find_invitation(tx, vault, key)
    if invitation is None:
        raise LinkInvalid()
    email = invitation.email or email
    check_may_join(tx, email, invitation)
    return join(tx, vault, email, account, invitation, welcome_message)


def join(
    tx: Tx,
    vault: Vault,
    email: str,
    account: NewAccount,
    invitation: Invitation | None,
    welcome_message: WelcomeMessage | None,
) -> User:
    """Create the account with the role, channels and groups of an invitation."""
    terms = None
    if invitation is not None:
        terms = account_creation.current_terms(tx, invitation)
    new = NewUser(
        email=email,
        full_name=account.full_name,
        role=account.role if terms is None else terms.role,
        password_hash=account.password_hash,
        channel_ids=None if terms is None else terms.channel_ids,
        with_defaults=terms is not None and terms.with_defaults,
    )
    user, _ = account_creation.add(tx, vault, new)
    if invitation is not None and terms is not None:
        _add_to_groups(tx, user, terms)
        _notify_inviter(tx, user, invitation)
    if welcome_message is not None:
        _send_welcome(tx, vault, user, welcome_message)
    return user


def _send_welcome(tx: Tx, vault: Vault, user: User, welcome_message: WelcomeMessage) -> None:
    notices.send_to_user(tx, user.id, welcome_message.words)
    if welcome_message.site:
        realm = storage.organization.realms.current(tx)
        values = {"organization": realm.name, "name": user.full_name}
        values |= {"address": user.email, "site": welcome_message.site}
        mail = Email("account", user.email, domain.emails.language_of(user), values)
        outbox.enqueue_mail(tx, vault, mail)


def _add_to_groups(tx: Tx, user: User, terms: Terms) -> None:
    found = (storage.groups.find(tx, each) for each in terms.group_ids)
    groups = [group for group in found if group is not None and not group.deactivated]
    synced.sync(tx, user, groups, [])


def _notify_inviter(tx: Tx, user: User, invitation: Invitation) -> None:
    inviter = storage.people.users.find(tx, invitation.inviter_id)
    if not invitation.terms.notifies_inviter or inviter is None or inviter.is_bot:
        return
    if inviter.is_active and not invitation.is_for_many:
        organization = storage.organization.realms.current(tx).name
        words = domain.messages.notices.accepted(user, organization)
        notices.send_to_user(tx, inviter.id, words)
