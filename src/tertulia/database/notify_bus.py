"""Notifications between servers on one PostgreSQL, without a guarantee.

The bus has one connection, by which it sends and listens. A notification that cannot be sent is
dropped: ephemeral events are worthless after a minute, and the end of a log is found by polling. A
server without peers sends nothing. It checks for peers now and then, and a new peer announces
itself.

Notifications about an organization have channels of their own, which it shares with others: there
is a fixed number of buckets. A server listens to those of the organizations that it has in memory.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Iterable

import msgspec

from tertulia.database import change_watch
from tertulia.database.change_watch import Changed, OnNotice, PendingChanges
from tertulia.database.dialect import AsyncQueries, Dialect
from tertulia.database.revocation import REVOCATIONS
from tertulia.log import log

# Parts of channel names; `Cluster.channel` adds the installation, and most have a bucket.
LOG = "tertulia_log"  # without a bucket: of new servers, and of commands that write
EPHEMERAL = "tertulia_whispers"
SENDS = "tertulia_said"
BUCKETS = 64  # of organizations
ALL_BUCKETS = frozenset(range(BUCKETS))
MAX_QUEUED = 1000
SEND_DELAY_SECONDS = 0.002  # between two sends, so that notifications are sent together
READ_DELAY_SECONDS = 0.002  # between two reads, so that updates are read together
RECONNECT_AFTER_SECONDS = 1.0
PING_SECONDS = 4.0  # between two checks that the connection is alive
REVIEW_SECONDS = 1.0  # between two looks which organizations are in memory
PEER_CHECK_SECONDS = 1.0  # how long "no peers" stays valid
MAX_NOTICE_BYTES = 8000  # limit of PostgreSQL
MAX_ORGANIZATIONS_PER_NOTICE = 150  # so that a notification stays below its limit


def bucket_of(realm_id: int) -> int:
    """New organizations are spread evenly: their ids are counted."""
    return realm_id % BUCKETS


def in_bucket(channel: str, bucket: int) -> str:
    return f"{channel}_{bucket}"


def channels_of(buckets: Iterable[int]) -> list[str]:
    return [in_bucket(each, bucket) for bucket in buckets for each in (LOG, SENDS, EPHEMERAL)]


class LogProgress(msgspec.Struct, frozen=True):
    """How far the logs of some organizations of one bucket go, the encoded new events, and up to
    which event the encoded ones are complete."""

    bucket: int
    ends: dict[int, int]
    payloads: Callable[[], tuple[list[str], dict[int, int]]]


# Either the ends of logs, or a channel and a payload.
Notice = LogProgress | tuple[str, str]
# The organizations in memory; None if notifications about all of them are needed.
InMemory = Callable[[], Collection[int] | None]

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
        self._in_memory: InMemory = lambda: None
        self._buckets: frozenset[int] = ALL_BUCKETS  # to which the connection listens
        self._choosing = asyncio.Lock()
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

    async def listen(
        self, changed: Changed, on_ephemeral: OnNotice, on_sends: OnNotice, in_memory: InMemory
    ) -> None:
        """Call these for each notification about an organization that is in memory, and perhaps
        about others."""
        self._on_ephemeral, self._on_sends = on_ephemeral, on_sends
        self._in_memory = in_memory
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
                self._buckets = self._wanted_buckets()
                channels = [LOG, REVOCATIONS, *channels_of(self._buckets)]
                connection = await self._dialect.cluster.connect_on_loop(self._on_notice, channels)
                self._connected_at = time.monotonic()
                self._may_have_peers = True
                self._connection = connection
                self._changes.mark_all()  # notifications were lost while we did not listen
                await self._review_until_lost(connection)
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

    async def _review_until_lost(self, connection: AsyncQueries) -> None:
        """Return or raise when the connection is lost. One that is dead but not closed is found by
        a statement: listening alone would wait for ever."""
        ping_at = time.monotonic() + PING_SECONDS
        while not connection.is_lost:
            try:
                await asyncio.wait_for(connection.wait_until_lost(), REVIEW_SECONDS)
            except TimeoutError:
                await self._review(connection)
                if time.monotonic() >= ping_at:
                    await connection.execute("SELECT 1", {})
                    ping_at = time.monotonic() + PING_SECONDS

    async def listen_to(self, buckets: frozenset[int] = ALL_BUCKETS) -> None:
        """Return when notifications about these organizations arrive, or there is no connection.
        They are about to be read, so nothing is missed."""
        connection = self._connection
        if connection is None or buckets <= self._buckets:
            return
        try:
            await self._set_buckets(connection, self._buckets | buckets)
        except Exception as error:  # it is made again, and all logs are read
            log.warning("cluster.listen_failed", error=type(error).__name__)
            connection.close()

    async def _review(self, connection: AsyncQueries) -> None:
        wanted = self._wanted_buckets()
        if new := wanted - self._buckets:
            await self._set_buckets(connection, self._buckets | new)
            self._changes.mark_all()
        elif self._buckets > wanted:
            await self._set_buckets(connection, None)

    async def _set_buckets(self, connection: AsyncQueries, buckets: frozenset[int] | None) -> None:
        """None stands for those that are needed when this begins."""
        async with self._choosing:
            chosen = self._wanted_buckets() if buckets is None else buckets | self._buckets
            for verb, some in (
                ("LISTEN", chosen - self._buckets),
                ("UNLISTEN", self._buckets - chosen),
            ):
                for channel in channels_of(some):
                    await connection.execute(f"{verb} {self._dialect.cluster.channel(channel)}", {})
            self._buckets = chosen

    def _wanted_buckets(self) -> frozenset[int]:
        found = self._in_memory()
        return ALL_BUCKETS if found is None else frozenset(map(bucket_of, found))

    def _on_notice(self, channel: str, notice: str) -> None:
        node, _, payload = notice.partition(" ")
        if channel.startswith(EPHEMERAL):
            self._on_ephemeral(notice)
        elif node == self._dialect.node:
            pass  # our own notification
        elif not notice:
            self._changes.mark_all()
        elif not payload:
            self._on_peer_joined()
        elif channel.startswith(SENDS):
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

    def publish_ephemeral(self, realm_id: int, notice: str) -> None:
        """Drop it if it is too long."""
        if len(notice.encode()) < MAX_NOTICE_BYTES:
            self.publish((in_bucket(EPHEMERAL, bucket_of(realm_id)), notice))

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
        ends: dict[int, dict[int, int]] = {}  # by bucket
        payloads: list[tuple[str, str]] = []
        for each in notices:
            if not isinstance(each, LogProgress):
                payloads.append(each)
                continue
            payload, known = each.payloads()
            sends = in_bucket(SENDS, each.bucket)
            payloads += [(sends, f"{self._dialect.node} {one}") for one in payload]
            ends.setdefault(each.bucket, {}).update(
                {realm_id: seq for realm_id, seq in each.ends.items() if known.get(realm_id) != seq}
            )
        for bucket, some in ends.items():
            listed = [f"{realm_id}:{seq}" for realm_id, seq in some.items()]
            for start in range(0, len(listed), MAX_ORGANIZATIONS_PER_NOTICE):
                part = " ".join(listed[start : start + MAX_ORGANIZATIONS_PER_NOTICE])
                payloads.append((in_bucket(LOG, bucket), f"{self._dialect.node} {part}"))
        named = [(self._dialect.cluster.channel(channel), payload) for channel, payload in payloads]
        await connection.execute(_NOTIFY, {"notices": msgspec.json.encode(named)})


def _all_organizations() -> None:
    """Before the follower says which organizations it needs, notices of all are needed."""


def _ignore(notice: str) -> None:
    """Not listening yet."""
