"""Stamp check: verifies by a stamp that the client's last event is in our log.

After a restore from backup, or a failover to a replica that lacks the last events, the same numbers
belong to other events. A queue continues if the client's last event is in our log and ends
otherwise.
"""

from tertulia import storage
from tertulia.database import Database
from tertulia.errors.events import BadQueue
from tertulia.events.delivery.mailbox import (
    MAX_INDEX,
    Mailbox,
    event_id,
    index_of,
    is_stamped,
    seq_of,
)
from tertulia.events.directory.follower import Follower
from tertulia.log import log
from tertulia.storage.queues import StoredQueue


async def check(database: Database, mailbox: Mailbox, last_event_id: int) -> tuple[int, int | None]:
    """The id of the client's last event, and its index among the ids of one log event.

    Raises BadQueue if it is from another log. An older server issues ids without an offset; it is
    added here.
    """
    seq = seq_of(last_event_id)
    stamped = is_stamped(last_event_id)
    is_known = stamped and mailbox.has_issued(last_event_id)
    if is_known or seq <= seq_of(mailbox.start):
        return last_event_id, None
    stamp = await database.of(mailbox.realm_id).query(storage.log.stamp_at, seq)
    if not stamped:
        index = last_event_id - event_id(seq)
        if not stamp or index >= MAX_INDEX:
            return last_event_id, None
        return event_id(seq, index, stamp), index
    found = index_of(last_event_id, stamp)
    if found is None:
        log.warning("events.queue_invalidated", realm_id=mailbox.realm_id, seq=seq)
        raise BadQueue(queue_id=mailbox.listener.queue_id)
    return last_event_id, found


async def check_epoch(follower: Follower, stored: StoredQueue, last_event_id: int) -> None:
    """Raises BadQueue for a queue of another epoch.

    A change of the database timeline alone is not another epoch: the stamp of the client's last
    event decides then. An id without a stamp is accepted up to the position that was stored before
    the change.
    """
    org = follower.organizations[stored.realm_id]
    if not stored.epoch or stored.epoch == org.position.epoch:
        return
    await follower.catch_up()
    is_unknown = (
        stored.epoch != org.position.epoch
        and not is_stamped(last_event_id)
        and seq_of(last_event_id) > stored.scanned
    )
    if is_unknown or not stored.position.is_in_epoch_of(org.position):
        raise BadQueue(queue_id=stored.id)
