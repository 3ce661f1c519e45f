"""Users and groups in the register snapshot."""

from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET

from tertulia import domain
from tertulia.caches.encoded_records import EncodedUser
from tertulia.domain.groups.group import REALM_PERMISSIONS
from tertulia.domain.people.user import Role, User
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Options
from tertulia.events.snapshot.encoded_list import Elements
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.types import groups
from tertulia.events.types.groups import GroupObject
from tertulia.events.types.people.user import (
    UserObject,
    avatar_url,
    unknown_user_object,
    user_object,
)
from tertulia.wire import Doc

_encode = msgspec.json.Encoder().encode


class UsersState(StatePart):
    realm_users: Annotated[list[UserObject], Doc("The active users, including bots.")]
    realm_non_active_users: Annotated[list[UserObject], Doc("The deactivated users.")]
    cross_realm_bots: Annotated[list[UserObject], Doc("The system bots.")]
    user_id: Annotated[int, Doc("The user's id.")]
    email: Annotated[str, Doc("The user's visible email address.")]
    delivery_email: Annotated[str, Doc("The user's real email address.")]
    full_name: Annotated[str, Doc("The user's name.")]
    is_admin: Annotated[bool, Doc("Whether the user is an administrator or an owner.")]
    is_owner: Annotated[bool, Doc("Whether the user is an owner.")]
    is_moderator: Annotated[
        bool, Doc("Whether the user is a moderator, an administrator or an owner.")
    ]
    is_guest: Annotated[bool, Doc("Whether the user is a guest.")]
    avatar_source: Annotated[
        str, Doc("The source of the user's picture: `J` generated, `G` Gravatar, `U` uploaded.")
    ]
    avatar_url: Annotated[str | None, Doc("The URL of the user's picture.")]
    avatar_url_medium: Annotated[str, Doc("The URL of the user's larger picture.")]
    can_create_private_streams: Annotated[
        bool, Doc("Whether the user may create private channels.")
    ]
    can_create_public_streams: Annotated[bool, Doc("Whether the user may create public channels.")]
    can_create_web_public_streams: Annotated[
        bool, Doc("Whether the user may create web-public channels.")
    ]
    can_create_streams: Annotated[bool, Doc("Whether the user may create channels.")]
    can_invite_others_to_realm: Annotated[bool, Doc("Whether the user may invite others.")]


def users_state(org: Organization, me: User, options: Options, now: float) -> UsersState:
    if org.may_know_all(me) and not me.is_spectator:
        people, inactive = _all_users(org, me, options.client_gravatar)
    else:
        people, inactive = _visible_users(org, me, options)
    return UsersState(
        realm_users=people,
        realm_non_active_users=inactive,
        cross_realm_bots=[
            user_object(
                org,
                user,
                None if me.is_spectator else me,
                client_gravatar=options.client_gravatar,
            )
            for user in org.users.values()
            if user.is_system_bot
        ],
        **_myself(org, me, now),
    )


class _UsersForRole(NamedTuple):
    """All users as a role sees them, and the index of each."""

    people: list[bytes]
    inactive: list[bytes]
    indexes: dict[int, int]


def _all_users(org: Organization, me: User, client_gravatar: bool) -> tuple[Any, Any]:
    """All viewers of one role see the same, except for their own address."""

    def make() -> _UsersForRole:
        seen = _UsersForRole([], [], {})
        for user in org.users.values():
            if not user.is_system_bot:
                target = seen.people if user.is_active else seen.inactive
                seen.indexes[user.id] = len(target)
                encoded = _cached_users(org, user, client_gravatar)
                target.append(encoded.as_seen_by(me.role))
        return seen

    seen = org.encoded.of_all_users((me.role, client_gravatar), make)
    people, myself = seen.people.copy(), org.users[me.id]
    if myself.is_active and not myself.is_system_bot:
        people[seen.indexes[me.id]] = _cached_users(org, myself, client_gravatar).with_email
    return Elements(people), Elements(seen.inactive)


def _visible_users(org: Organization, me: User, options: Options) -> tuple[Any, Any]:
    """For guests and spectators, who may know only some users. Older clients need placeholders
    for the others."""
    people, inactive = Elements(), Elements()
    unknown: list[User] = []
    for user in org.users.values():
        if user.is_system_bot:
            continue
        if org.may_know(me, user):
            (people if user.is_active else inactive).add(_shown(org, user, me, options))
        else:
            unknown.append(user)
    if not (me.is_spectator or options.capabilities.user_list_incomplete):
        for user in unknown:
            shown = unknown_user_object(org, user)
            shown.is_active = UNSET
            people.add(_encode(shown))
    return people, inactive


def _shown(org: Organization, user: User, me: User, options: Options) -> bytes:
    if me.is_spectator:
        shown = user_object(org, user, None, client_gravatar=False, with_activity=False)
        return _encode(shown)
    encoded = _cached_users(org, user, options.client_gravatar)
    return encoded.with_email if user.id == me.id else encoded.as_seen_by(me.role)


def prepare_user(org: Organization, user: User) -> None:
    """Encode a user in all ways that others see them."""
    for client_gravatar in (False, True):
        _cached_users(org, user, client_gravatar)


def _cached_users(org: Organization, user: User, client_gravatar: bool) -> EncodedUser:
    """A user in API format, encoded once for all who see them alike."""
    kept = org.encoded.user(user.id)
    known = kept.get(client_gravatar)
    if known is None:
        known = kept[client_gravatar] = _encoded(org, user, client_gravatar)
        if user.avatar_source != "G":
            kept[not client_gravatar] = known
    return known


def _encoded(org: Organization, user: User, client_gravatar: bool) -> EncodedUser:
    object_ = user_object(
        org, user, user, client_gravatar=client_gravatar, profile=True, with_activity=False
    )
    shown_to = domain.people.user.email_shown_to(user)
    with_email = without_email = _encode(object_)
    if shown_to < Role.GUEST:
        object_.delivery_email = None
        object_.avatar_url = avatar_url(org, user, client_gravatar=False)
        without_email = _encode(object_)
    return EncodedUser(shown_to, with_email, without_email)


def _myself(org: Organization, me: User, now: float) -> dict[str, Any]:
    def may(setting: str) -> bool:
        return REALM_PERMISSIONS[setting].is_open_to(me) and org.has_permission(
            me, org.realm_permission(setting), now
        )

    creates_public = may("can_create_public_channel_group")
    creates_private = may("can_create_private_channel_group")
    creates_web_public = may("can_create_web_public_channel_group")
    return {
        "user_id": me.id,
        "email": me.api_email(org.email_domain),
        "delivery_email": me.email,
        "full_name": me.full_name,
        "is_admin": me.is_admin,
        "is_owner": me.is_owner,
        "is_moderator": me.is_moderator,
        "is_guest": me.is_guest,
        "avatar_source": me.avatar_source,
        "avatar_url": avatar_url(org, me, client_gravatar=False),
        "avatar_url_medium": avatar_url(org, me, client_gravatar=False, medium=True),
        "can_create_private_streams": creates_private,
        "can_create_public_streams": creates_public,
        "can_create_web_public_streams": creates_web_public,
        "can_create_streams": creates_public or creates_private or creates_web_public,
        "can_invite_others_to_realm": may("can_invite_users_group"),
    }


def groups_state(org: Organization, me: User, options: Options, now: float) -> list[GroupObject]:
    viewer = None if me.is_spectator else me
    return [
        groups.group_object(org, group, viewer, now)
        for group in org.groups.values()
        if not group.deactivated or options.capabilities.include_deactivated_groups
    ]
