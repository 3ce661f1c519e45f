"""The mail outbox of all organizations."""

from tertulia.database.tx import Tx
from tertulia.domain.emails import PostedLetter
from tertulia.storage.row_mapper import Record

_LETTERS = Record(PostedLetter)


def insert(tx: Tx, kind: str, sealed: bytes) -> int:
    return tx.add("letter", kind=kind, sealed=sealed, written_at=tx.now, due_at=tx.now)


def due(tx: Tx, most: int) -> list[PostedLetter]:
    """Due mails: organizations and kinds in turn, the oldest of each first.

    So a thousand notifications of one organization delay neither a password reset nor the mail of
    another organization.
    """
    return _LETTERS.all(
        tx,
        "FROM letter WHERE id IN (SELECT id FROM (SELECT id, due_at, row_number()"
        " OVER (PARTITION BY realm_id, kind ORDER BY due_at, id) AS turn"
        " FROM letter WHERE due_at <= :now) ranked ORDER BY turn, due_at, id LIMIT :most)"
        " ORDER BY due_at, id",
        now=tx.now,
        most=most,
    )


def is_any_due(tx: Tx) -> bool:
    return tx.exists("SELECT 1 AS found FROM letter WHERE due_at <= :now LIMIT 1", now=tx.now)


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
