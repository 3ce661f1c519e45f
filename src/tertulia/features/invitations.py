"""Invitations: sent to an address or made as a multi-use link, listed and revoked.

- By mail: the address gets its own link, which also confirms the address
- By link: anyone who has it may join, any number of times, until it expires

Only users who may see an address learn that it has an account here. To others it looks as if it had
none, and the owner of the address gets a mail. The core accepts invitations when an account is
created (`actions/people/account_creation.py`).
"""

import datetime
import math
import re
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from tertulia import actions, domain, locale, storage
from tertulia.actions.people.account_creation import BY_LINK, BY_MAIL
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.domain.emails import Email
from tertulia.domain.people.invitations import DEFAULT_MINUTES, Invitation, Terms
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.one_time_links import INVITING
from tertulia.domain.people.user import Role, User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import AdministratorRequired, OwnerRequired
from tertulia.errors.http import AttemptsExhausted
from tertulia.errors.people import InvitationFailed, MailNotConfigured
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import (
    AtLeast,
    AtMost,
    Example,
    MaxItems,
    MaxLength,
    NoNul,
    OneOf,
)
from tertulia.http.replies import Reply
from tertulia.http.signatures import parameters_from
from tertulia.wire import Doc

ADDRESSES_PER_CALL = 200
WELCOME_LENGTH = 8000

_ADDRESS = re.compile(r"<([^<>]+)>\s*$")


def addresses_in(text: str) -> list[str]:
    """The addresses of a pasted list: commas, lines, `Name <address>`; without duplicates."""
    found: dict[str, str] = {}
    for part in re.split(r"[,;\n\r]+", text):
        named = _ADDRESS.search(part.strip())
        address = (named[1] if named else part).strip()
        if address:
            found.setdefault(domain.people.user.email_key(address), address)
    return list(found.values())


DAY_SECONDS = 86400
MAX_MAILS_PER_DAY = 5  # to one address
MAX_INVITED_PER_DAY = 200  # by one user who is not an administrator
NEW_FOR_SECONDS = 3 * DAY_SECONDS  # a new account may not invite if anyone may join

Problem = tuple[str, str, bool]  # an address, the reason, and whether its account is deactivated


class Invited(msgspec.Struct):
    """The addresses that were invited, and those that were not."""

    invited: list[str] = field(default_factory=list)
    have_accounts: list[Problem] = field(default_factory=list)


def invite(
    tx: Tx, vault: Vault, actor: User, addresses: Sequence[str], terms: Terms, site: str
) -> Invited:
    """Invite users by mail, all or none."""
    actor = _inviter(tx, actor, BY_MAIL, terms)
    if not addresses:
        raise BadRequest("You must specify at least one email address.", problem="email-missing")
    if len(addresses) > ADDRESSES_PER_CALL:
        raise BadRequest(
            "At most {limit} people can be invited at once.",
            problem="too-many-invited-at-once",
            limit=ADDRESSES_PER_CALL,
        )
    _check_age(tx, actor)
    _check_number(tx, actor, len(addresses))
    wrong = [(email, why, False) for email in addresses if (why := _rejection_reason(tx, email))]
    if wrong:
        raise InvitationFailed(
            "Some emails did not validate, so we didn't send any invitations.",
            problem="invitation-addresses-invalid",
            answer={"errors": wrong},
        )
    sent = Invited()
    for email in addresses:
        holder = storage.people.users.find_by_email(tx, email)
        if holder is not None and domain.people.user.may_see_email(actor, holder):
            why = "Already has an account." if holder.is_active else "Account has been deactivated."
            sent.have_accounts.append((email, why, not holder.is_active))
        else:
            _send_mail(tx, vault, actor, _create(tx, vault, actor, email, terms), email, site)
            sent.invited.append(email)
    if sent.invited:
        actions.people.pending_invitations.announce(tx, [actor.id])
    return sent


def make_link(tx: Tx, vault: Vault, actor: User, terms: Terms) -> str:
    """Create a multi-use link. Returns its key."""
    actor = _inviter(tx, actor, BY_LINK, terms)
    key = _create(tx, vault, actor, None, terms)
    actions.people.pending_invitations.announce(tx, [actor.id])
    return key


def _list_open(tx: Tx, actor: User) -> list[Invitation]:
    """Open invitations: one's own, or all for administrators.

    Links that create owners are shown only to owners, because anyone who has one can use it.
    """
    found = storage.people.invitations.list_valid(tx, None if actor.is_admin else actor.id)
    return [each for each in found if actor.is_owner or not _makes_owners(each)]


