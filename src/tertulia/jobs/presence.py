"""Presence in the background: the board is written down every other second, and cleared of those
who have long been gone."""

from tertulia.actions import presence
from tertulia.events.delivery import Delivery
from tertulia.events.directory import Organization
from tertulia.events.whispers import PresenceNoted
from tertulia.jobs.each import each
from tertulia.storage.database import Database
from tertulia.storage.presence import since


async def write_down(database: Database, delivery: Delivery) -> None:
    """Write down what is pending, and learn what other servers have written down."""

    async def keep(org: Organization) -> None:
        board, here = org.presence, database.of(org.realm.id)
        pending = board.pending()
        if pending:
            board.learn(await here.write(presence.note, pending, board.head))
            delivery.whisper(org.realm.id, PresenceNoted())
        elif board.is_stale:
            board.is_stale = False
            board.learn(await here.read(since, board.head))

    await each(delivery.organizations.values(), keep)


async def forget_stale(database: Database, delivery: Delivery) -> None:
    """Forget when people were last here who have not been for a year."""

    async def forget(org: Organization) -> None:
        here = database.of(org.realm.id)
        if await here.read(presence.is_stale):
            await here.write(presence.forget_stale)
        org.presence.forget_before(presence.oldest_kept(database.clock()))

    await each(delivery.organizations.values(), forget)
