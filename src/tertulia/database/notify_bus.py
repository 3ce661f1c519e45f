"""Notifications between servers on one PostgreSQL, without a guarantee.

The bus has one connection, by which it sends and listens. A notification that cannot be sent is
dropped: ephemeral events are worthless after a minute, and the end of a log is found by polling. A
server without peers sends nothing. It checks for peers now and then, and a new peer announces
itself.
"""

import asyncio
import time
from collections.abc import Callable

import msgspec

from tertulia.database import change_watch
from tertulia.database.change_watch import Changed, OnNotice, PendingChanges
from tertulia.database.dialect import AsyncQueries, Dialect
from tertulia.database.revocation import REVOCATIONS
from tertulia.log import log

# Parts of channel names; `Cluster.channel` adds the installation.
LOG = "tertulia_log"
EPHEMERAL = "tertulia_whispers"
SENDS = "tertulia_said"
CHANNELS = [LOG, SENDS, EPHEMERAL, REVOCATIONS]
MAX_QUEUED = 1000
SEND_DELAY_SECONDS = 0.002  # between two sends, so that notifications are sent together
READ_DELAY_SECONDS = 0.002  # between two reads, so that updates are read together
RECONNECT_AFTER_SECONDS = 1.0
PING_SECONDS = 4.0  # between two checks that the connection is alive
PEER_CHECK_SECONDS = 1.0  # how long "no peers" stays valid
MAX_NOTICE_BYTES = 8000  # limit of PostgreSQL
MAX_ORGANIZATIONS_PER_NOTICE = 150  # so that a notification stays below its limit


class LogProgress(msgspec.Struct, frozen=True):
    """How far the logs of some organizations go, the encoded new events, and up to which event the
    encoded ones are complete."""

    ends: dict[int, int]
    payloads: Callable[[], tuple[list[str], dict[int, int]]]


# Either the ends of logs, or a channel and a payload.
Notice = LogProgress | tuple[str, str]

_NOTIFY = (
    "SELECT pg_notify(notice->>0, notice->>1) FROM json_array_elements(:notices) AS all_of (notice)"
)


