"""Presence: reporting the caller's and reading that of others."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from tertulia import api, domain, events
from tertulia.api.call import Call
from tertulia.domain.people.presence import OFFLINE_AFTER_SECONDS, Doing
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.people import UserIsDeactivated, UserNotFound
from tertulia.events.ephemeral import ServerTimestamp, UserActive
from tertulia.events.presence import ClientPresence, PresencesByUser, UserPresence
from tertulia.http.parameter_rules import AtLeast, AtMost, MaxLength
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import AddressOfUser, SlimPresence, UserId

MAX_HISTORY_DAYS = 36_500


class Presences(Reply):
    presences: Annotated[
        PresencesByUser | UnsetType,
        Doc("The presence of users by id, or in the older format by address."),
    ] = UNSET
    server_timestamp: ServerTimestamp | UnsetType = UNSET
    presence_last_update_id: Annotated[
        int | UnsetType, Doc("The number of the last update, for the next request.")
    ] = UNSET


class OnePresence(Reply):
    presence: Annotated[
        UserPresence, Doc("The presence of the user, in the new and the older format.")
    ]
    server_timestamp: ServerTimestamp


async def report(
    call: Call,
    *,
    status: Annotated[str, MaxLength(100), Doc("`active` or `idle`.", example="active")],
    ping_only: Annotated[
        bool, Doc("Whether to omit the presence of other users from the response.")
    ] = False,
    new_user_input: Annotated[
        bool, Doc("Whether the user has been active since the last request.")
    ] = False,
    slim_presence: SlimPresence = False,
    last_update_id: Annotated[
        int | None, Doc("The last received presence update; only later ones are returned.")
    ] = None,
    history_limit_days: (
        Annotated[
            int, AtLeast(0), AtMost(MAX_HISTORY_DAYS), Doc("How many days of presence to include.")
        ]
        | None
    ) = None,
) -> Presences:
    """Send the caller's presence and get that of others."""
    if status not in ("active", "idle"):
        raise BadRequest(f"Invalid status: {status}")
    if events.snapshot.presence.is_shown(call.org) and call.user.prefers("presence_enabled"):
        _ping(call, "active" if status == "active" else "idle")
    if ping_only:
        return Presences()
    slim = slim_presence or last_update_id is not None
    return Presences(
        presences=events.snapshot.presence.presences(
            call.org, call.user, slim, last_update_id, history_limit_days, call.now
        ),
        server_timestamp=call.now,
        presence_last_update_id=call.org.presence.head,
    )


async def list_all(call: Call) -> Presences:
    """Get the presence of all users."""
    presences = events.snapshot.presence.presences(call.org, call.user, False, None, None, call.now)
    return Presences(presences=presences, server_timestamp=call.now)


async def by_id(call: Call, user_id: UserId) -> OnePresence:
    """Get the presence of a user."""
    return _one(call, api.people.visible_users.with_id(call, user_id), str(user_id))


async def by_email(call: Call, email: AddressOfUser) -> OnePresence:
    """Get the presence of a user, by email address."""
    return _one(call, api.people.visible_users.with_address(call, email), email)


def _ping(call: Call, doing: Doing) -> None:
    org, now = call.org, call.now
    presence, is_news = org.presence.touch(call.user.id, doing, now)
    if (
        is_news
        and presence.active_at is not None
        and org.head_count() <= domain.limits.MAX_PRESENCE_USERS
    ):
        event = UserActive(call.user.id, presence.active_at, presence.idle_at, now)
        call.delivery.publish_ephemeral(org.realm.id, event)


def _one(call: Call, user: User | None, name: str) -> OnePresence:
    if user is None:
        raise UserNotFound()
    if not user.is_active:
        raise UserIsDeactivated()
    if user.is_bot:
        raise BadRequest("Presence is not supported for bot users.")
    found = call.org.presence.find(user.id)
    if found is None or not events.snapshot.presence.is_shown(call.org):
        raise BadRequest(f"No presence data for {name}")
    legacy = found.legacy()
    status, timestamp = legacy["status"], legacy["timestamp"]
    is_offline = call.now - timestamp > OFFLINE_AFTER_SECONDS
    return OnePresence(
        presence=UserPresence(
            **found.modern(user.joined_at),
            aggregated=ClientPresence(
                status="offline" if is_offline else status, timestamp=timestamp
            ),
            website=ClientPresence(status=status, timestamp=timestamp),
        ),
        server_timestamp=call.now,
    )
