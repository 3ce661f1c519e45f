"""Sessions, found by the fingerprint of what the browser's cookie holds."""

from tertulia.domain.people.sessions import Session
from tertulia.storage.database.tx import Row, Tx

_COLUMNS = "id, user_id, agent, address, made_at, seen_at"


def find(tx: Tx, fingerprint: bytes) -> Session | None:
    row = tx.one(
        f"SELECT {_COLUMNS} FROM session WHERE fingerprint = :fingerprint AND realm_id = :realm",
        fingerprint=fingerprint,
    )
    return None if row is None else _session(row)


def of_user(tx: Tx, user_id: int, seen_after: float) -> list[Session]:
    """Those that were used since then, the last one first."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM session WHERE user_id = :user AND realm_id = :realm"
        " AND seen_at >= :after ORDER BY seen_at DESC, id DESC",
        user=user_id,
        after=seen_after,
    )
    return [_session(row) for row in rows]


def insert(tx: Tx, user_id: int, fingerprint: bytes, agent: str, address: str) -> int:
    return tx.insert(
        "INSERT INTO session (realm_id, user_id, fingerprint, agent, address, made_at, seen_at)"
        " VALUES (:realm, :user, :fingerprint, :agent, :address, :now, :now) RETURNING id",
        user=user_id,
        fingerprint=fingerprint,
        agent=agent,
        address=address,
        now=tx.now,
    )


def note_seen(tx: Tx, session_id: int, address: str) -> None:
    tx.execute(
        "UPDATE session SET seen_at = :now, address = :address"
        " WHERE id = :id AND realm_id = :realm",
        now=tx.now,
        address=address,
        id=session_id,
    )


def delete(tx: Tx, user_id: int, session_id: int) -> bool:
    """Whether there was such a session of theirs."""
    done = tx.execute(
        "DELETE FROM session WHERE id = :id AND user_id = :user AND realm_id = :realm",
        id=session_id,
        user=user_id,
    )
    return done > 0


def delete_all(tx: Tx, user_id: int, but: int | None = None) -> bool:
    """Delete somebody's sessions, but perhaps for one; whether there were any."""
    done = tx.execute(
        "DELETE FROM session WHERE user_id = :user AND realm_id = :realm AND id <> :but",
        user=user_id,
        but=but or 0,
    )
    return done > 0


def delete_unseen(tx: Tx, since: float) -> None:
    tx.execute("DELETE FROM session WHERE realm_id = :realm AND seen_at < :since", since=since)


def _session(row: Row) -> Session:
    return Session(
        row["id"], row["user_id"], row["agent"], row["address"], row["made_at"], row["seen_at"]
    )
