"""Recognizing the log that a client knows: by the stamp of the last event that it has.

A copy may have been put back, or a standby may have taken over that lacks the last events. Then the
same numbers stand for other events. A queue continues where the client's last event is in our log,
and ends where it is not.
"""

from tertulia import events, storage
from tertulia.database import Database
from tertulia.errors.events import BadQueue
from tertulia.events.delivery.mailbox import MAX_INDEX, Mailbox
from tertulia.events.directory.follower import Follower
from tertulia.log import log
from tertulia.storage.queues import StoredQueue


async def recognize(
    database: Database, mailbox: Mailbox, last_event_id: int
) -> tuple[int, int | None]:
    """The id that a client has got to, and its place among the ids of one event.

    Raises BadQueue if it comes from another log. A server that knows no stamps gives out ids
    without an offset; it is added here.
    """
    seq = events.delivery.mailbox.seq_of(last_event_id)
    is_stamped = events.delivery.mailbox.is_stamped(last_event_id)
    is_known = is_stamped and mailbox.knows(last_event_id)
    if is_known or seq <= events.delivery.mailbox.seq_of(mailbox.start):
        return last_event_id, None
    stamp = await database.query(mailbox.realm_id, storage.log.stamp_at, seq)
    if not is_stamped:
        index = last_event_id - events.delivery.mailbox.event_id(seq)
        if not stamp or index >= MAX_INDEX:
            return last_event_id, None
        return events.delivery.mailbox.event_id(seq, index, stamp), index
    found = events.delivery.mailbox.index_of(last_event_id, stamp)
    if found is None:
        log.warning("events.queue_invalidated", realm_id=mailbox.realm_id, seq=seq)
        raise BadQueue(queue_id=mailbox.listener.queue_id)
    return last_event_id, found


async def check_epoch(follower: Follower, stored: StoredQueue, last_event_id: int) -> None:
    """Raises BadQueue for a queue of another epoch.

    A change of the timeline alone is none: what the client knows is recognized by its stamp then.
    An id without one is good as far as the queue was known to be read before that.
    """
    org = follower.organizations[stored.realm_id]
    if not stored.epoch or stored.epoch == org.epoch:
        return
    await follower.catch_up()
    is_begun = storage.log.branch(stored.epoch) != storage.log.branch(org.epoch)
    is_unknown = (
        stored.epoch != org.epoch
        and not events.delivery.mailbox.is_stamped(last_event_id)
        and events.delivery.mailbox.seq_of(last_event_id) > stored.scanned
    )
    if is_begun or is_unknown:
        raise BadQueue(queue_id=stored.id)
