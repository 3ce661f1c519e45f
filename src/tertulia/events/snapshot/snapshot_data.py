"""The database part of the snapshot, read in one transaction."""

from collections.abc import Callable, Set
from typing import Any, NamedTuple

import msgspec
from msgspec import field

from tertulia import storage
from tertulia.caches.message_locations import MessageLocations
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Deferred, Tx
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import Status
from tertulia.domain.personal.devices import Device
from tertulia.events.snapshot.cached_register import CachedRegister
from tertulia.events.snapshot.lists import LISTS
from tertulia.events.snapshot.unread_query import FoundUnread, UnreadQuery
from tertulia.storage.channels.grouped_subscriptions import AlikeSubscriptions
from tertulia.storage.personal.topic_policies import UserTopic

MAX_CONVERSATIONS = 1000


class OwnedFact(NamedTuple):
    """Data that is read only if its table has rows of the user, and is not a plain list."""

    name: str
    parts: tuple[str, ...]  # parts of the snapshot that contain it
    read: Callable[[Tx, int], Any]


# By table.
_OWNED = {
    "message_flag": OwnedFact(
        "starred",
        ("starred_messages",),
        lambda tx, me: storage.messages.flags.with_flag(tx, me, "starred"),
    ),
    "user_topic": OwnedFact(
        "user_topics",
        ("user_topic", "muted_topics", "message"),
        storage.personal.topic_policies.of_user,
    ),
    "bot": OwnedFact("bots", ("realm_bot",), storage.people.bots.managed_by),
    "user_status": OwnedFact(
        "statuses", ("user_status",), lambda tx, me: storage.people.statuses.list_all(tx)
    ),
    "device": OwnedFact("devices", ("device",), storage.personal.devices.of_user),
}
_READ = {table: fact.read for table, fact in _OWNED.items()}
_READ |= {part.table: part.read for part in LISTS.values()}


class SnapshotData(msgspec.Struct):
    there: Set[str] = frozenset()  # tables with rows of the user
    max_message_id: int = -1
    unread: FoundUnread | None = None
    starred: list[int] = field(default_factory=list)
    conversations: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    subscriptions: list[AlikeSubscriptions] = field(default_factory=list)
    user_topics: list[UserTopic] = field(default_factory=list)
    statuses: dict[int, Status] = field(default_factory=dict)
    bots: dict[int, Bot] = field(default_factory=dict)
    devices: list[Device] = field(default_factory=list)
    lists: dict[str, list[Any]] = field(default_factory=dict)  # by the name of the part

    def cached_register(self, rules: LogPosition) -> CachedRegister | None:
        """What to cache of this register; None if it is not complete enough."""
        unread = self.unread
        if unread is None or unread.encoded is None or unread.is_cut:
            return None
        return CachedRegister(
            rules, self.there, self.subscriptions, unread.waiting, unread.mentioned, unread.encoded
        )


class SnapshotQuery:
    """The queries of a register, sent together; most clients request only a few parts.

    The first queries find out which tables have rows of the user and up to which message the unread
    state is stored. The queries that follow are mostly the same as last time. So if the user is in
    the register cache, they are sent at once too, and one round trip is enough.
    """

    def __init__(
        self,
        tx: Tx,
        user_id: int,
        wanted: "RequestedParts",
        locations: MessageLocations,
        cached: CachedRegister | None = None,
        rules: LogPosition | None = None,
    ) -> None:
        """`cached` is valid as of the last event that invalidated permits, which is `rules` as
        far as this server knows."""
        self._tx, self._user_id, self._wanted, self._recalled = tx, user_id, wanted, cached
        self._first: dict[str, Deferred[Any]] = {}  # by the name of the fact
        self._unread: UnreadQuery | None = None
        if wanted("message"):
            self._first["max_message_id"] = tx.defer(newest_received, user_id)
        if wanted("message") and wanted("update_message_flags"):
            self._unread = UnreadQuery(tx, user_id, locations, cached)
        if wanted("recent_private_conversations"):
            self._first["conversations"] = tx.defer(
                storage.messages.conversations.recent, user_id, MAX_CONVERSATIONS
            )
        if not (cached is not None and cached.rules == rules):
            self._query_subscriptions()
        self._owned: dict[str, Deferred[Any]] = {}  # by table
        self._tables = _tables(wanted)
        self._there = tx.defer(storage.nonempty_tables.which, user_id, self._tables)
        if cached is not None:
            self._query_owned_tables(cached.there & self._tables)

    def facts(
        self,
        rewritten: frozenset[int] | None = None,
        rules: LogPosition | None = None,
    ) -> SnapshotData:
        """`rewritten` are messages whose cached location is invalid; None means all.

        `rules` is the last event that invalidated permits.
        """
        there, cached = self._there(), self._recalled
        self._query_owned_tables(there)
        if cached is not None and cached.rules != rules:
            cached = None
        if cached is None and "subscriptions" not in self._first:
            self._query_subscriptions()
        facts = SnapshotData(there=there, **{name: found() for name, found in self._first.items()})
        if cached is not None:
            facts.subscriptions = cached.subscriptions
        if self._unread is not None:
            facts.unread = self._unread.found(rewritten, cached)
        for table, fact in _OWNED.items():
            if table in self._owned:
                setattr(facts, fact.name, self._owned[table]())
        facts.lists = {
            name: self._owned[part.table]() if part.table in self._owned else []
            for name, part in LISTS.items()
            if self._wanted(name)
        }
        return facts

    def _query_subscriptions(self) -> None:
        if self._wanted("subscription") or self._wanted("message"):
            deferred = self._tx.defer(storage.channels.grouped_subscriptions.of_user, self._user_id)
            self._first["subscriptions"] = deferred

    def _query_owned_tables(self, tables: Set[str]) -> None:
        for table in tables - self._owned.keys():
            self._owned[table] = self._tx.defer(_READ[table], self._user_id)


def _tables(wanted: "RequestedParts") -> set[str]:
    """Tables to query if they have rows of the user."""
    tables = {part.table for name, part in LISTS.items() if wanted(name)}
    tables |= {table for table, fact in _OWNED.items() if any(map(wanted, fact.parts))}
    return tables


def newest_received(tx: Tx, user_id: int) -> int:
    """The last message that a user received; -1 if there is none, as in the API."""
    found = storage.messages.history.newest_received(tx, user_id)
    return -1 if found is None else found


class RequestedParts:
    """The parts of the snapshot that a client requested."""

    def __init__(self, types: list[str] | None) -> None:
        self._types = None if types is None else frozenset(types)

    def __call__(self, event_type: str) -> bool:
        return self._types is None or event_type in self._types

    @property
    def everything(self) -> bool:
        return self._types is None
