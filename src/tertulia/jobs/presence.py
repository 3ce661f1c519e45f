"""Presence: writes it to the database every other second, deletes old entries, and answers whether
a user is present."""

from tertulia import actions, events, storage
from tertulia.database import Database
from tertulia.domain.personal.missed_messages import LISTENING_SECONDS, PRESENT_SECONDS
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.events.ephemeral import PresenceChanged
from tertulia.jobs.for_each import each


async def store(database: Database, delivery: Delivery) -> None:
    """Write pending presence, and read what other servers have written."""

    async def save(org: Organization) -> None:
        board, here = org.presence, database.of(org.realm.id)
        pending = board.pending()
        if pending:
            board.load(await here.write(actions.people.presence.record, pending, board.head))
            delivery.publish_ephemeral(org.realm.id, PresenceChanged())
        elif board.is_stale:
            board.is_stale = False
            board.load(await here.read(storage.people.presence.since, board.head))

    await each(delivery.organizations.values(), save)


async def delete_stale(database: Database, delivery: Delivery) -> None:
    """Delete the presence of users who were not active for a year."""

    async def forget(realm_id: int) -> None:
        await database.of(realm_id).write(actions.people.presence.delete_stale)

    oldest = actions.people.presence.expiry_threshold(database.clock())
    await each(
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
