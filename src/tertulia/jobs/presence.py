"""Presence in the background: the board is written down every other second, and cleared of those
who have long been gone."""

from tertulia.actions import presence
from tertulia.events.delivery import Delivery
from tertulia.events.whispers import PresenceNoted
from tertulia.storage.database import Database
from tertulia.storage.presence import since


async def write_down(database: Database, delivery: Delivery) -> None:
    """Write down what is pending, and learn what other servers have written down."""
    for realm_id, org in list(delivery.organizations.items()):
        board = org.presence
        pending = board.pending()
        if pending:
            board.learn(await database.of(realm_id).write(presence.note, pending, board.head))
            delivery.whisper(realm_id, PresenceNoted())
        elif board.is_stale:
            board.is_stale = False
            board.learn(await database.of(realm_id).read(since, board.head))


async def forget_stale(database: Database, delivery: Delivery) -> None:
    """Forget when people were last here who have not been for a year."""
    for realm_id, org in list(delivery.organizations.items()):
        here = database.of(realm_id)
        if await here.read(presence.is_stale):
            await here.write(presence.forget_stale)
        org.presence.forget_before(presence.oldest_kept(database.clock()))
