"""Unread query: the unread messages of a user and their conversations, from database and caches.

The messages since the unread state was stored, and the conversations of the newest messages, are
usually few. So these queries are sent before it is known whether they are needed. What they miss is
queried again.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec
from msgspec import field
from pyroaring import BitMap64

from tertulia import storage
from tertulia.caches.message_locations import MessageLocations
from tertulia.database.tx import Deferred, Tx
from tertulia.domain.messages.message import ConversationKey, Resolved
from tertulia.events.snapshot.cached_register import CachedRegister
from tertulia.storage.messages.unread import Stored, UnreadMessage

MAX_UNREAD = 50_000
MAX_ARRIVED = 1000
MAX_DESCRIBED = 200


class FoundUnread(msgspec.Struct):
    stored: Stored
    waiting: BitMap64
    mentioned: BitMap64
    is_cut: bool  # there are more than the API shows
    encoded: bytes | None = None  # the encoded result; if cached, the fields below are empty
    locations: Resolved = field(default_factory=list)  # the oldest unread message first
    unknown: list[int] = field(default_factory=list)  # messages whose conversation was not cached
    # The existing ones among `unknown`.
    described: list[UnreadMessage] = field(default_factory=list)

    def locations_found(self) -> Iterable[tuple[int, ConversationKey]]:
        """The locations that were read from the database, for the cache."""
        return locations_of(self.described)


class UnreadQuery:
    def __init__(
        self, tx: Tx, user_id: int, locations: MessageLocations, cached: CachedRegister | None
    ) -> None:
        """`cached` may be outdated."""
        self._tx, self._user_id, self._locations = tx, user_id, locations
        unread = storage.messages.unread
        self._stored = tx.defer(unread.stored, user_id)
        self._arrived = tx.defer(unread.new_unread, user_id, MAX_ARRIVED)
        newest = locations.newest(tx.realm_id)
        self._newest = tx.defer(unread.describe_after, user_id, newest, MAX_DESCRIBED)
        self._since = cached.waiting.min() if cached and cached.waiting else None
        self._mentioned = [] if self._since is None else self._query_mentions(self._since)

    def found(
        self,
        rewritten: frozenset[int] | None,
        cached: CachedRegister | None,
    ) -> FoundUnread:
        """`cached` must be valid."""
        stored, arrived = self._stored(), self._arrived()
        everything = storage.messages.unread.catch_up(
            self._tx, self._user_id, stored, arrived if len(arrived) < MAX_ARRIVED else None
        )
        waiting = _newest(everything)
        mentioned = waiting & BitMap64(self._mentions(waiting))
        found = FoundUnread(stored, waiting, mentioned, len(everything) > MAX_UNREAD)
        if (
            cached is not None
            and (cached.waiting, cached.mentioned) == (waiting, mentioned)
            and not found.is_cut
        ):
            found.encoded = cached.encoded
        else:
            self._find_locations(found, rewritten)
        return found

    def _mentions(self, waiting: BitMap64) -> Iterator[int]:
        """Unread messages that mention the reader."""
        if waiting and (self._since is None or waiting.min() < self._since):
            self._mentioned = self._query_mentions(waiting.min())
        return chain.from_iterable(found() for found in self._mentioned)

    def _query_mentions(self, since: int) -> list[Deferred[list[int]]]:
        marks = ("mentioned", "topic_wildcard_mentioned")
        flags = storage.messages.flags
        return [
            self._tx.defer(flags.wildcards_since, since),
            self._tx.defer(flags.with_flag, self._user_id, *marks, since=since),
        ]

    def _find_locations(self, found: FoundUnread, rewritten: frozenset[int] | None) -> None:
        ids = found.waiting.to_array().tolist()
        found.locations, found.unknown = self._locations.find_excluding(rewritten, ids)
        if found.unknown:
            found.described = self._describe(set(found.unknown))
            _add_described(found)

    def _describe(self, unknown: set[int]) -> list[UnreadMessage]:
        described = [each for each in self._newest() if each.id in unknown]
        left = sorted(unknown.difference(each.id for each in described))
        if left:
            described += storage.messages.unread.describe(self._tx, self._user_id, left)
        return described


def locations_of(described: Iterable[UnreadMessage]) -> Iterable[tuple[int, ConversationKey]]:
    """Without messages that were moved between channels: whether one of them is unread depends on
    the reader."""
    return ((each.id, ConversationKey.of(each)) for each in described if not each.is_moved)


def _add_described(found: FoundUnread) -> None:
    locations = dict(found.locations)
    for each in found.described:
        key = ConversationKey.of(each)
        locations[key] = sorted([*locations.get(key, []), each.id])
    found.locations = sorted(locations.items(), key=_first)


def _first(located: tuple[ConversationKey, list[int]]) -> int:
    _, ids = located
    return ids[0]


def _newest(waiting: BitMap64) -> BitMap64:
    """The messages that the API lists; older ones are only counted."""
    return waiting if len(waiting) <= MAX_UNREAD else waiting[-MAX_UNREAD:]
