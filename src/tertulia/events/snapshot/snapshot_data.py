"""The database part of the snapshot, read in one transaction."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import field

from tertulia import storage
from tertulia.caches.message_locations import MessageLocations
from tertulia.database.log_position import LogPosition
from tertulia.database.tx import Tx
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import Status
from tertulia.events.snapshot.cached_register import CachedRegister
from tertulia.events.snapshot.lists import LISTS, ListedPart
from tertulia.events.snapshot.unread_loader import FoundUnread, UnreadLoader
from tertulia.storage.channels.grouped_subscriptions import AlikeSubscriptions
from tertulia.storage.nonempty_tables import MINE, OURS
from tertulia.storage.personal.topic_policies import UserTopic

MAX_CONVERSATIONS = 1000


class OwnedFact(NamedTuple):
    """Data that is read only if its table has rows of the user, and is not a plain list."""

    name: str  # of the field; empty for a feature, which reads `owned`
    parts: tuple[str, ...]  # parts of the snapshot that contain it
    read: Callable[[Tx, int], Any]
    condition: str = MINE  # for rows that belong to the user


# By table. Features add theirs.
OWNED = {
    "message_flag": OwnedFact(
        "starred",
        ("starred_messages",),
        lambda tx, me: storage.messages.flags.with_flag(tx, me, "starred"),
        f"{MINE} AND flag = 'starred'",
    ),
    "user_topic": OwnedFact(
        "user_topics",
        ("user_topic", "muted_topics", "message"),
        storage.personal.topic_policies.of_user,
    ),
    "bot": OwnedFact("bots", ("realm_bot",), storage.people.bots.managed_by, OURS),
    "user_status": OwnedFact(
        "statuses", ("user_status",), lambda tx, me: storage.people.statuses.list_all(tx), OURS
    ),
}


class SnapshotData(msgspec.Struct):
    max_message_id: int = -1
    unread: FoundUnread | None = None
    starred: list[int] = field(default_factory=list)
    conversations: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    subscriptions: list[AlikeSubscriptions] = field(default_factory=list)
    user_topics: list[UserTopic] = field(default_factory=list)
    statuses: dict[int, Status] = field(default_factory=dict)
    bots: dict[int, Bot] = field(default_factory=dict)
    owned: dict[str, Any] = field(default_factory=dict)  # by table
    lists: dict[str, list[Any]] = field(default_factory=dict)  # by the name of the part

    def cached_register(self, rules: LogPosition) -> CachedRegister | None:
        """What to cache of this register; None if it is not complete enough."""
        unread = self.unread
        if unread is None or unread.encoded is None or unread.is_cut:
            return None
        return CachedRegister(
            rules, self.subscriptions, unread.waiting, unread.mentioned, unread.encoded
        )


class SnapshotQuery:
    """The queries of a register; most clients request only a few parts."""

    def __init__(
        self,
        tx: Tx,
        user_id: int,
        wanted: "RequestedParts",
        locations: MessageLocations,
        cached: CachedRegister | None = None,
    ) -> None:
        self._tx, self._user_id, self._wanted = tx, user_id, wanted
        self._locations, self._cached = locations, cached

    def facts(
        self,
        rewritten: frozenset[int] | None = None,
        rules: LogPosition | None = None,
    ) -> SnapshotData:
        """`rewritten` are messages whose cached location is invalid; None means all.

        `rules` is the last event that invalidated permits; what is cached is valid as of it.
        """
        tx, user_id, wanted, tables = self._tx, self._user_id, self._wanted, _tables(self._wanted)
        cached = self._cached if self._cached and self._cached.rules == rules else None
        found = storage.nonempty_tables.which(
            tx, user_id, {table: each.condition for table, each in tables.items()}
        )
        owned = {table: tables[table].read(tx, user_id) for table in found}
        facts = SnapshotData()
        if wanted("message"):
            facts.max_message_id = newest_received(tx, user_id)
        if wanted("message") and wanted("update_message_flags"):
            facts.unread = UnreadLoader(tx, user_id, self._locations).found(rewritten, cached)
        if wanted("recent_private_conversations"):
            facts.conversations = storage.messages.conversations.recent(
                tx, user_id, MAX_CONVERSATIONS
            )
        if cached is not None:
            facts.subscriptions = cached.subscriptions
        elif wanted("subscription") or wanted("message"):
            facts.subscriptions = storage.channels.grouped_subscriptions.of_user(tx, user_id)
        facts.owned = owned
        for table, fact in OWNED.items():
            if table in owned and fact.name:
                setattr(facts, fact.name, owned[table])
        facts.lists = {
            name: owned.get(part.table, []) for name, part in LISTS.items() if wanted(name)
        }
        return facts


def _tables(wanted: "RequestedParts") -> dict[str, ListedPart | OwnedFact]:
    """Tables to query if they have rows of the user."""
    lists = {part.table: part for name, part in LISTS.items() if wanted(name)}
    facts = {table: fact for table, fact in OWNED.items() if any(map(wanted, fact.parts))}
    return {**lists, **facts}


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
