"""Housekeeping in the background: once a minute, each task by itself."""

from tertulia.actions import housekeeping, queues
from tertulia.events.delivery import Delivery
from tertulia.storage.database import Database


async def keep_positions(database: Database, delivery: Delivery) -> None:
    """Store how far queues have been read, then forget those that nobody polls."""
    for realm_id in list(delivery.organizations):
        here = database.of(realm_id)
        await here.write(queues.note_positions, delivery.positions(realm_id))
        for queue_id in await here.write(queues.delete_expired):
            delivery.close_queue(queue_id)
    delivery.give_up_cold_mailboxes()


async def forget_send_keys(database: Database, remembered_seconds: float) -> None:
    await database.write_in(0, housekeeping.forget_send_keys, remembered_seconds)


async def trim_logs(database: Database, delivery: Delivery) -> None:
    for realm_id in list(delivery.organizations):
        await database.of(realm_id).write(housekeeping.trim_log)
