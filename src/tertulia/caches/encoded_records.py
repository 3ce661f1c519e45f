"""Encoded records: JSON parts of an organization: each user, each channel, and lists made of them.

Every register and many responses contain them. The directory drops an entry when an event changes
its subject, and with it the lists that contain it.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar
from weakref import WeakSet

from tertulia.caches.cache import Cache

K = TypeVar("K")
T = TypeVar("T")


class EncodedUser(NamedTuple):
    """A user as JSON, with and without the real email address."""

    email_shown_to: int  # the lowest role that sees the real address
    with_email: bytes
    without_email: bytes

    def as_seen_by(self, role: int) -> bytes:
        return self.with_email if role <= self.email_shown_to else self.without_email


class EncodedRecordsCache(Cache):
    """The records of all organizations in memory. The bound applies to each organization, to its
    users and to its channels."""

    name = "encoded_records"

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self._parts: WeakSet[EncodedRecords] = WeakSet()

    @property
    def size(self) -> int:
        return sum(part.size for part in self._parts)

    def for_organization(self) -> "EncodedRecords":
        part = EncodedRecords(self)
        self._parts.add(part)
        return part


class EncodedRecords:
    """The records of one organization; its directory owns and invalidates them."""

    def __init__(self, cache: EncodedRecordsCache) -> None:
        self._cache = cache
        self._channels: dict[int, dict[str, bytes]] = {}
        self._users: dict[int, dict[Hashable, EncodedUser]] = {}
        self._of_channels: dict[Hashable, Any] = {}
        self._of_users: dict[Hashable, Any] = {}

    @property
    def size(self) -> int:
        lists = len(self._of_channels) + len(self._of_users)
        return len(self._channels) + len(self._users) + lists

    def for_copy(self) -> "EncodedRecords":
        """Empty ones, for a copy of the directory."""
        return self._cache.for_organization()

    def channel(self, channel_id: int) -> dict[str, bytes]:
        """The JSON of one channel, by the name of the variant. The caller adds what is missing."""
        return self._entry(self._channels, channel_id)

    def user(self, user_id: int) -> dict[Hashable, EncodedUser]:
        return self._entry(self._users, user_id)

    def of_all_channels(self, name: Hashable, make: Callable[[], T]) -> T:
        """A value computed from all channels. `make` computes it on first use."""
        return self._list(self._of_channels, name, make)

    def of_all_users(self, name: Hashable, make: Callable[[], T]) -> T:
        return self._list(self._of_users, name, make)

    def drop_channel(self, channel_id: int) -> None:
        self._channels.pop(channel_id, None)
        self._of_channels.clear()

    def drop_channels(self) -> None:
        self._channels.clear()
        self._of_channels.clear()

    def drop_user(self, user_id: int) -> None:
        self._users.pop(user_id, None)
        self._of_users.clear()

    def _entry(self, entries: dict[int, dict[K, T]], record_id: int) -> dict[K, T]:
        known = entries.get(record_id)
        if known is not None:
            self._cache.hits += 1
            return known
        self._cache.misses += 1
        made: dict[K, T] = {}
        if len(entries) < self._cache.bound:
            entries[record_id] = made
        return made

    def _list(self, lists: dict[Hashable, Any], name: Hashable, make: Callable[[], T]) -> T:
        if name in lists:
            self._cache.hits += 1
            known: T = lists[name]
            return known
        self._cache.misses += 1
        made = make()
        if self._cache.is_on:
            lists[name] = made
        return made
