"""Oracle of the fast path: every fast-path send runs as an ordinary action first, which is
rolled back. A difference is recorded here."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.database.writer import PendingWrite, Writer
from tertulia.errors import ClientError


@dataclass
class FastPathOracle:
    """For SQLite, where both can happen in one transaction, with the same ids."""

    looked_at: int = 0
    differences: list[str] = field(default_factory=list)

    def begin(self, monkeypatch: pytest.MonkeyPatch) -> "FastPathOracle":
        write_plain = Writer._write_plain

        def doubting(writer: Writer, realm_id: int, jobs: list[PendingWrite]) -> bool:
            dialect, connection = writer._dialect, writer._connection
            tx = Tx(connection, dialect, realm_id, writer._clock())
            dialect.command(connection, "SAVEPOINT doubt")
            seq = storage.log.head(tx)
            outcomes = [_outcome(tx, job.action, job.args) for job in jobs]
            dialect.command(connection, "ROLLBACK TO SAVEPOINT doubt")
            is_appended = write_plain(writer, realm_id, jobs)
            if is_appended:
                written = _written(tx, seq)
                told = [(job.result, [entry]) for job, entry in zip(jobs, written, strict=True)]
                self.looked_at += len(jobs)
                self.differences += [
                    f"{one}\ninstead of\n{other}"
                    for one, other in zip(told, outcomes, strict=True)
                    if one != other
                ]
            dialect.command(connection, "RELEASE SAVEPOINT doubt")
            return is_appended

        monkeypatch.setattr(Writer, "_write_plain", doubting)
        return self


def _outcome(tx: Tx, action: Any, args: tuple[Any, ...]) -> Any:
    """What an action returns and writes; for each of several as if the earlier ones had run."""
    seq = storage.log.head(tx)
    try:
        return action(tx, *args), _written(tx, seq)
    except ClientError as error:
        return error.msg


def _written(tx: Tx, after: int) -> list[Any]:
    """The events since then, each with the row of its message."""
    entries = storage.log.after(tx, tx.realm_id, after, 1000)
    newest = storage.messages.newest_id(tx)
    rows: list[Any] = tx.all(
        "SELECT * FROM message WHERE realm_id = :realm AND id > :id ORDER BY id",
        id=newest - len(entries),
    )
    return [
        ((each.kind, each.audience, each.payload), {**dict(row), "sent_at": 0})
        for each, row in zip(entries, rows, strict=False)
    ]
