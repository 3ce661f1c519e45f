"""Presence: reported by clients, kept in memory, and written to the database every other second.

The core has it in the state of the organization (`events/presence.py`).
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from tertulia import api, domain, events, storage
from tertulia.api.call import Call, Services
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.domain.people.presence import EXPIRY_DAYS, OFFLINE_AFTER_SECONDS, Doing, Presence
from tertulia.domain.people.user import SECONDS_PER_DAY, User
from tertulia.errors import BadRequest
from tertulia.errors.people import UserIsDeactivated, UserNotFound
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.events.ephemeral import PresenceChanged, ServerTimestamp, UserActive
from tertulia.events.presence import ClientPresence, PresencesByUser, UserPresence
from tertulia.features.feature import Feature
from tertulia.http.parameter_rules import AtLeast, AtMost, MaxLength
from tertulia.http.replies import Reply
from tertulia.jobs.runner import Job, for_each, leader_job
from tertulia.storage.people.presence import NumberedPresence
from tertulia.wire import Doc
from tertulia.wire_fields import AddressOfUser, SlimPresence, UserId

PRESENT_SECONDS = 200  # a user who was active so recently sees new messages
LISTENING_SECONDS = 600  # if one of their clients has polled so recently


def _insert(tx: Tx, presences: dict[int, Presence]) -> None:
    """Store presences, and number the changes."""
    last = tx.value("SELECT max(update_id) AS value FROM presence WHERE realm_id = :realm")
    tx.insert_rows(
        "presence",
        (
            {"user_id": user_id, "update_id": number, **asdict(presence)}
            for number, (user_id, presence) in enumerate(presences.items(), (last or 0) + 1)
        ),
        "ON CONFLICT (user_id) DO UPDATE SET active_at = excluded.active_at,"
        " idle_at = excluded.idle_at, update_id = excluded.update_id",
    )


def record(tx: Tx, pending: dict[int, Presence], known: int) -> list[NumberedPresence]:
    """Store a batch. Returns all changes after the last known number."""
    _insert(tx, pending)
    return storage.people.presence.since(tx, known)


def delete_old(tx: Tx, before: float) -> int:
    """Delete presences before a time, except for the newest change: numbers continue after it."""
    return tx.execute(
        "DELETE FROM presence WHERE realm_id = :realm AND idle_at < :before"
        " AND update_id < (SELECT max(update_id) FROM presence WHERE realm_id = :realm)",
        before=before,
    )


# --- endpoints ---


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
        and org.accounts.active_count() <= domain.limits.MAX_PRESENCE_USERS
    ):
        event = UserActive(call.user.id, presence.active_at, presence.idle_at, now)
        call.delivery.ephemeral.publish(org.realm.id, event)


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


# --- jobs ---


async def store(database: Database, delivery: Delivery) -> None:
    """Write pending presence, and read what other servers have written."""

    async def save(org: Organization) -> None:
        board, here = org.presence, database.of(org.realm.id)
        pending = board.pending()
        if pending:
            board.load(await here.write(record, pending, board.head))
            delivery.ephemeral.publish(org.realm.id, PresenceChanged())
        elif board.is_stale:
            board.is_stale = False
            board.load(await here.read(storage.people.presence.since, board.head))

    await for_each(delivery.organizations.values(), save)


async def delete_stale(database: Database, delivery: Delivery) -> None:
    """Delete the presence of users who were not active for a year."""

    async def forget(realm_id: int) -> None:
        await database.of(realm_id).write(delete_old, oldest)

    oldest = database.clock() - EXPIRY_DAYS * SECONDS_PER_DAY
    await for_each(
        await database.of(0).query(storage.housekeeping_queries.with_old_presence, oldest), forget
    )
    for org in delivery.organizations.values():
        org.presence.delete_before(oldest)


async def present_until(database: Database, org: Organization, user_id: int) -> float:
    """Until when a user counts as present without further activity; 0 if they are away.

    A user is present who was active lately and has a client that receives messages.
    """
    presence = org.presence.find(user_id)
    if presence is None or presence.active_at is None:
        return 0.0
    active_until = presence.active_at + PRESENT_SECONDS
    now = database.clock()
    if active_until <= now:
        return 0.0
    queues = await database.of(org.realm.id).read(
        storage.queues.polled_since, user_id, now - LISTENING_SECONDS
    )
    polled_at = [
        seen_at
        for options, seen_at in queues
        if (wanted := events.listener.decode_options(options).event_types) is None
        or "message" in wanted
    ]
    return min(active_until, max(polled_at) + LISTENING_SECONDS) if polled_at else 0.0


def _jobs(services: Services) -> Iterator[Job]:
    both = services.database, services.delivery
    yield Job("presence", 2, partial(store, *both))
    yield leader_job("stale presence", 3600, partial(delete_stale, *both))


FEATURE = Feature(shows_ids={"members": ["GET /users/{user_id}/presence"]}, jobs=_jobs)
