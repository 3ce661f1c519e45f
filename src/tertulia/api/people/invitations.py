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
from tertulia.wire import Doc

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
    found = await call.db.read(actions.people.invitations.list_open, call.user)
    return Invitations(invites=[_shown(call, each) for each in found])


def _terms(
    *,
    invite_as: Roles = int(Role.MEMBER),
    invite_expires_in_minutes: Minutes | UnsetType | None = UNSET,
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
    addresses = domain.people.invitations.addresses_in(invitee_emails)
    sent = await call.db.write(
        actions.people.invitations.send, call.vault, call.user, addresses, terms, call.site
    )
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
    key = await call.db.write(actions.people.invitations.create_link, call.vault, call.user, terms)
    return InvitationLink(invite_link=actions.people.invitations.address(call.site, key))


async def revoke(call: Call, invite_id: InviteId) -> None:
    """Revoke an invitation by mail."""
    await call.db.write(actions.people.invitations.revoke, call.user, invite_id, False)


async def revoke_link(call: Call, invite_id: InviteId) -> None:
    """Revoke an invitation link."""
    await call.db.write(actions.people.invitations.revoke, call.user, invite_id, True)


async def resend(call: Call, invite_id: InviteId) -> None:
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
