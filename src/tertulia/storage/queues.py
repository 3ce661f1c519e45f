"""Event queues as stored: who listens, to what, from where on."""

from dataclasses import dataclass

from tertulia.storage.tx import Row, Tx


@dataclass(frozen=True, slots=True)
class StoredQueue:
    id: str
    realm_id: int
    user_id: int
    options: str
    start_seq: int
    acked: int
    idle_seconds: int
    seen_at: float


def insert(tx: Tx, queue: StoredQueue) -> None:
    tx.execute(
        "INSERT INTO queue"
        " (id, realm_id, user_id, options, start_seq, acked, idle_seconds, created_at, seen_at)"
        " VALUES (:id, :realm, :user, :options, :start_seq, :acked, :idle, :now, :now)",
        id=queue.id,
        realm=queue.realm_id,
        user=queue.user_id,
        options=queue.options,
        start_seq=queue.start_seq,
        acked=queue.acked,
        idle=queue.idle_seconds,
        now=tx.now,
    )


def find(tx: Tx, queue_id: str) -> StoredQueue | None:
    row = tx.one(
        "SELECT * FROM queue WHERE id = :id AND realm_id = :realm", id=queue_id, realm=tx.realm_id
    )
    return None if row is None else _queue(row)


def of_user(tx: Tx, user_id: int) -> list[str]:
    rows = tx.all("SELECT id FROM queue WHERE user_id = :user", user=user_id)
    return [row["id"] for row in rows]


def count_of(tx: Tx, user_id: int) -> int:
    return int(tx.value("SELECT count(*) AS value FROM queue WHERE user_id = :user", user=user_id))


def delete(tx: Tx, queue_ids: list[str]) -> int:
    return tx.execute(
        "DELETE FROM queue WHERE realm_id = :realm AND id IN :ids",
        realm=tx.realm_id,
        ids=queue_ids,
    )


def note(tx: Tx, positions: list[tuple[str, int, float]]) -> None:
    """Remember how far queues have been read and when: (id, acknowledged, seen at)."""
    tx.execute_many(
        "UPDATE queue SET acked = CASE WHEN acked < :acked THEN :acked ELSE acked END,"
        " seen_at = CASE WHEN seen_at < :seen THEN :seen ELSE seen_at END WHERE id = :id",
        ({"id": queue_id, "acked": acked, "seen": seen} for queue_id, acked, seen in positions),
    )


def oldest_position(tx: Tx) -> int | None:
    """The event that the hindmost queue of the organization has read; None without queues."""
    found: int | None = tx.value(
        "SELECT min(acked) AS value FROM queue WHERE realm_id = :realm", realm=tx.realm_id
    )
    return found


def expired(tx: Tx, grace_seconds: float) -> list[str]:
    """Queues of the organization that nobody has polled for longer than they asked for."""
    rows = tx.all(
        "SELECT id FROM queue WHERE realm_id = :realm AND seen_at + idle_seconds < :latest",
        realm=tx.realm_id,
        latest=tx.now - grace_seconds,
    )
    return [row["id"] for row in rows]


def _queue(row: Row) -> StoredQueue:
    return StoredQueue(
        id=row["id"],
        realm_id=row["realm_id"],
        user_id=row["user_id"],
        options=row["options"],
        start_seq=row["start_seq"],
        acked=row["acked"],
        idle_seconds=row["idle_seconds"],
        seen_at=row["seen_at"],
    )
