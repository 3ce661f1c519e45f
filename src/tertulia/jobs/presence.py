"""Presence in the background: the board is written down every other second, and cleared of those
who have long been gone."""

from tertulia import actions, storage
from tertulia.events.delivery import Delivery
from tertulia.events.directory import Organization
from tertulia.events.whispers import PresenceNoted
from tertulia.jobs.each import each
from tertulia.storage.database import Database


async def write_down(database: Database, delivery: Delivery) -> None:
    """Write down what is pending, and learn what other servers have written down."""

    async def keep(org: Organization) -> None:
        board, here = org.presence, database.of(org.realm.id)
        pending = board.pending()
        if pending:
            board.learn(await here.write(actions.people.presence.note, pending, board.head))
            delivery.whisper(org.realm.id, PresenceNoted())
        elif board.is_stale:
            board.is_stale = False
            board.learn(await here.read(storage.people.presence.since, board.head))

    await each(delivery.organizations.values(), keep)


async def forget_stale(database: Database, delivery: Delivery) -> None:
    """Forget when people were last here who have not been for a year."""

    async def forget(org: Organization) -> None:
        here = database.of(org.realm.id)
        if await here.read(actions.people.presence.is_stale):
            await here.write(actions.people.presence.forget_stale)
        org.presence.forget_before(actions.people.presence.oldest_kept(database.clock()))

    await each(delivery.organizations.values(), forget)
