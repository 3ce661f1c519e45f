"""Invitations: by mail to addresses, or as a link for many."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from tertulia import actions, domain
from tertulia.api.call import Call
from tertulia.domain.people.invitations import DEFAULT_MINUTES, WELCOME_LENGTH, Invitation, Terms
from tertulia.domain.people.user import Role
from tertulia.errors.people import InvitationFailed, MailNotConfigured
from tertulia.http.parameter_rules import AtLeast, AtMost, MaxItems, MaxLength, NoNul, OneOf
from tertulia.http.replies import Reply
from tertulia.http.signatures import parameters_from

MAX_MINUTES = 100 * 365 * 24 * 60

Roles = Annotated[int, OneOf([int(role) for role in Role])]
Ids = Annotated[list[int], MaxItems(1000)]
Minutes = Annotated[int, AtLeast(1), AtMost(MAX_MINUTES)]
WelcomeText = Annotated[str, MaxLength(WELCOME_LENGTH), NoNul]


class InvitationObject(msgspec.Struct, kw_only=True):
    id: int
    invited_by_user_id: int
    invited: int
    expiry_date: int | None
    invited_as: int
    notify_referrer_on_join: bool
    is_multiuse: bool
    email: str | UnsetType = UNSET
    link_url: str | UnsetType = UNSET


class Invitations(Reply):
    invites: list[InvitationObject]


class InvitationLink(Reply):
    invite_link: str


async def list_open(call: Call) -> Invitations:
    """List the open invitations: the caller's, or all for administrators."""
    found = await call.db.read(actions.people.invitations.list_open, call.user)
    return Invitations(invites=[_shown(call, each) for each in found])


def _terms(
    *,
    invite_as: Roles = int(Role.MEMBER),
    invite_expires_in_minutes: Minutes | UnsetType | None = UNSET,
    group_ids: Ids | None = None,
    include_realm_default_subscriptions: bool = False,
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
    invitee_emails: Annotated[str, MaxLength(100_000), NoNul],
    stream_ids: Ids,
    notify_referrer_on_join: bool = True,
    **how: Any,
) -> None:
    """Invite people by mail."""
    if not call.config.sends_mail:
        raise MailNotConfigured()
    notifies = notify_referrer_on_join
    terms = replace(_terms(**how), channel_ids=tuple(stream_ids), notifies_inviter=notifies)
    addresses = domain.people.invitations.addresses_in(invitee_emails)
    sent = await call.db.write(
        actions.people.invitations.send, call.vault, call.user, addresses, terms, call.site
    )
    if not sent.have_accounts:
        return
    if not sent.invited:
        raise InvitationFailed(why="We weren't able to invite anyone.", errors=sent.have_accounts)
    raise InvitationFailed(
        why="Some of those addresses are already using Zulip, so we didn't send them an"
        " invitation. We did send invitations to everyone else!",
        errors=sent.have_accounts,
        sent=True,
    )


@parameters_from(_terms)
async def create_link(call: Call, *, stream_ids: Ids | None = None, **how: Any) -> InvitationLink:
    """Create an invitation link for several people."""
    terms = replace(_terms(**how), channel_ids=tuple(stream_ids or ()))
    key = await call.db.write(actions.people.invitations.create_link, call.vault, call.user, terms)
    return InvitationLink(invite_link=actions.people.invitations.address(call.site, key))


async def revoke(call: Call, invite_id: int) -> None:
    """Revoke an invitation by mail."""
    await call.db.write(actions.people.invitations.revoke, call.user, invite_id, False)


async def revoke_link(call: Call, invite_id: int) -> None:
    """Revoke an invitation link."""
    await call.db.write(actions.people.invitations.revoke, call.user, invite_id, True)


async def resend(call: Call, invite_id: int) -> None:
    """Send an invitation again."""
    if not call.config.sends_mail:
        raise MailNotConfigured()
    await call.db.write(
        actions.people.invitations.resend, call.vault, call.user, invite_id, call.site
    )


def _shown(call: Call, each: Invitation) -> InvitationObject:
    shown = InvitationObject(
        id=each.id,
        invited_by_user_id=each.inviter_id,
        invited=int(each.made_at),
        expiry_date=None if each.expires_at is None else int(each.expires_at),
        invited_as=int(each.terms.role),
        notify_referrer_on_join=each.terms.notifies_inviter,
        is_multiuse=each.is_for_many,
    )
    if each.email is not None:
        shown.email = each.email
    else:
        key = call.vault.unseal(each.sealed)
        shown.link_url = actions.people.invitations.address(call.site, key)
    return shown
