"""People and groups as told at register."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw

from tertulia import domain, events
from tertulia.domain.groups.group import REALM_PERMISSIONS
from tertulia.domain.people.user import Role, User
from tertulia.events.directory import EncodedUser, Organization
from tertulia.events.listener import Options
from tertulia.events.types.groups import GroupObject
from tertulia.events.types.people.user import UserObject

_encode = msgspec.json.Encoder().encode


def users_state(org: Organization, me: User, options: Options, now: float) -> dict[str, Any]:
    def shown(user: User) -> Raw | UserObject:
        if me.is_spectator:
            return events.types.people.user.user_object(
                org, user, None, client_gravatar=False, tells_activity=False
            )
        return encoded_user(org, user, me, client_gravatar=options.client_gravatar)

    everybody = [user for user in org.users.values() if not user.is_system_bot]
    people = [user for user in everybody if org.may_know(me, user)]
    unknown: list[UserObject] = []
    if not (me.is_spectator or options.capabilities.user_list_incomplete):
        unknown = [
            _without_activity(events.types.people.user.unknown_user_object(org, user))
            for user in everybody
            if not org.may_know(me, user)
        ]
    return {
        "realm_users": [shown(user) for user in people if user.is_active] + unknown,
        "realm_non_active_users": [shown(user) for user in people if not user.is_active],
        "cross_realm_bots": [
            events.types.people.user.user_object(
                org,
                user,
                None if me.is_spectator else me,
                client_gravatar=options.client_gravatar,
            )
            for user in org.users.values()
            if user.is_system_bot
        ],
        **_myself(org, me, now),
    }


def _without_activity(shown: UserObject) -> UserObject:
    shown.is_active = UNSET
    return shown


def encoded_user(org: Organization, user: User, me: User, *, client_gravatar: bool) -> Raw:
    """A user as told at register, made once for all who see them alike."""
    kept = org.kept_user(user.id)
    known = kept.get(client_gravatar)
    if known is None:
        known = kept[client_gravatar] = _encoded(org, user, client_gravatar)
        if user.avatar_source != "G":
            kept[not client_gravatar] = known
    sees_email = me.role <= known.email_shown_to or me.id == user.id
    return Raw(known.with_email if sees_email else known.without_email)


def _encoded(org: Organization, user: User, client_gravatar: bool) -> EncodedUser:
    object_ = events.types.people.user.user_object(
        org, user, user, client_gravatar=client_gravatar, profile=True, tells_activity=False
    )
    shown_to = domain.people.user.email_shown_to(user)
    with_email = without_email = _encode(object_)
    if shown_to < Role.GUEST:
        object_.delivery_email = None
        object_.avatar_url = events.types.people.user.avatar_url(org, user, client_gravatar=False)
        without_email = _encode(object_)
    return EncodedUser(shown_to, with_email, without_email)


def _myself(org: Organization, me: User, now: float) -> dict[str, Any]:
    def may(setting: str) -> bool:
        return REALM_PERMISSIONS[setting].is_open_to(me) and org.holds(
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
        "avatar_url": events.types.people.user.avatar_url(org, me, client_gravatar=False),
        "avatar_url_medium": events.types.people.user.avatar_url(
            org, me, client_gravatar=False, medium=True
        ),
        "can_create_private_streams": creates_private,
        "can_create_public_streams": creates_public,
        "can_create_web_public_streams": creates_web_public,
        "can_create_streams": creates_public or creates_private or creates_web_public,
        "can_invite_others_to_realm": may("can_invite_users_group"),
    }


def groups_state(org: Organization, me: User, options: Options, now: float) -> list[GroupObject]:
    viewer = None if me.is_spectator else me
    return [
        events.types.groups.group_object(org, group, viewer, now)
        for group in org.groups.values()
        if not group.deactivated or options.capabilities.include_deactivated_groups
    ]
