"""What the snapshot needs from the database beyond the directory, read at one moment."""

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap64

from tertulia import storage
from tertulia.domain.people.bots import Bot
from tertulia.domain.people.status import Status
from tertulia.domain.personal.devices import Device
from tertulia.events.snapshot.lists import LISTS
from tertulia.events.snapshot.recollections import Recollection
from tertulia.events.whereabouts import Found, Spot, Whereabouts
from tertulia.storage.channels.alike import AlikeSubscriptions
from tertulia.storage.database.tx import Later, Tx
from tertulia.storage.log import LogPlace
from tertulia.storage.messages.unread import Stored, UnreadMessage
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
    stored_unread: Stored | None = None
    waiting: BitMap64 = field(default_factory=BitMap64)
    unread_told: bytes | None = None  # if that is known; the rest of it is empty then
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

    def recollection(self, rules: LogPlace, state: Mapping[str, Any]) -> Recollection | None:
        """What to remember of a state that was made of these facts, if it tells enough."""
        if self.stored_unread is None or self.unread_missing:
            return None
        told = bytes(state["unread_msgs"])
        return Recollection(rules, self.subscriptions, self.waiting, self.mentioned, told)


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


class WantedFacts:
    """What somebody wants to know, asked at once; most clients ask for little.

    It takes two ways to the database, since it is asked first what there is, and how far what is
    unread was written down.
    """

    def __init__(
        self, tx: Tx, user_id: int, wanted: "Wanted", recalled: Recollection | None = None
    ) -> None:
        """`recalled` is true as far as we know."""
        self._tx, self._user_id, self._wanted, self._recalled = tx, user_id, wanted, recalled
        self._first: dict[str, Later[Any]] = {}  # by the name of the fact
        if wanted("message"):
            self._first["max_message_id"] = tx.later(newest_received, user_id)
        if wanted("message") and wanted("update_message_flags"):
            self._first["stored_unread"] = tx.later(storage.messages.unread.stored, user_id)
        if wanted("recent_private_conversations"):
            self._first["conversations"] = tx.later(
                storage.messages.conversations.recent, user_id, MOST_CONVERSATIONS
            )
        self._wants_subscriptions = wanted("subscription") or wanted("message")
        if self._wants_subscriptions and recalled is None:
            self._first["subscriptions"] = tx.later(storage.channels.alike.of_user, user_id)
        self._there = tx.later(storage.owned.those, user_id, _tables(wanted))

    def facts(self, known: Known = NOTHING_KNOWN, rules: LogPlace | None = None) -> Facts:
        """`rules` is the last event that has changed one."""
        tx, me, there = self._tx, self._user_id, self._there()
        facts = Facts(**{name: found() for name, found in self._first.items()})
        asked: dict[str, Later[Any]] = {}
        recalled = self._recalled
        if recalled is not None and recalled.rules != rules:
            recalled = None
            if self._wants_subscriptions:
                asked["subscriptions"] = tx.later(storage.channels.alike.of_user, me)
        elif recalled is not None:
            facts.subscriptions = recalled.subscriptions
        if "message_flag" in there:
            asked["starred"] = tx.later(storage.messages.flags.with_flag, me, "starred")
        if "user_topic" in there:
            asked["user_topics"] = tx.later(storage.personal.topic_policies.of_user, me)
        if "bot" in there:
            asked["bots"] = tx.later(storage.people.bots.kept_by, me)
        if "user_status" in there:
            asked["statuses"] = tx.later(storage.people.statuses.everyone)
        if "device" in there:
            asked["devices"] = tx.later(storage.personal.devices.of_user, me)
        lists = {
            name: tx.later(part.read, me) if part.table in there else list
            for name, part in LISTS.items()
            if self._wanted(name)
        }
        if facts.stored_unread is not None:
            _read_unread(tx, me, facts, facts.stored_unread, known, recalled)
        for name, found in asked.items():
            setattr(facts, name, found())
        facts.lists = {name: found() for name, found in lists.items()}
        return facts


def _tables(wanted: "Wanted") -> set[str]:
    """Where something has to be looked up, if there is anything."""
    tables = {part.table for name, part in LISTS.items() if wanted(name)}
    tables |= {table for table, names in _PARTS.items() if any(map(wanted, names))}
    return tables


def newest_received(tx: Tx, user_id: int) -> int:
    """The last message that reached somebody, as clients are told of it."""
    found = storage.messages.history.newest_received(tx, user_id)
    return -1 if found is None else found


def _read_unread(
    tx: Tx,
    user_id: int,
    facts: Facts,
    stored: Stored,
    known: Known,
    recalled: Recollection | None,
) -> None:
    since = _newest(stored.bitmap).min() if stored.bitmap else stored.caught_up_to
    asked = tx.later(storage.messages.unread.complete, user_id, stored)
    called = [
        tx.later(storage.messages.flags.wildcards_since, since),
        tx.later(
            storage.messages.flags.with_flag,
            user_id,
            "mentioned",
            "topic_wildcard_mentioned",
            since=since,
        ),
    ]
    everything = asked()
    facts.waiting = _newest(everything)
    facts.unread_missing = len(everything) > MOST_UNREAD
    facts.mentioned = facts.waiting & BitMap64(each for found in called for each in found())
    if (
        recalled is not None
        and (recalled.waiting, recalled.mentioned) == (facts.waiting, facts.mentioned)
        and not facts.unread_missing
    ):
        facts.unread_told = recalled.told
        return
    facts.unread, unknown = known.find(facts.waiting.to_array().tolist())
    if unknown:
        facts.described = storage.messages.unread.describe(tx, user_id, unknown)
        places = dict(facts.unread)
        for each in facts.described:
            insort(places.setdefault(Spot.of(each), []), each.id)
        facts.unread = list(places.items())


def _newest(waiting: BitMap64) -> BitMap64:
    """Those that are told; of more, nobody wants to know each."""
    return waiting if len(waiting) <= MOST_UNREAD else waiting[-MOST_UNREAD:]


class Wanted:
    """Which parts of the state a client asked for."""

    def __init__(self, types: list[str] | None) -> None:
        self._types = None if types is None else frozenset(types)

    def __call__(self, event_type: str) -> bool:
        return self._types is None or event_type in self._types

    @property
    def everything(self) -> bool:
        return self._types is None
