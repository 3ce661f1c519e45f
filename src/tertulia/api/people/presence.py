"""Presence: reporting the caller's and reading that of others."""

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from tertulia import api, domain, events
from tertulia.api.call import Call
from tertulia.domain.people.presence import OFFLINE_AFTER_SECONDS, Doing
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.people import UserIsDeactivated, UserNotFound
from tertulia.events.ephemeral import UserActive
from tertulia.http.parameter_rules import AtLeast, AtMost, MaxLength
from tertulia.http.replies import Reply

MAX_HISTORY_DAYS = 36_500


class Presences(Reply):
    presences: dict[str, Any] | UnsetType = UNSET
    server_timestamp: float | UnsetType = UNSET
    presence_last_update_id: int | UnsetType = UNSET


class OnePresence(Reply):
    presence: dict[str, Any]
    server_timestamp: float


async def report(
    call: Call,
    *,
    status: Annotated[str, MaxLength(100)],
    ping_only: bool = False,
    new_user_input: bool = False,
    slim_presence: bool = False,
    last_update_id: int | None = None,
    history_limit_days: (Annotated[int, AtLeast(0), AtMost(MAX_HISTORY_DAYS)] | None) = None,
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


async def by_id(call: Call, user_id: int) -> OnePresence:
    """Get the presence of a user."""
    return _one(call, api.people.visible_users.with_id(call, user_id), str(user_id))


async def by_email(call: Call, email: str) -> OnePresence:
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
    seen = {"status": legacy["status"], "timestamp": legacy["timestamp"]}
    is_offline = call.now - legacy["timestamp"] > OFFLINE_AFTER_SECONDS
    return OnePresence(
        presence={
            **found.modern(user.joined_at),
            "aggregated": seen | ({"status": "offline"} if is_offline else {}),
            "website": seen,
        },
        server_timestamp=call.now,
    )
