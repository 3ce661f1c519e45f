"""Letters that wait to be sent, of all organizations together."""

from tertulia.domain.letters import PostedLetter
from tertulia.storage.database.tx import Tx
from tertulia.storage.records import Record

_LETTERS = Record(PostedLetter)


def insert(tx: Tx, kind: str, sealed: bytes) -> int:
    return tx.add("letter", kind=kind, sealed=sealed, written_at=tx.now, due_at=tx.now)


def due(tx: Tx, most: int) -> list[PostedLetter]:
    """Those whose time has come, the one that waits for longest first."""
    return _LETTERS.all(
        tx,
        "FROM letter WHERE due_at <= :now ORDER BY due_at LIMIT :most",
        now=tx.now,
        most=most,
    )


def put_off(tx: Tx, letter_ids: list[int], until: float) -> None:
    tx.execute("UPDATE letter SET due_at = :until WHERE id IN :ids", until=until, ids=letter_ids)


def note_failure(tx: Tx, letter_id: int, next_try: float) -> None:
    tx.execute(
        "UPDATE letter SET tries = tries + 1, due_at = :next WHERE id = :id",
        next=next_try,
        id=letter_id,
    )


def delete(tx: Tx, letter_id: int) -> None:
    tx.execute("DELETE FROM letter WHERE id = :id", id=letter_id)


def count(tx: Tx) -> int:
    waiting: int = tx.value("SELECT count(*) AS value FROM letter")
    return waiting
