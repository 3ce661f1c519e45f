"""External identities: finds the account of a provider's user and keeps it up to date.

A provider affects only accounts that came from it. It can revert what it did: a role, a group
membership, a deactivation. What users did here stays.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from tertulia import domain, storage
from tertulia.actions.groups import synced
from tertulia.actions.organization import audit
from tertulia.actions.people import account_creation, avatars, login, profiles, roles, signup, users
from tertulia.actions.people.signup import NewAccount
from tertulia.database.tx import Tx
from tertulia.domain.messages.notices import WelcomeMessage
from tertulia.domain.organization.audit import Act
from tertulia.domain.people.identities import (
    AdmissionPolicy,
    ExternalProfile,
    Identity,
    ProfileUpdate,
)
from tertulia.domain.people.invitations import Invitation
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import Role, User
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.authentication import (
    AccountLinkedElsewhere,
    AccountMissing,
    AccountNotAdmitted,
    InvitationRequired,
    LinkInvalid,
    LoginDeactivated,
    NoVerifiedAddress,
)


def match_or_create(
    tx: Tx,
    vault: Vault,
    profile: ExternalProfile,
    link: str = "",
    welcome_message: WelcomeMessage | None = None,
) -> int:
    """The account id of an authenticated external user; created if that is allowed.

    `link` is the key of a multi-use invitation that the user came with. `login.log_in` decides
    whether they may log in now.
    """
    login.check_method(tx, profile.method)
    if not profile.is_admitted:
        raise AccountNotAdmitted()
    if profile.is_disabled:
        raise LoginDeactivated()
    identity = _find(tx, profile) or Identity(
        profile.provider,
        profile.subject,
        _join(tx, vault, profile, invitation(tx, vault, profile, link), welcome_message),
    )
    sync_profile(tx, identity, profile)
    return identity.user_id


def is_new(tx: Tx, profile: ExternalProfile) -> bool:
    """Whether the user has no account yet."""
    try:
        return _find(tx, profile) is None
    except ClientError:
        return False


def addresses_to_choose_from(tx: Tx, profile: ExternalProfile) -> tuple[str, ...]:
    """The addresses with which a user may log in or join.

    For a known user it is the main one. If only one of them has an account, it is that one.
    """
    emails = profile.emails
    known = storage.people.identities.find(tx, profile.provider, profile.subject)
    if known is not None or len(emails) < 2:
        return emails[:1]
    ours = tuple(email for email in emails if _has_account(tx, email))
    if ours or profile.welcome is AdmissionPolicy.NOBODY:
        return ours or emails[:1]
    return emails


def _has_account(tx: Tx, email: str) -> bool:
    user = storage.people.users.find_by_email(tx, email)
    return user is not None and not user.is_bot and user.is_active


def invitation(tx: Tx, vault: Vault, profile: ExternalProfile, link: str) -> Invitation | None:
    """The invitation by which a user joins: the link they came with, or one sent to their
    address. Raises LinkInvalid."""
    if link:
        found = account_creation.find_invitation(tx, vault, link)
        if found is None or not found.is_for_many:
            raise LinkInvalid()
        return found
    email = profile.emails[0] if profile.emails else ""
    return storage.people.invitations.for_address(tx, email)


def unlink(tx: Tx, user_id: int) -> bool:
    """Forget the identity of an account. The next external user with its address can log in to
    it."""
    return storage.people.identities.delete(tx, user_id)


def sync_profile(tx: Tx, identity: Identity, profile: ExternalProfile) -> list[str]:
    """Apply the provider's data to an account. Returns what changed, as texts."""
    user = users.get(tx, identity.user_id)
    did: list[str] = []
    if not user.is_active and identity.is_ended:
        users.reactivate(tx, user.id)
        _audit(tx, profile.provider, "reactivate", user.id)
        did.append("is active again")
    if profile.leads:
        did += _rename(tx, user, profile) + _change_email(tx, user, profile)
    if profile.picture is not None and profile.picture_mark != identity.picture_mark:
        avatars.set_avatar(tx, user.id, profile.picture)
        did.append("has a new picture")
    did += [f"has {name} filled in" for name in profiles.fill_in(tx, user.id, profile.profile)]
    did += _apply_role(tx, users.get(tx, user.id), profile)
    group_ids = identity.group_ids
    if profile.groups is not None:
        groups = synced.find_or_create(tx, profile.groups)
        moved = synced.sync(tx, users.get(tx, user.id), groups, identity.group_ids)
        group_ids = tuple(group.id for group in groups)
        if moved:
            _audit(tx, profile.provider, "groups", user.id, group_ids=list(group_ids))
        did += moved
    now = replace(
        identity,
        is_ended=False,
        group_ids=group_ids,
        picture_mark=profile.picture_mark or identity.picture_mark,
    )
    if now != storage.people.identities.find(tx, identity.provider, identity.subject):
        storage.people.identities.store(tx, now)
    return did


# --- synchronization ---


def check(tx: Tx, found: Sequence[ProfileUpdate], end_missing: bool) -> None:
    """Raise BadRequest if the result looks like a mistake: all users missing, or no owner left."""
    if end_missing and found and all(each.profile is None for each in found):
        raise BadRequest("No account was found there: nothing is changed.")
    ending = {each.identity.user_id for each in found if _must_deactivate(each, end_missing)}
    owners = set(storage.people.users.active_owner_ids(tx))
    if owners and owners <= ending:
        raise BadRequest("No owner of the organization would be left: nothing is changed.")


