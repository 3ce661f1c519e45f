"""Stored event queues: their owner, their options and their position."""

import msgspec

from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.domain.limits import MAX_ID
from tertulia.storage.row_mapper import RowMapper


class StoredQueue(msgspec.Struct, frozen=True):
    id: str
    realm_id: int
    user_id: int
    options: str
    start_seq: int
    acked: int
    scanned: int
    idle_seconds: int
    seen_at: float
    epoch: str  # of the log in which it is a position

    @property
    def position(self) -> LogPosition:
        return LogPosition(self.scanned, self.epoch)


_QUEUES = RowMapper(StoredQueue, "queue")


class Position(msgspec.Struct, frozen=True):
    """How far a queue was read, and when."""

    queue_id: str
    acked: int  # the last event that the client has confirmed
    scanned: int  # up to here the log has nothing that the client lacks
    seen_at: float


def insert(tx: Tx, queue: StoredQueue, role: int) -> bool:
    """Store a queue, also again, unless its owner has lost the role.

    The check and the insert are one statement, so an account cannot be deactivated between them.
    """
    return tx.exists(
        "INSERT INTO queue"
        " (id, realm_id, user_id, options, start_seq, acked, scanned, idle_seconds, created_at,"
        " seen_at, epoch) SELECT :id, :realm, a.id, :options, :start_seq, :acked, :scanned,"
        " :idle, :now, :now, :epoch FROM account a"
        " WHERE a.id = :user AND a.realm_id = :realm AND a.is_active AND a.role <= :role"
        f"{tx.dialect.sql.row_lock} ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at"
        " RETURNING id",
        role=role,
        id=queue.id,
        realm=queue.realm_id,
        user=queue.user_id,
        options=queue.options,
        start_seq=queue.start_seq,
        acked=queue.acked,
        scanned=queue.scanned,
        idle=queue.idle_seconds,
        now=tx.now,
        epoch=queue.epoch,
    )


def find(tx: Tx, queue_id: str) -> StoredQueue | None:
    return _QUEUES.find(tx, id=queue_id)


def of_user(tx: Tx, user_id: int) -> list[str]:
    return tx.column("SELECT id FROM queue WHERE user_id = :user", user=user_id)


def polled_since(tx: Tx, user_id: int, since: float) -> list[tuple[str, float]]:
    """The options of a user's recently polled queues, and when they were polled."""
    return tx.tuples(
        "SELECT options, seen_at FROM queue"
        " WHERE user_id = :user AND realm_id = :realm AND seen_at > :since",
        user=user_id,
        since=since,
    )


def delete_excess(tx: Tx, queue: StoredQueue, *, keep: int) -> list[str]:
    """Delete all queues of the owner of one, except for it and the `keep` that were polled last."""
    return tx.column(
        "DELETE FROM queue WHERE id IN (SELECT q.id FROM queue q WHERE q.user_id = :user"
        " AND q.id <> :id ORDER BY q.seen_at DESC, q.created_at DESC LIMIT :all OFFSET :keep)"
        " RETURNING id",
        user=queue.user_id,
        id=queue.id,
        all=MAX_ID,
        keep=keep,
    )


def delete_of_users(tx: Tx, user_ids: list[int]) -> None:
    tx.delete("queue", user_id=user_ids)


def delete(tx: Tx, queue_ids: list[str]) -> int:
    return tx.delete("queue", id=queue_ids)


def delete_all(tx: Tx) -> None:
    tx.execute("DELETE FROM queue WHERE realm_id = :realm")


def store_positions(tx: Tx, positions: list[Position]) -> None:
    """Record how far queues were read; another server may have recorded more."""
    tx.execute_many(
        "UPDATE queue SET acked = CASE WHEN acked < :acked THEN :acked ELSE acked END,"
        " scanned = CASE WHEN scanned < :scanned THEN :scanned ELSE scanned END,"
        " seen_at = CASE WHEN seen_at < :seen THEN :seen ELSE seen_at END WHERE id = :id",
        (
            {
                "id": position.queue_id,
                "acked": position.acked,
                "scanned": position.scanned,
                "seen": position.seen_at,
            }
            for position in positions
        ),
    )


def shift_poll_times(tx: Tx, seconds: float) -> None:
    """After the clock was set forward: move the times of earlier polls forward, too."""
    tx.execute(
        "UPDATE queue SET seen_at = seen_at + :seconds"
        " WHERE realm_id = :realm AND seen_at <= :before",
        seconds=seconds,
        before=tx.now - seconds,
    )


def oldest_position(tx: Tx) -> int | None:
    """The position up to which no queue of the organization needs the log; None without queues."""
    found: int | None = tx.value("SELECT min(scanned) AS value FROM queue WHERE realm_id = :realm")
    return found


def behind(tx: Tx, seq: int) -> list[str]:
    """The queues that still need events before a position."""
    return tx.column("SELECT id FROM queue WHERE realm_id = :realm AND scanned < :seq", seq=seq)


def expired(tx: Tx, at: float) -> list[str]:
    """Queues of the organization that were not polled for longer than their idle time."""
    return tx.column(
        "SELECT id FROM queue WHERE realm_id = :realm AND seen_at + idle_seconds < :at", at=at
    )


def realms_with_expired(tx: Tx, at: float) -> list[int]:
    """Organizations with such queues."""
    return tx.column(
        "SELECT DISTINCT realm_id FROM queue WHERE seen_at + idle_seconds < :at", at=at
    )