def _revoke(tx: Tx, actor: User, invitation_id: int, is_for_many: bool) -> None:
    found = _managed(tx, actor, invitation_id, is_for_many)
    storage.people.invitations.expire(tx, found.id)
    actions.people.pending_invitations.announce(tx, [found.inviter_id])


def _resend(tx: Tx, vault: Vault, actor: User, invitation_id: int, site: str) -> None:
    """Send the same mail again. Its link and expiry stay the same."""
    found = _managed(tx, actor, invitation_id, is_for_many=False)
    assert found.email is not None
    written = _was_mailed(tx, found.email)
    if written:
        raise AttemptsExhausted(retry_after=math.ceil(written[0] + DAY_SECONDS - tx.now))
    inviter = actions.people.users.get(tx, found.inviter_id)
    _send_mail(tx, vault, inviter, vault.unseal(found.sealed), found.email, site)


def create_as_operator(
    tx: Tx, vault: Vault, email: str | None, terms: Terms, site: str | None
) -> str:
    """Create an invitation on the command line; with a site, it is also sent by mail. Returns
    its key."""
    owners = storage.people.users.active_owner_ids(tx)
    inviter = (
        actions.people.users.get(tx, owners[0]) if owners else actions.messages.notices.bot(tx)
    )
    if email is not None:
        actions.people.users.check_address(tx, email)
    _check_channels(tx, None, terms)
    key = _create(tx, vault, inviter, email, terms, is_operators=True)
    if site is not None and email is not None:
        _send_mail(tx, vault, inviter, key, email, site)
    actions.people.pending_invitations.announce(tx, [inviter.id])
    return key


def address(site: str, key: str) -> str:
    """The URL of an invitation."""
    return f"{site}/join/{key}/"


# --- rules ---


def _inviter(tx: Tx, actor: User, permission: str, terms: Terms) -> User:
    actor = actions.groups.permissions.current_rights(tx, actor)
    actions.groups.permissions.require_in_realm(tx, actor, permission)
    domain.people.invitations.check_role(actor, terms.role)
    if terms.welcome and not actor.is_admin:
        raise AdministratorRequired()
    _check_channels(tx, actor, terms)
    return actor


def _check_channels(tx: Tx, actor: User | None, terms: Terms) -> None:
    """Raise if the inviter may not add others to these channels and groups."""
    visible, addable = actions.people.account_creation.usable_channels(tx, actor, terms)
    for channel_id in terms.channel_ids:
        if channel_id not in visible:
            raise BadRequest(
                f"Invalid channel ID {channel_id}. No invites were sent.",
                problem="invalid-channel-in-invitation",
            )
    if len(addable) < len(visible):
        raise BadRequest(
            "You do not have permission to subscribe other users to channels.",
            problem="subscribing-others-not-allowed",
        )
    if actor is not None:
        actions.groups.edits.require_may_add_members(tx, actor, terms.group_ids)


def _makes_owners(invitation: Invitation) -> bool:
    return invitation.is_for_many and invitation.terms.role is Role.OWNER


def _managed(tx: Tx, actor: User, invitation_id: int, is_for_many: bool) -> Invitation:
    """One's own invitation or, for administrators, any; one for owners only as an owner."""
    actor = actions.groups.permissions.current_rights(tx, actor)
    found = storage.people.invitations.find(tx, invitation_id)
    if found is None or found.is_for_many != is_for_many:
        raise BadRequest("No such invitation", problem="not-found")
    if found.inviter_id != actor.id:
        if not actor.is_admin:
            raise AdministratorRequired()
        if found.terms.role is Role.OWNER and not actor.is_owner:
            raise OwnerRequired()
    if not found.is_good(tx.now):
        raise BadRequest(
            "Invitation has already been revoked"
            if is_for_many
            else "Invitation already used or deactivated."
        )
    return found


def _check_age(tx: Tx, actor: User) -> None:
    is_open = not storage.organization.realms.current(tx).setting("invite_required")
    if is_open and not actor.is_admin and tx.now - actor.joined_at < NEW_FOR_SECONDS:
        raise InvitationFailed(
            "Your account is too new to send invites for this organization."
            " Ask an organization admin, or a more experienced user.",
            problem="account-too-new-to-invite",
        )