def sync(tx: Tx, found: ProfileUpdate, end_missing: bool) -> list[str]:
    """Update or deactivate one account. Returns what changed, as texts."""
    known = storage.people.identities.find(tx, found.identity.provider, found.identity.subject)
    if known is None:
        return []
    if _must_deactivate(found, end_missing):
        return _deactivate(tx, known, found.deactivation_reason)
    if found.profile is None:
        return []
    return sync_profile(tx, known, found.profile)


def _must_deactivate(found: ProfileUpdate, end_missing: bool) -> bool:
    return bool(found.deactivation_reason) and (end_missing or found.profile is not None)


def _deactivate(tx: Tx, identity: Identity, why: str) -> list[str]:
    """Deactivate an account because of its provider. Raises LastOwner."""
    user = users.get(tx, identity.user_id)
    if not user.is_active:
        return []
    users.deactivate(tx, user.id)
    _audit(tx, identity.provider, "deactivate", user.id)
    storage.people.identities.store(tx, replace(identity, is_ended=True))
    return [f"is deactivated, since {user.full_name} {why}"]


# --- accounts ---


def _find(tx: Tx, profile: ExternalProfile) -> Identity | None:
    """The identity of an external user.

    If a provider has no permanent subject, only the current address of an account decides, because
    an address may be reassigned. A directory changes the addresses of its accounts, so it finds
    them by subject.
    """
    if profile.has_lasting_subject or profile.leads:
        known = storage.people.identities.find(tx, profile.provider, profile.subject)
        if known is not None:
            return known
    for email in profile.emails:
        user = storage.people.users.find_by_email(tx, email)
        if user is not None and not user.is_bot:
            if not user.is_active:
                raise LoginDeactivated()
            theirs = storage.people.identities.providers_of(tx, user.id)
            if profile.has_lasting_subject and profile.provider in theirs:
                # Another user there has this address now: it may have been reassigned.
                raise AccountLinkedElsewhere(email=email)
            return _with_subject(tx, profile, user)
    return None


def _with_subject(tx: Tx, profile: ExternalProfile, user: User) -> Identity:
    """The identity known so far, with the provider's current subject."""
    for known in storage.people.identities.of_user(tx, user.id):
        if known.provider == profile.provider:
            return replace(known, subject=profile.subject)
    return Identity(profile.provider, profile.subject, user.id)


def _join(
    tx: Tx,
    vault: Vault,
    profile: ExternalProfile,
    invitation: Invitation | None,
    welcome_message: WelcomeMessage | None,
) -> int:
    """Create an account, if the organization and the provider's settings allow that."""
    if not profile.emails:
        raise NoVerifiedAddress()
    email = profile.emails[0]
    if profile.welcome is AdmissionPolicy.NOBODY:
        raise AccountMissing(email=email)
    needs_invitation = storage.organization.realms.current(tx).setting("invite_required")
    if profile.welcome is AdmissionPolicy.INVITED and needs_invitation and invitation is None:
        raise InvitationRequired(email=email)
    users.check_email_allowed(tx, email)
    role = Role.MEMBER if profile.role is None else profile.role
    account = NewAccount(_free_name(tx, profile, None), None, role)
    user = signup.join(tx, vault, email, account, invitation, welcome_message)
    _audit(tx, profile.provider, "join", user.id, role=int(user.role))
    return user.id


# --- profile ---


def _free_name(tx: Tx, profile: ExternalProfile, user_id: int | None) -> str:
    """The provider's name or, if it is not available, one made from the email address."""
    local = profile.emails[0].partition("@")[0]
    for name in (profile.full_name, f"{profile.full_name} ({local})", local):
        try:
            checked = domain.people.user.checked_full_name(name)
            users.check_name_is_free(tx, checked, user_id)
        except ClientError:
            continue
        return checked
    raise BadRequest(f"No name can be found for {profile.emails[0]}")


def _rename(tx: Tx, user: User, profile: ExternalProfile) -> list[str]:
    if not profile.full_name or not profile.emails:
        return []
    name = _free_name(tx, profile, user.id)
    if name == user.full_name:
        return []
    users.rename(tx, user, name)
    return [f"is called {name} now"]


def _change_email(tx: Tx, user: User, profile: ExternalProfile) -> list[str]:
    """Apply the provider's address, unless another user has it."""
    email = profile.emails[0] if profile.emails else user.email
    if domain.people.user.email_key(email) == domain.people.user.email_key(user.email):
        return []
    try:
        users.check_address(tx, email)
    except ClientError:
        return []
    users.change_address(tx, user, email)
    _audit(tx, profile.provider, "address", user.id)
    return [f"has the address {email} now"]


def _apply_role(tx: Tx, user: User, profile: ExternalProfile) -> list[str]:
    """Apply a role that the provider manages. One owner always remains."""
    role = profile.role
    if role is None or role == user.role:
        return []
    if role not in profile.managed_roles and user.role not in profile.managed_roles:
        return []
    if user.is_owner and storage.people.users.active_owner_ids(tx) == [user.id]:
        return ["stays the only owner"]
    roles.change(tx, user, role)
    changes = {"role": [int(user.role), int(role)]}
    _audit(tx, profile.provider, "role", user.id, role=int(role), changes=changes)
    return [f"is {role.name.lower()} now"]


def _audit(tx: Tx, provider: str, change: str, user_id: int, **details: Any) -> None:
    """Record a provider's change in the audit log."""
    act = Act(f"provider {change}", None, f"provider, {provider}", {"user_id": user_id, **details})
    audit.record(tx, act)
