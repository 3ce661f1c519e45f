"""Oracle of the fast path: every fast-path send also runs as an ordinary action, which is rolled
back. A difference is recorded here."""

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from tertulia import storage
from tertulia.database.dialect import AsyncQueries
from tertulia.database.fast_insert_postgres import InsertBatcher, JobsByOrganization
from tertulia.database.fast_send import AssignedIds
from tertulia.database.tx import Tx
from tertulia.database.write_queue import PendingWrite
from tertulia.database.writer import Writer
from tertulia.errors import ClientError

Given = dict[int, list[AssignedIds]]  # by organization

_turns = itertools.count()


@dataclass
class FastPathOracle:
    """Both happen in one transaction. On PostgreSQL they get different message ids."""

    looked_at: int = 0
    differences: list[str] = field(default_factory=list)
    _idle: list[Any] = field(default_factory=list)  # connections to PostgreSQL

    def end(self) -> None:
        for connection in self._idle:
            connection.close()

    def begin(self, monkeypatch: pytest.MonkeyPatch) -> "FastPathOracle":
        self._begin_on_sqlite(monkeypatch)
        self._begin_on_postgres(monkeypatch)
        return self

    def _begin_on_sqlite(self, monkeypatch: pytest.MonkeyPatch) -> None:
        insert_fast_sends = Writer._insert_fast_sends

        def checked(writer: Writer, realm_id: int, jobs: list[PendingWrite]) -> bool:
            dialect, connection = writer._dialect, writer._connection.raw
            tx = Tx(connection, dialect, realm_id, writer._clock())
            dialect.command(connection, "SAVEPOINT doubt")
            seq = storage.log.head(tx)
            outcomes = _outcomes(tx, jobs)
            dialect.command(connection, "ROLLBACK TO SAVEPOINT doubt")
            is_appended = insert_fast_sends(writer, realm_id, jobs)
            if is_appended:
                self._compare([job.result for job in jobs], _written(tx, seq), outcomes)
            dialect.command(connection, "RELEASE SAVEPOINT doubt")
            return is_appended

        monkeypatch.setattr(Writer, "_insert_fast_sends", checked)

    def _begin_on_postgres(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def checked(
            batcher: InsertBatcher, connection: AsyncQueries, batch: JobsByOrganization
        ) -> Given:
            return await asyncio.to_thread(self._insert_on_postgres, batcher, batch)

        monkeypatch.setattr(InsertBatcher, "_insert", checked)

    def _insert_on_postgres(self, batcher: InsertBatcher, batch: JobsByOrganization) -> Given:
        """The statement alone decides, and waits for its locks itself. Then it is rolled back, and
        the actions run at the same position of the log. If a log has moved meanwhile, the statement
        decides again."""
        dialect, for_several = batcher._dialect, bool(next(_turns) % 2)
        connection: Any = self._idle.pop() if self._idle else dialect.connect(to_serve=True)
        try:
            while True:
                dialect.begin_write(connection)
                dialect.command(connection, "SAVEPOINT doubt")
                given = _run_statement(batcher, connection, batch, for_several=for_several)
                written = {
                    each: _written(_tx(batcher, connection, each), _before(given[each]))
                    for each in given
                }
                dialect.command(connection, "ROLLBACK TO SAVEPOINT doubt")
                for realm_id in sorted(given):
                    dialect.lock_organization(connection, realm_id)
                if all(
                    storage.log.head(_tx(batcher, connection, each)) == _before(given[each])
                    for each in given
                ):
                    break
                dialect.command(connection, "ROLLBACK")
            dialect.command(connection, "SAVEPOINT doubt")
            for realm_id in given:
                outcomes = _outcomes(_tx(batcher, connection, realm_id), batch[realm_id])
                results = [job.result for job in batch[realm_id]]
                self._compare(results, written[realm_id], outcomes)
            dialect.command(connection, "ROLLBACK TO SAVEPOINT doubt")
            chosen = {realm_id: batch[realm_id] for realm_id in given}
            if chosen:
                given = _run_statement(batcher, connection, chosen, for_several=for_several)
            assert given.keys() == chosen.keys(), "the statement refused what it had accepted"
            dialect.command(connection, "COMMIT")
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return given

    def _compare(self, results: list[Any], written: list[Any], outcomes: list[Any]) -> None:
        fast = [_relative(result, [entry]) for result, entry in zip(results, written, strict=True)]
        self.looked_at += len(fast)
        self.differences += [
            f"{one}\ninstead of\n{other}"
            for one, other in zip(fast, outcomes, strict=True)
            if one != other
        ]


def _run_statement(
    batcher: InsertBatcher, connection: Any, batch: JobsByOrganization, *, for_several: bool
) -> Given:
    """As `InsertBatcher._ask`, inside of a transaction. The form for several organizations gets the
    organization 0, too, which has no log."""
    sends = {
        realm_id: [job.fast_send for job in jobs if job.fast_send is not None]
        for realm_id, jobs in batch.items()
    }
    if for_several:
        sends[0] = next(iter(sends.values()))[:1]
    tx = _tx(batcher, connection, 0)
    sql, params = batcher._fast_insert.as_one_statement(sends, tx.now, tx.timeline())
    texts = {
        name: value.decode() if isinstance(value, bytes) else value
        for name, value in params.items()
    }
    given = batcher._fast_insert.numbers(tx.tuples(sql, **texts), tx.now)
    for realm_id, numbers in given.items():
        for job, each in zip(batch[realm_id], numbers, strict=True):
            assert job.fast_send is not None
            job.event, job.result = job.fast_send.make_event(each), job.fast_send.make_result(each)
    return given


def _tx(batcher: InsertBatcher, connection: Any, realm_id: int) -> Tx:
    return Tx(connection, batcher._dialect, realm_id, batcher._clock())


def _before(given: list[AssignedIds]) -> int:
    """The last event before these."""
    return given[0].seq - 1


def _outcomes(tx: Tx, jobs: list[PendingWrite]) -> list[Any]:
    return [_outcome(tx, job.action, job.args) for job in jobs]


def _outcome(tx: Tx, action: Any, args: tuple[Any, ...]) -> Any:
    """What an action returns and writes; for each of several as if the earlier ones had run."""
    seq = storage.log.head(tx)
    try:
        return _relative(action(tx, *args), _written(tx, seq))
    except ClientError as error:
        return error.msg


def _written(tx: Tx, after: int) -> list[Any]:
    """The events since then, each with the row of its message."""
    written = []
    for each in storage.log.after(tx, tx.realm_id, after, 1000):
        payload = msgspec.json.decode(each.payload)
        row: Any = tx.one(
            "SELECT * FROM message WHERE realm_id = :realm AND id = :id",
            id=payload.get("message_id", 0),
        )
        written.append((each.kind, each.audience, payload, None if row is None else dict(row)))
    return written


def _relative(sent: Any, written: list[Any]) -> Any:
    """With ids as distances from the id in the result, and without times."""
    number = sent.message_id
    return msgspec.structs.replace(sent, message_id=0), [
        (
            kind,
            audience,
            payload | {"message_id": payload.get("message_id", number) - number},
            row and row | {"id": row["id"] - number, "sent_at": 0},
        )
        for kind, audience, payload, row in written
    ]
