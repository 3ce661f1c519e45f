"""Event queues: opening and closing them."""

import uuid

import msgspec

from tertulia import actions, events, storage
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.domain.people.user import User
from tertulia.errors.events import BadQueue
from tertulia.events.listener import Options
from tertulia.storage.queues import Position, StoredQueue

MAX_PER_USER = 200
NOTED_WITHIN_SECONDS = 60  # another server may know of a poll, and has not told of it yet


def new(
    user: User, options: Options, start: LogPosition, idle_seconds: int, now: float
) -> StoredQueue:
    """A queue that begins after `start`."""
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


def keep(tx: Tx, user: User, queue: StoredQueue) -> list[str]:
    """Store a queue of somebody who is still who they were; gives those that were given up for it.

    Where there are too many, those give way that nobody has polled for longest: a client that
    begins anew all the time goes on, and one whose queue is gone knows how to begin anew.

    The log knows nothing of queues, so this need not wait for those who write there.
    """
    is_kept = tx.later(storage.queues.insert, queue, user.role)
    given_up = tx.later(storage.queues.give_up, queue, keep=MAX_PER_USER - 1)
    if not is_kept():
        actions.groups.permissions.check_rank(tx, user)
    return given_up()


def delete(tx: Tx, user: User, queue_id: str) -> None:
    queue = storage.queues.find(tx, queue_id)
    if queue is None or queue.user_id != user.id:
        raise BadQueue(queue_id=queue_id)
    storage.queues.delete(tx, [queue_id])


def note_positions(tx: Tx, positions: list[Position], known: tuple[int, int]) -> None:
    """Store how far queues have been read, unless the log is not the one in which they were.

    `known` is the last event that the server knows, with its stamp.
    """
    if storage.log.holds(tx, *known):
        storage.queues.note(tx, positions)


def put_forward(tx: Tx, seconds: float) -> None:
    """The clock was put forward: that makes nobody idle."""
    storage.queues.put_forward(tx, seconds)


def realms_with_expired(tx: Tx, now: float) -> list[int]:
    """Where `delete_expired` would find something."""
    return storage.queues.realms_with_expired(tx, now - NOTED_WITHIN_SECONDS)


def delete_expired(tx: Tx, now: float) -> list[str]:
    """Forget queues that nobody has polled for too long; gives their ids.

    It is `now` as it was before positions were noted: had the clock been put forward since, all
    of them would seem idle.
    """
    gone = storage.queues.expired(tx, now - NOTED_WITHIN_SECONDS)
    storage.queues.delete(tx, gone)
    return gone
