"""The revocation barrier: an answer that revokes a credential waits for the other servers.

Servers on one PostgreSQL recognize callers by what they hold in memory. After the commit of a
revocation, such as a replaced key, the barrier asks every server that is connected to acknowledge
that it has applied the event. A server that does not acknowledge, because it is paused or cut off,
stops trusting its memory when its lease ends, so the wait ends then, too. A server without a
connection for notices is not asked: it reads the log before it recognizes a caller
(`Follower.is_stale`).
"""

import asyncio
import contextlib
import itertools
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from tertulia.database.dialect import Dialect
from tertulia.database.tx import Tx
from tertulia.errors.http import ServiceUnavailable
from tertulia.log import log

REVOCATIONS = "tertulia_revocations"
REPEAT_SECONDS = 0.25  # between two questions to servers that have not acknowledged
LEASE_MARGIN_SECONDS = 0.1  # monotonic clocks of two machines differ

_NOTIFY = (
    "SELECT set_config('synchronous_commit', 'off', true) AS mode,"
    " pg_notify(:channel, :notice) AS done"
)


class Applier(Protocol):
    """The part of a server that holds in memory what the log says."""

    @property
    def lease_seconds(self) -> float:
        """For how long a server trusts its memory after it has read the log."""

    async def apply_until(self, ends: Mapping[int, int]) -> bool:
        """Apply the logs of some organizations up to these events; False if that fails."""


# Runs a function with a transaction outside of the event loop.
Query = Callable[[Callable[[Tx], object]], Awaitable[object]]


class RevocationBarrier:
    def __init__(self, dialect: Dialect, query: Query, applier: Applier) -> None:
        self._dialect = dialect
        self._query = query
        self._applier = applier
        self._numbers = itertools.count()
        self._waiting: dict[str, _Acknowledgements] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def wait(self, ends: Mapping[int, int]) -> None:
        """Return when no server recognizes a caller by what these events have revoked."""
        deadline = time.monotonic() + self._applier.lease_seconds + LEASE_MARGIN_SECONDS
        token = str(next(self._numbers))
        self._waiting[token] = received = _Acknowledgements()
        request = f"{self._dialect.node} ask {token} {_encode(ends)}"
        is_applied, missing = False, None
        try:
            while (left := deadline - time.monotonic()) > 0:
                is_applied = is_applied or await self._apply(ends, left)
                missing = await self._missing(received)
                if is_applied and missing is not None and not missing:
                    return
                await self._notify(request)
                await received.wait(min(left, REPEAT_SECONDS))
            log.warning("cluster.revocation_unacknowledged", servers=len(missing or ()))
        finally:
            del self._waiting[token]

    def close(self) -> None:
        """Acknowledge nothing more."""
        for task in self._tasks:
            task.cancel()

    def on_notice(self, notice: str) -> None:
        """Handle a notification of another server."""
        node, _, payload = notice.partition(" ")
        verb, _, rest = payload.partition(" ")
        token, _, ends = rest.partition(" ")
        if verb == "ask":
            task = asyncio.get_running_loop().create_task(self._acknowledge(node, token, ends))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif verb == f"ack:{self._dialect.node}" and token in self._waiting:
            self._waiting[token].add(node)

    async def _acknowledge(self, node: str, token: str, ends: str) -> None:
        try:
            if await self._applier.apply_until(_decode(ends)):
                await self._notify(f"{self._dialect.node} ack:{node} {token}")
        except Exception as error:
            log.warning("cluster.revocation_failed", error=type(error).__name__)

    async def _apply(self, ends: Mapping[int, int], seconds: float) -> bool:
        """Apply the events on this server; False if the database does not let us read them in time.

        The revocation is committed, so its answer must not be an error because of that.
        """
        with contextlib.suppress(ServiceUnavailable, TimeoutError):
            return await asyncio.wait_for(self._applier.apply_until(ends), seconds)
        return False

    async def _missing(self, received: "_Acknowledgements") -> set[str] | None:
        """The servers that are connected and have not acknowledged; None if that is not known."""
        found: set[str] = set()

        def connected(tx: Tx) -> None:
            sql, params = self._dialect.cluster.serving_nodes_query()
            found.update(row["node"] for row in tx.all(sql, **params))

        try:
            await self._query(connected)
        except ServiceUnavailable:
            return None
        return found - received.nodes - {self._dialect.node}

    async def _notify(self, notice: str) -> None:
        channel = self._dialect.cluster.channel(REVOCATIONS)
        with contextlib.suppress(ServiceUnavailable):
            await self._query(lambda tx: tx.all(_NOTIFY, channel=channel, notice=notice))


class _Acknowledgements:
    """The servers that have acknowledged one revocation."""

    def __init__(self) -> None:
        self.nodes: set[str] = set()
        self._changed = asyncio.Event()

    def add(self, node: str) -> None:
        self.nodes.add(node)
        self._changed.set()

    async def wait(self, seconds: float) -> None:
        """Wait for the next acknowledgement, but not longer than this."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()


def _encode(ends: Mapping[int, int]) -> str:
    return " ".join(f"{realm_id}:{seq}" for realm_id, seq in ends.items())


def _decode(ends: str) -> dict[int, int]:
    parts = (each.partition(":") for each in ends.split())
    return {int(realm_id): int(seq) for realm_id, _, seq in parts}