def _check_number(tx: Tx, actor: User, number: int) -> None:
    """Limits the number of mails that a stolen account could send."""
    since = tx.now - DAY_SECONDS
    sent = storage.people.one_time_links.requests_by(tx, INVITING, actor.id, since)
    if not actor.is_admin and len(sent) + number > MAX_INVITED_PER_DAY:
        raise InvitationFailed(
            "You can invite {limit} people a day. Ask an organization admin to invite more, or"
            " make a link.",
            problem="daily-invitations-exceeded",
            answer={"daily_limit_reached": True},
            limit=MAX_INVITED_PER_DAY,
        )


def _rejection_reason(tx: Tx, email: str) -> str:
    found = actions.people.email_policy.rejection_reason(tx, email)
    if found is not None:
        return found.value
    holder = storage.people.users.find_by_email(tx, email)
    if holder is not None and holder.is_system_bot:
        return "Reserved for system bots."
    return "Has been invited often enough today." if _was_mailed(tx, email) else ""


def _was_mailed(tx: Tx, email: str) -> list[float]:
    """When an address was invited, if it has reached the limit of a day."""
    since = tx.now - DAY_SECONDS
    moments = storage.people.one_time_links.requests_for(tx, [INVITING], email, since)
    return moments[-MAX_MAILS_PER_DAY:] if len(moments) >= MAX_MAILS_PER_DAY else []


def _create(
    tx: Tx,
    vault: Vault,
    inviter: User,
    email: str | None,
    terms: Terms,
    *,
    is_operators: bool = False,
) -> str:
    key = domain.people.one_time_links.new_key()
    fingerprint = actions.people.one_time_links.fingerprint(vault, key)
    storage.people.invitations.insert(
        tx, inviter.id, email, terms, fingerprint, vault.seal(key), is_operators
    )
    return key


def _send_mail(tx: Tx, vault: Vault, inviter: User, key: str, email: str, site: str) -> None:
    realm = storage.organization.realms.current(tx)
    language = domain.emails.language_in(realm)
    has_account = storage.people.users.find_by_email(tx, email) is not None
    mail = Email(
        "invitation-needless" if has_account else "invitation",
        email,
        language,
        {
            "organization": realm.name,
            "inviter": inviter.full_name,
            "site": site,
            "link": address(site, key),
            "until": _last_day(
                actions.people.account_creation.find_invitation(tx, vault, key), language
            ),
        },
    )
    actions.outbox.enqueue_mail(tx, vault, mail)
    actions.people.one_time_links.record_mail(tx, INVITING, email, inviter.id)


def _last_day(invitation: Invitation | None, language: str) -> str:
    """The expiry date in words; empty if it never expires."""
    if invitation is None or invitation.expires_at is None:
        return ""
    day = datetime.datetime.fromtimestamp(invitation.expires_at, datetime.UTC)
    return locale.texts(language).date(day)


# --- endpoints ---


MAX_MINUTES = 100 * 365 * 24 * 60

Roles = Annotated[int, OneOf([int(role) for role in Role]), Doc("The role of invited users.")]
Ids = Annotated[list[int], MaxItems(1000)]
StreamIds = Annotated[Ids, Doc("Ids of channels that new users are subscribed to.", example=[7])]
Minutes = Annotated[
    int,
    AtLeast(1),
    AtMost(MAX_MINUTES),
    Doc("How many minutes the invitation is valid; null means no expiry."),
]
WelcomeText = Annotated[
    str, MaxLength(WELCOME_LENGTH), NoNul, Doc("The welcome message, in Markdown.")
]
NotifyReferrerOnJoin = Annotated[bool, Doc("Whether the sender gets a message when someone joins.")]
InviteId = Annotated[int, Doc("The id of the invitation.", example=6)]
LinkUrl = Annotated[str, Doc("The URL of the invitation.")]


class InvitationObject(msgspec.Struct, kw_only=True):
    id: InviteId
    invited_by_user_id: Annotated[int, Doc("The id of the user who sent the invitation.")]
    invited: Annotated[int, Doc("The time of the invitation, in UNIX seconds.")]
    expiry_date: Annotated[
        int | None, Doc("The expiry of the invitation, in UNIX seconds; null means none.")
    ]
    invited_as: Annotated[int, Doc("The role of invited users.")]
    notify_referrer_on_join: NotifyReferrerOnJoin
    is_multiuse: Annotated[bool, Doc("Whether several people can use the invitation.")]
    email: Annotated[str | UnsetType, Doc("The invited email address.")] = UNSET
    link_url: LinkUrl | UnsetType = UNSET


