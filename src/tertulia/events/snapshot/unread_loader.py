"""The unread messages of a user and their conversations, loaded from database and caches.

The messages since the unread state was stored are usually few. If there are more than a limit, they
are queried again.
"""

from collections.abc import Iterable

import msgspec
from msgspec import field
from pyroaring import BitMap64

from tertulia import storage
from tertulia.caches.message_locations import MessageLocations
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import ConversationKey, Resolved
from tertulia.events.snapshot.cached_register import CachedRegister
from tertulia.storage.messages.unread import Stored, UnreadMessage

MAX_UNREAD = 50_000
MAX_ARRIVED = 1000


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


class UnreadLoader:
    def __init__(self, tx: Tx, user_id: int, locations: MessageLocations) -> None:
        self._tx, self._user_id, self._locations = tx, user_id, locations

    def found(
        self,
        rewritten: frozenset[int] | None,
        cached: CachedRegister | None,
    ) -> FoundUnread:
        """`cached` must be valid."""
        unread = storage.messages.unread
        stored = unread.stored(self._tx, self._user_id)
        arrived = unread.new_unread(self._tx, self._user_id, MAX_ARRIVED)
        everything = unread.catch_up(
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

    def _mentions(self, waiting: BitMap64) -> list[int]:
        """Unread messages that mention the reader, among others."""
        if not waiting:
            return []
        flags, since = storage.messages.flags, waiting.min()
        marks = ("mentioned", "topic_wildcard_mentioned")
        return flags.wildcards_since(self._tx, since) + flags.with_flag(
            self._tx, self._user_id, *marks, since=since
        )

    def _find_locations(self, found: FoundUnread, rewritten: frozenset[int] | None) -> None:
        ids = found.waiting.to_array().tolist()
        found.locations, found.unknown = self._locations.find_excluding(rewritten, ids)
        if found.unknown:
            found.described = storage.messages.unread.describe(
                self._tx, self._user_id, sorted(found.unknown)
            )
            _add_described(found)


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
