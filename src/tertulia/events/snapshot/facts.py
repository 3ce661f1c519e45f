"""What the snapshot needs from the database beyond the directory, read at one moment."""

from bisect import insort
from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap64

from tertulia import storage
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import Status
from tertulia.domain.personal.devices import Device
from tertulia.events.snapshot.lists import LISTS
from tertulia.events.whereabouts import Found, Spot, Whereabouts
from tertulia.storage.channels.alike import AlikeSubscriptions
from tertulia.storage.database.tx import Tx
from tertulia.storage.messages.unread import UnreadMessage
from tertulia.storage.personal.topic_policies import UserTopic

MOST_UNREAD = 50_000
MOST_CONVERSATIONS = 1000
# What is not a plain list, by the table of which it is told.
_PARTS = {
    "message_flag": ["starred_messages"],
    "user_topic": ["user_topic", "muted_topics", "message"],
    "bot": ["realm_bot"],
    "user_status": ["user_status"],
    "device": ["device"],
}


@dataclass(slots=True)
class Facts:
    max_message_id: int = -1
    unread: Found = field(default_factory=list)
    described: list[UnreadMessage] = field(default_factory=list)  # of these, what was not known
    unread_missing: bool = False
    mentioned: BitMap64 = field(default_factory=BitMap64)
    starred: list[int] = field(default_factory=list)
    conversations: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    subscriptions: list[AlikeSubscriptions] = field(default_factory=list)
    user_topics: list[UserTopic] = field(default_factory=list)
    statuses: dict[int, Status] = field(default_factory=dict)
    bots: dict[int, Bot] = field(default_factory=dict)
    devices: list[Device] = field(default_factory=list)
    lists: dict[str, list[Any]] = field(default_factory=dict)  # by the name of the part


@dataclass(frozen=True, slots=True)
class Known:
    """Where messages stand, but for some that were rewritten since: None if nobody knows which."""

    whereabouts: Whereabouts
    rewritten: frozenset[int] | None

    def find(self, message_ids: list[int]) -> tuple[Found, list[int]]:
        if self.rewritten is None:
            return [], message_ids
        doubtful = self.rewritten.intersection(message_ids)
        if not doubtful:
            return self.whereabouts.find(message_ids)
        found, unknown = self.whereabouts.find(
            [each for each in message_ids if each not in doubtful]
        )
        return found, sorted(doubtful.union(unknown))


NOTHING_KNOWN = Known(Whereabouts(), None)


def read_facts(tx: Tx, user_id: int, wanted: "Wanted", known: Known = NOTHING_KNOWN) -> Facts:
    """Only what is wanted is read: most clients ask for little."""
    facts = Facts()
    if wanted("message"):
        facts.max_message_id = _newest_received(tx, user_id)
    if wanted("message") and wanted("update_message_flags"):
        _read_unread(tx, user_id, facts, known)
    if wanted("recent_private_conversations"):
        facts.conversations = storage.messages.conversations.recent(tx, user_id, MOST_CONVERSATIONS)
    if wanted("subscription") or wanted("message"):
        facts.subscriptions = storage.channels.alike.of_user(tx, user_id)
    there = storage.owned.those(tx, user_id, _tables(wanted))
    if "message_flag" in there:
        facts.starred = storage.messages.flags.with_flag(tx, user_id, "starred")
    if "user_topic" in there:
        facts.user_topics = storage.personal.topic_policies.of_user(tx, user_id)
    if "bot" in there:
        facts.bots = storage.people.bots.kept_by(tx, user_id)
    if "user_status" in there:
        facts.statuses = storage.people.statuses.everyone(tx)
    if "device" in there:
        facts.devices = storage.personal.devices.of_user(tx, user_id)
    for name, part in LISTS.items():
        if wanted(name):
            facts.lists[name] = part.read(tx, user_id) if part.table in there else []
    return facts


def _tables(wanted: "Wanted") -> set[str]:
    """Where something has to be looked up, if there is anything."""
    tables = {part.table for name, part in LISTS.items() if wanted(name)}
    tables |= {table for table, names in _PARTS.items() if any(map(wanted, names))}
    return tables


def _newest_received(tx: Tx, user_id: int) -> int:
    found = storage.messages.history.newest(tx, storage.messages.selections.received(tx, user_id))
    return -1 if found is None else found


def _read_unread(tx: Tx, user_id: int, facts: Facts, known: Known) -> None:
    waiting: BitMap64 = storage.messages.unread.load(tx, user_id)
    ids = list(waiting)
    facts.unread_missing = len(ids) > MOST_UNREAD
    newest = ids[-MOST_UNREAD:]
    if not newest:
        return
    facts.unread, unknown = known.find(newest)
    if unknown:
        facts.described = storage.messages.unread.describe(tx, user_id, unknown)
        places = dict(facts.unread)
        for each in facts.described:
            insort(places.setdefault(Spot.of(each), []), each.id)
        facts.unread = list(places.items())
    called = storage.messages.flags.wildcards_since(tx, newest[0])
    called += storage.messages.flags.with_flag(
        tx, user_id, "mentioned", "topic_wildcard_mentioned", since=newest[0]
    )
    facts.mentioned = waiting & BitMap64(called)


class Wanted:
    """Which parts of the state a client asked for."""

    def __init__(self, types: list[str] | None) -> None:
        self._types = None if types is None else frozenset(types)

    def __call__(self, event_type: str) -> bool:
        return self._types is None or event_type in self._types

    @property
    def everything(self) -> bool:
        return self._types is None