class Invitations(Reply):
    invites: Annotated[list[InvitationObject], Doc("The open invitations.")]


class InvitationLink(Reply):
    invite_link: LinkUrl


async def list_open(call: Call) -> Invitations:
    """List the open invitations: the caller's, or all for administrators."""
    found = await call.db.read(_list_open, call.user)
    return Invitations(invites=[_shown(call, each) for each in found])


def _terms(
    *,
    invite_as: Roles = int(Role.MEMBER),
    invite_expires_in_minutes: Annotated[Minutes | UnsetType | None, Example(1440)] = UNSET,
    group_ids: Annotated[Ids, Doc("Ids of groups that new users join.")] | None = None,
    include_realm_default_subscriptions: Annotated[
        bool, Doc("Whether new users also join the default channels.")
    ] = False,
    welcome_message_custom_text: WelcomeText | None = None,
) -> Terms:
    in_minutes = invite_expires_in_minutes
    return Terms(
        role=Role(invite_as),
        group_ids=tuple(group_ids or ()),
        with_defaults=include_realm_default_subscriptions,
        minutes=DEFAULT_MINUTES if in_minutes is UNSET else in_minutes,
        welcome=welcome_message_custom_text or "",
    )


@parameters_from(_terms)
async def send(
    call: Call,
    *,
    invitee_emails: Annotated[
        str,
        MaxLength(100_000),
        NoNul,
        Doc(
            "The email addresses to invite, separated by commas or line breaks.",
            example="dora@example.com",
        ),
    ],
    stream_ids: StreamIds,
    notify_referrer_on_join: NotifyReferrerOnJoin = True,
    **how: Any,
) -> None:
    """Invite people by mail."""
    if not call.config.sends_mail:
        raise MailNotConfigured()
    notifies = notify_referrer_on_join
    terms = replace(_terms(**how), channel_ids=tuple(stream_ids), notifies_inviter=notifies)
    addresses = addresses_in(invitee_emails)
    sent = await call.db.write(invite, call.vault, call.user, addresses, terms, call.site)
    if not sent.have_accounts:
        return
    if not sent.invited:
        raise InvitationFailed(
            "We weren't able to invite anyone.",
            problem="invitation-of-no-address",
            answer={"errors": sent.have_accounts},
        )
    raise InvitationFailed(
        "Some of those addresses are already using Zulip, so we didn't send them an"
        " invitation. We did send invitations to everyone else!",
        problem="invitation-addresses-have-accounts",
        answer={"errors": sent.have_accounts, "sent_invitations": True},
    )


@parameters_from(_terms)
async def create_link(
    call: Call, *, stream_ids: StreamIds | None = None, **how: Any
) -> InvitationLink:
    """Create an invitation link for several people."""
    terms = replace(_terms(**how), channel_ids=tuple(stream_ids or ()))
    key = await call.db.write(make_link, call.vault, call.user, terms)
    return InvitationLink(invite_link=address(call.site, key))


async def revoke(call: Call, invite_id: InviteId) -> None:
    """Revoke an invitation by mail."""
    await call.db.write(_revoke, call.user, invite_id, False)


async def revoke_link(call: Call, invite_id: InviteId) -> None:
    """Revoke an invitation link."""
    await call.db.write(_revoke, call.user, invite_id, True)


async def resend(call: Call, invite_id: InviteId) -> None:
    """Send an invitation again."""
    if not call.config.sends_mail:
        raise MailNotConfigured()
    await call.db.write(_resend, call.vault, call.user, invite_id, call.site)


def _shown(call: Call, each: Invitation) -> InvitationObject:
    shown = InvitationObject(
        id=each.id,
        invited_by_user_id=each.inviter_id,
        invited=int(each.created_at),
        expiry_date=None if each.expires_at is None else int(each.expires_at),
        invited_as=int(each.terms.role),
        notify_referrer_on_join=each.terms.notifies_inviter,
        is_multiuse=each.is_for_many,
    )
    if each.email is not None:
        shown.email = each.email
    else:
        key = call.vault.unseal(each.sealed)
        shown.link_url = address(call.site, key)
    return shown


FEATURE = Feature(
    shows_ids={
        "humans": [
            "DELETE /invites/multiuse/{invite_id}",
            "DELETE /invites/{invite_id}",
            "POST /invites/{invite_id}/resend",
        ]
    }
)
