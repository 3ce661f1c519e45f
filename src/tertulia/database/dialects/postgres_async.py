"""A PostgreSQL connection on the event loop, without a thread.

Handing a statement to a thread and its result back costs more than the statement. So frequent work,
such as appending messages and notifying other servers, bypasses psycopg's cursors: one statement at
a time is sent, and its result is read when the socket is readable.
"""

import asyncio
import select
from collections.abc import Callable, Mapping
from typing import Any

import psycopg
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

from tertulia.database.dialects import postgres_placeholders
from tertulia.log import log

MAX_ANSWER_SECONDS = 8.0  # then the connection counts as lost

OnNotification = Callable[[str, str], None]  # channel and payload


class AsyncConnection:
    def __init__(
        self, connection: psycopg.Connection[Any], timeline: str, on_notification: OnNotification
    ) -> None:
        """Takes over a connection, which nothing else may use from now on."""
        self.timeline = timeline  # see `Cluster.timeline`
        self._connection = connection
        self._pgconn: PGconn = connection.pgconn
        self._on_notification = on_notification
        self._loop = asyncio.get_running_loop()
        self._prepared: dict[str, bytes] = {}
        self._pending: asyncio.Future[PGresult] | None = None
        self._last_result: PGresult | None = None
        self._lost = asyncio.Event()
        self._turn = asyncio.Lock()
        self._pgconn.nonblocking = 1
        self._socket = self._pgconn.socket
        self._hangup = select.poll()
        self._hangup.register(self._socket, select.POLLRDHUP)
        self._loop.add_reader(self._socket, self._read)
        self._read()  # notifications that arrived before

    @property
    def is_lost(self) -> bool:
        return self._lost.is_set()

    def is_open(self) -> bool:
        """False if PostgreSQL has closed the connection, even if the loop has not read that yet."""
        return not self._lost.is_set() and not self._hangup.poll(0)

    async def wait_until_lost(self) -> None:
        """Return when the connection is lost."""
        await self._lost.wait()

    async def execute(self, sql: str, params: Mapping[str, Any]) -> list[tuple[bytes | None, ...]]:
        """Run a statement in a transaction of its own; values are in PostgreSQL's text format.

        Cancelling the caller closes the connection, because the result would be left unread.
        Without an answer within MAX_ANSWER_SECONDS the connection is closed, too.
        """
        async with self._turn:
            return await self._execute(sql, params)

    async def _execute(self, sql: str, params: Mapping[str, Any]) -> list[tuple[bytes | None, ...]]:
        text, names = postgres_placeholders.numbered(sql)
        try:
            name = self._prepared.get(text)
            if name is None:
                name = b"s%d" % len(self._prepared)
                self._pgconn.send_prepare(name, text.encode())
                await self._next_result()
                self._prepared[text] = name
            self._pgconn.send_query_prepared(name, [_value(params[each]) for each in names])
            result = await self._next_result()
        except asyncio.CancelledError:
            self.close()
            raise
        except psycopg.OperationalError:
            if self._pgconn.status == ConnStatus.BAD:
                self.close()
            raise
        columns = range(result.nfields)
        return [
            tuple(result.get_value(row, column) for column in columns)
            for row in range(result.ntuples)
        ]

    def close(self) -> None:
        if not self._lost.is_set():
            self._lost.set()
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._connection.close()

    async def _next_result(self) -> PGresult:
        self._pending = self._loop.create_future()
        deadline = self._loop.call_later(MAX_ANSWER_SECONDS, self._give_up)
        try:
            self._write()
            result = await self._pending
        finally:
            deadline.cancel()
        if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
            if self._pgconn.status == ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is lost")
            raise psycopg.errors.error_from_result(result)
        return result

    def _give_up(self) -> None:
        log.error("database.no_answer", waited_s=MAX_ANSWER_SECONDS)
        self._fail(psycopg.OperationalError("PostgreSQL does not answer"))

    def _write(self) -> None:
        """Send what the socket accepts; the rest is sent when it is writable."""
        try:
            is_idle = self._pgconn.flush()
        except psycopg.OperationalError as error:
            self._fail(error)
            return
        if is_idle:
            self._loop.add_writer(self._socket, self._write)
        else:
            self._loop.remove_writer(self._socket)

    def _read(self) -> None:
        pgconn = self._pgconn
        try:
            pgconn.consume_input()
            while (notice := pgconn.notifies()) is not None:
                self._on_notification(notice.relname.decode(), notice.extra.decode())
            while self._pending is not None and not pgconn.is_busy():
                result = pgconn.get_result()
                if result is None:
                    self._resolve_pending()
                else:
                    self._last_result = result
        except psycopg.OperationalError as error:
            self._fail(error)

    def _resolve_pending(self) -> None:
        pending, self._pending = self._pending, None
        result, self._last_result = self._last_result, None
        if pending is not None and result is not None and not pending.done():
            pending.set_result(result)

    def _fail(self, error: psycopg.OperationalError) -> None:
        pending, self._pending = self._pending, None
        self.close()
        if pending is not None and not pending.done():
            pending.set_exception(error)


def _value(value: str | float | bytes) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
