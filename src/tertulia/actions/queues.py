"""Event queues: opening and closing them."""

import uuid

import msgspec

from tertulia.actions import reading
from tertulia.domain.users import User
from tertulia.errors import BadRequest
from tertulia.errors.events import BadQueue
from tertulia.events.listener import Options
from tertulia.events.mailbox import event_id
from tertulia.storage import queues
from tertulia.storage.queues import Position, StoredQueue
from tertulia.storage.tx import Tx

MOST_PER_USER = 1000
NOTED_WITHIN_SECONDS = 60  # another server may know of a poll, and has not told of it yet


def create(tx: Tx, user: User, options: Options, start_seq: int, idle_seconds: int) -> str:
    """Store a queue that begins after `start_seq`; gives its id."""
    if queues.count_of(tx, user.id) >= MOST_PER_USER:
        raise BadRequest(f"Too many event queues (limit: {MOST_PER_USER})")
    queue = StoredQueue(
        id=str(uuid.uuid4()),
        realm_id=tx.realm_id,
        user_id=user.id,
        options=msgspec.json.encode(options).decode(),
        start_seq=start_seq,
        acked=event_id(start_seq),
        scanned=start_seq,
        idle_seconds=idle_seconds,
        seen_at=tx.now,
    )
    queues.insert(tx, queue)
    reading.catch_up(tx, user.id)
    return queue.id


def delete(tx: Tx, user: User, queue_id: str) -> None:
    queue = queues.find(tx, queue_id)
    if queue is None or queue.user_id != user.id:
        raise BadQueue(queue_id=queue_id)
    queues.delete(tx, [queue_id])


def note_positions(tx: Tx, positions: list[Position]) -> None:
    """Store how far queues have been read."""
    queues.note(tx, positions)


def put_forward(tx: Tx, seconds: float) -> None:
    """The clock was put forward: that makes nobody idle."""
    queues.put_forward(tx, seconds)


def delete_expired(tx: Tx, now: float) -> list[str]:
    """Forget queues that nobody has polled for too long; gives their ids.

    It is `now` as it was before positions were noted: had the clock been put forward since, all
    of them would seem idle.
    """
    gone = queues.expired(tx, now - NOTED_WITHIN_SECONDS)
    queues.delete(tx, gone)
    return gone