class Broadcast:
    def __init__(self, dialect: Dialect, revoked: OnNotice) -> None:
        """`revoked` handles notifications about revocations."""
        self._dialect = dialect
        self._connection: AsyncQueries | None = None
        self._connected_at = 0.0
        self._revoked = revoked
        self._changes = PendingChanges()
        self._on_ephemeral: OnNotice = _ignore
        self._on_sends: OnNotice = _ignore
        self._waiting: list[Notice] = []
        self._publishing: asyncio.Task[None] | None = None
        self._alone_until = 0.0
        self._not_alone_until = 0.0
        self._may_have_peers = True

    @property
    def may_have_peers(self) -> bool:
        """False from when no peer was found until one announces itself."""
        return self._may_have_peers

    @property
    def connected_at(self) -> float | None:
        """Since when other servers know that we serve; None if they may not."""
        if self._connection is None or not self._connection.is_open():
            return None
        return self._connected_at

    # --- listening ---

    async def listen(self, changed: Changed, on_ephemeral: OnNotice, on_sends: OnNotice) -> None:
        """Call these for each notification."""
        self._on_ephemeral, self._on_sends = on_ephemeral, on_sends
        keeping = asyncio.get_running_loop().create_task(self._keep_connected())
        try:
            while True:
                await self._changes.wait()
                await asyncio.sleep(READ_DELAY_SECONDS)
                try:
                    await changed(self._changes.take_all())
                except Exception as error:
                    change_watch.log_failure(error, is_outage=False)
                    await asyncio.sleep(RECONNECT_AFTER_SECONDS)
        finally:
            keeping.cancel()
            if self._publishing is not None:
                self._publishing.cancel()

    async def _keep_connected(self) -> None:
        while True:
            connection = None
            try:
                connection = await self._dialect.cluster.connect_on_loop(self._on_notice, CHANNELS)
                self._connected_at = time.monotonic()
                self._may_have_peers = True
                self._connection = connection
                self._changes.mark_all()  # notifications were lost while we did not listen
                await _wait_until_lost(connection)
                log.warning("cluster.listen_lost", retry_s=RECONNECT_AFTER_SECONDS)
            except Exception as error:
                log.warning(
                    "cluster.listen_lost",
                    error=type(error).__name__,
                    retry_s=RECONNECT_AFTER_SECONDS,
                )
            finally:
                self._connection = None
                if connection is not None:
                    connection.close()
            await asyncio.sleep(RECONNECT_AFTER_SECONDS)

    def _on_notice(self, channel: str, notice: str) -> None:
        node, _, payload = notice.partition(" ")
        if channel == EPHEMERAL:
            self._on_ephemeral(notice)
        elif node == self._dialect.node:
            pass  # our own notification
        elif not notice:
            self._changes.mark_all()
        elif not payload:
            self._on_peer_joined()
        elif channel == SENDS:
            self._on_sends(payload)
        elif channel == REVOCATIONS:
            self._revoked(notice)
        else:
            self._changes.mark_logs(payload)

    def _on_peer_joined(self) -> None:
        """A peer has connected; it may have missed what we did not send."""
        self._may_have_peers = True
        was_alone = time.monotonic() < self._alone_until
        self._alone_until = 0.0
        self._not_alone_until = time.monotonic() + PEER_CHECK_SECONDS
        if was_alone:
            self.publish((LOG, ""))

    # --- sending ---

    def publish_ephemeral(self, notice: str) -> None:
        """Drop it if it is too long."""
        if len(notice.encode()) < MAX_NOTICE_BYTES:
            self.publish((EPHEMERAL, notice))

    def publish(self, notice: Notice) -> None:
        if time.monotonic() < self._alone_until or len(self._waiting) >= MAX_QUEUED:
            return
        self._waiting.append(notice)
        if self._publishing is None:
            self._publishing = asyncio.get_running_loop().create_task(self._publish_queued())

    async def _publish_queued(self) -> None:
        try:
            while self._waiting:
                notices, self._waiting = self._waiting, []
                connection = self._connection
                if connection is not None and not await self._is_alone(connection):
                    await self._send(connection, notices)
                    await asyncio.sleep(SEND_DELAY_SECONDS)
        except Exception as error:
            log.warning("cluster.notify_failed", error=type(error).__name__)
            self._waiting = []
        finally:
            self._publishing = None

    async def _is_alone(self, connection: AsyncQueries) -> bool:
        now = time.monotonic()
        if now >= max(self._alone_until, self._not_alone_until):
            rows = await connection.execute(*self._dialect.cluster.peers_query())
            self._may_have_peers = bool(rows)
            if rows:
                self._not_alone_until = now + PEER_CHECK_SECONDS
            else:
                self._alone_until = now + PEER_CHECK_SECONDS
        return now < self._alone_until

    async def _send(self, connection: AsyncQueries, notices: list[Notice]) -> None:
        """Not in the transaction that wrote the events: PostgreSQL serializes all commits with
        NOTIFY, of any organization."""
        ends: dict[int, int] = {}
        payloads: list[tuple[str, str]] = []
        for each in notices:
            if not isinstance(each, LogProgress):
                payloads.append(each)
                continue
            payload, known = each.payloads()
            payloads += [(SENDS, f"{self._dialect.node} {one}") for one in payload]
            ends |= {
                realm_id: seq for realm_id, seq in each.ends.items() if known.get(realm_id) != seq
            }
        listed = [f"{realm_id}:{seq}" for realm_id, seq in ends.items()]
        for start in range(0, len(listed), MAX_ORGANIZATIONS_PER_NOTICE):
            some = " ".join(listed[start : start + MAX_ORGANIZATIONS_PER_NOTICE])
            payloads.append((LOG, f"{self._dialect.node} {some}"))
        named = [(self._dialect.cluster.channel(channel), payload) for channel, payload in payloads]
        await connection.execute(_NOTIFY, {"notices": msgspec.json.encode(named)})


async def _wait_until_lost(connection: AsyncQueries) -> None:
    """Return or raise when the connection is lost. One that is dead but not closed is found by a
    statement: listening alone would wait for ever."""
    while not connection.is_lost:
        try:
            await asyncio.wait_for(connection.wait_until_lost(), PING_SECONDS)
        except TimeoutError:
            await connection.execute("SELECT 1", {})


def _ignore(notice: str) -> None:
    """Not listening yet."""
