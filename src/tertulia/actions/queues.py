"""Event queues: creation and deletion."""

import uuid

import msgspec

from tertulia import events, storage
from tertulia.actions.groups import permissions
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors.events import BadQueue
from tertulia.events.listener import Options
from tertulia.storage.queues import Position, StoredQueue

MAX_PER_USER = 200
POSITION_INTERVAL_SECONDS = 60  # another server may have a newer poll that is not stored yet


def new(
    user: User, options: Options, start: LogPosition, idle_seconds: int, now: float
) -> StoredQueue:
    """A queue that starts after `start`."""
    return StoredQueue(
        id=str(uuid.uuid4()),
        realm_id=user.realm_id,
        user_id=user.id,
        options=msgspec.json.encode(options).decode(),
        start_seq=start.seq,
        acked=events.delivery.mailbox.event_id(start.seq),
        scanned=start.seq,
        idle_seconds=idle_seconds,
        seen_at=now,
        epoch=start.epoch,
    )


def store(tx: Tx, user: User, queue: StoredQueue) -> list[str]:
    """Store a queue, if the user still has the same role. Returns the ids of queues deleted for it.

    If a user has too many, the least recently polled ones are deleted. Their clients register
    again.

    Queues are not in the log, so this need not wait for its writer.
    """
    if not storage.queues.insert(tx, queue, user.role):
        permissions.check_role(tx, user)
    return storage.queues.delete_excess(tx, queue, keep=MAX_PER_USER - 1)


def delete(tx: Tx, user: User, queue_id: str) -> None:
    queue = storage.queues.find(tx, queue_id)
    if queue is None or queue.user_id != user.id:
        raise BadQueue(queue_id=queue_id)
    storage.queues.delete(tx, [queue_id])


def store_positions(tx: Tx, positions: list[Position], known: LogPosition) -> None:
    """Store how far queues have been read, unless the log is another one.

    `known` is the last event that the server knows.
    """
    if storage.log.holds(tx, known):
        storage.queues.store_positions(tx, positions)


def extend_idle_deadlines(tx: Tx, seconds: float) -> None:
    """The clock jumped forward: that makes no queue idle."""
    storage.queues.shift_poll_times(tx, seconds)


def realms_with_expired(tx: Tx, now: float) -> list[int]:
    """Organizations in which `delete_expired` has something to do."""
    return storage.queues.realms_with_expired(tx, now - POSITION_INTERVAL_SECONDS)


def delete_expired(tx: Tx, now: float) -> list[str]:
    """Delete queues that were not polled for too long. Returns their ids.

    `now` is the time before positions were stored: if the clock jumped forward since, all of them
    would seem idle.
    """
    gone = storage.queues.expired(tx, now - POSITION_INTERVAL_SECONDS)
    storage.queues.delete(tx, gone)
    return gone
