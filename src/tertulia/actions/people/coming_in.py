"""Coming in: somebody gets an account by an invitation, or by signing up where anybody may."""

from dataclasses import dataclass

from tertulia import actions, domain, storage
from tertulia.actions.people.welcome import Objection
from tertulia.domain.letters import Letter
from tertulia.domain.messages.notices import Words
from tertulia.domain.people.invitations import Invitation
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.newcomers import NewUser
from tertulia.domain.people.one_time_links import SIGN_UP
from tertulia.domain.people.user import Role, User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import InvitationRequired, LinkNotGood
from tertulia.storage.database.tx import Tx

REFUSALS = {
    Objection.INVALID: "Enter a valid email address.",
    Objection.OUTSIDE: "Your email address, {email}, is not in one of the domains that are allowed"
    " to register for accounts in this organization.",
    Objection.PLUS: "Email addresses containing + are not allowed in this organization.",
    Objection.DISPOSABLE: "Please use your real email address.",
}


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What somebody says of themselves who comes in."""

    full_name: str
    password_hash: str | None


def check_may_join(tx: Tx, email: str, invitation: Invitation | None) -> None:
    """Raises if an address may not have an account here, by the rules for everybody."""
    invited = invitation is not None or storage.people.invitations.for_address(tx, email)
    if not invited and storage.organization.current(tx).setting("invite_required"):
        raise InvitationRequired(email=email)
    against = actions.people.welcome.objection(tx, email)
    if against is not None:
        raise BadRequest(REFUSALS[against].format(email=email))


def ask(
    tx: Tx, vault: Vault, email: str, asked_from: str, site: str, invitation_id: int | None
) -> None:
    """Write to somebody who wants to join, so that they show that the address is theirs.

    Whether there is an account already is told to the address alone. Raises RateLimited.
    """
    invitation = None
    if invitation_id is not None:
        invitation = storage.people.invitations.find(tx, invitation_id)
    check_may_join(tx, email, invitation)
    actions.people.one_time_links.check_wishes_for(tx, SIGN_UP, email, asked_from)
    realm = storage.organization.current(tx)
    values = {"organization": realm.name, "site": site, "address": email}
    key = actions.people.one_time_links.make(
        tx,
        vault,
        SIGN_UP,
        email=email,
        user_id=None,
        asked_from=asked_from,
        invitation_id=invitation_id,
    )
    kind = "sign-up"
    if storage.people.find_by_email(tx, email) is not None:
        kind = "sign-up-needless"
    else:
        values["link"] = f"{site}/accounts/do_confirm/{key}"
    letter = Letter(kind, email, domain.letters.language_in(realm), values)
    actions.letters.post(tx, vault, letter)


def confirmed(tx: Tx, vault: Vault, key: str) -> tuple[str, Invitation | None]:
    """The address that a sign-up's link has proven, and the invitation it began with."""
    link = actions.people.one_time_links.get(tx, vault, SIGN_UP, key)
    invitation = None
    if link.invitation_id is not None:
        invitation = storage.people.invitations.find(tx, link.invitation_id)
        if invitation is None or not invitation.is_good(tx.now):
            raise LinkNotGood()
    return link.email, invitation


def finish_sign_up(
    tx: Tx, vault: Vault, key: str, newcomer: Newcomer, welcome: Words | None
) -> User:
    """The account of somebody whose address was confirmed; the link is used up by that."""
    email, invitation = confirmed(tx, vault, key)
    check_may_join(tx, email, invitation)
    storage.people.one_time_links.end_for(tx, SIGN_UP, email)
    invitation = invitation or storage.people.invitations.for_address(tx, email)
    return join(tx, vault, email, newcomer, invitation, welcome)


def accept(
    tx: Tx, vault: Vault, key: str, email: str, newcomer: Newcomer, welcome: Words | None
) -> User:
    """The account of somebody who has an invitation's link. One that was sent to an address is for
    that address; with one for many, nothing proves an address."""
    invitation = actions.people.invitations.get(tx, vault, key)
    if invitation is None:
        raise LinkNotGood()
    email = invitation.email or email
    check_may_join(tx, email, invitation)
    return join(tx, vault, email, newcomer, invitation, welcome)


def join(
    tx: Tx,
    vault: Vault,
    email: str,
    newcomer: Newcomer,
    invitation: Invitation | None,
    welcome: Words | None = None,
) -> User:
    """Make the account, with the role, the channels and the groups of an invitation."""
    new = NewUser(
        email=email,
        full_name=newcomer.full_name,
        role=Role.MEMBER if invitation is None else invitation.terms.role,
        password_hash=newcomer.password_hash,
        channel_ids=None if invitation is None else invitation.terms.channel_ids,
        with_defaults=invitation is not None and invitation.terms.with_defaults,
    )
    if invitation is not None:
        _check_inviter(tx, invitation)
    user, _ = actions.people.joining.add(tx, vault, new)
    if invitation is not None:
        _bring_into_groups(tx, user, invitation)
        _tell_inviter(tx, user, invitation)
    if welcome is not None:
        actions.messages.notices.tell(tx, user.id, welcome)
    return user


def _check_inviter(tx: Tx, invitation: Invitation) -> None:
    """Whoever has lost a role cannot give it to others any more."""
    inviter = actions.people.get(tx, invitation.inviter_id)
    try:
        if not inviter.is_system_bot:
            domain.people.invitations.check_role(inviter, invitation.terms.role)
    except ClientError:
        raise LinkNotGood() from None


def _bring_into_groups(tx: Tx, user: User, invitation: Invitation) -> None:
    found = (storage.groups.find(tx, each) for each in invitation.terms.group_ids)
    groups = [group for group in found if group is not None and not group.deactivated]
    actions.groups.brought.bring(tx, user, groups, [])


def _tell_inviter(tx: Tx, user: User, invitation: Invitation) -> None:
    inviter = storage.people.find(tx, invitation.inviter_id)
    if not invitation.terms.tells_inviter or inviter is None or inviter.is_bot:
        return
    if inviter.is_active and not invitation.is_for_many:
        organization = storage.organization.current(tx).name
        words = domain.messages.notices.accepted(user, organization)
        actions.messages.notices.tell(tx, inviter.id, words)
