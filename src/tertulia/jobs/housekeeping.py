"""Housekeeping in the background: once a minute, each task by itself."""

from tertulia.actions import housekeeping, queues
from tertulia.events.delivery import Delivery
from tertulia.storage.database import Database


async def keep_positions(database: Database, delivery: Delivery) -> None:
    """Store how far queues have been read, then forget those that nobody polls."""
    await database.write_in(0, queues.note_positions, delivery.positions())
    for queue_id in await database.write_in(0, queues.delete_expired):
        delivery.close_queue(queue_id)
    delivery.give_up_cold_mailboxes()


async def forget_send_keys(database: Database, remembered_seconds: float) -> None:
    await database.write_in(0, housekeeping.forget_send_keys, remembered_seconds)


async def trim_logs(database: Database, delivery: Delivery) -> None:
    for realm_id in list(delivery.organizations):
        await database.of(realm_id).write(housekeeping.trim_log)
