"""The interface of all caches: a name, a bound, invalidation by events, and counters.

A cache holds nothing that cannot be read or computed again. It is changed on the event loop, unless
its class says otherwise; any thread may read.
"""

from collections.abc import Collection, Hashable
from typing import ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from tertulia.domain.messages.message import Message

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class NewMessage(NamedTuple):
    """A message that an event adds."""

    message: Message
    read_by: list[int]  # users for whom it is not unread because they have muted its sender


Fact = Literal["sent", "rewritten", "logged_out", "invalidates_permits"]


class Invalidating(Protocol):
    """What caches need to know of an event; `events.types.event.Event` has it."""

    @classmethod
    def facts(cls) -> Collection[Fact]:
        """What events of this kind can say below. The others have no effect on any cache."""

    @property
    def invalidates_permits(self) -> bool: ...

    def sent(self) -> NewMessage | None: ...

    def rewritten(self) -> Collection[int]: ...

    def logged_out(self) -> Collection[int]: ...


class Applied(Protocol):
    """An event of the log that was just applied to the directory."""

    @property
    def realm_id(self) -> int: ...

    @property
    def seq(self) -> int: ...

    @property
    def event(self) -> Invalidating: ...


class Cache:
    """`name` is its label in `/metrics`, `unit` is what `bound` counts.

    `invalidated_by` are the facts of events that can make an entry invalid. `invalidate` is called
    only for events that have one of them.
    """

    name: ClassVar[str]
    unit: ClassVar[str] = "entries"
    invalidated_by: ClassVar[frozenset[Fact]] = frozenset()

    def __init__(self, bound: int) -> None:
        """A bound of 0 turns the cache off."""
        self.bound = bound
        self.hits = 0
        self.misses = 0

    @property
    def is_on(self) -> bool:
        return self.bound > 0

    @property
    def size(self) -> int:
        """How much of the bound is in use."""
        raise NotImplementedError

    def invalidate(self, applied: Applied) -> None:
        """Drop what the event has made invalid."""

    def drop_organization(self, realm_id: int, seq: int) -> None:
        """Drop everything of an organization that was loaded again, or evicted.

        Events up to `seq` were not applied one by one.
        """


class EntryCache(Cache, Generic[K, V]):
    """A cache that evicts its oldest entry when it is full."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self._entries: dict[K, V] = {}

    @property
    def size(self) -> int:
        return len(self._entries)

    def find(self, key: K) -> V | None:
        entry = self._entries.get(key)
        if entry is None:
            self.misses += 1
        else:
            self.hits += 1
        return entry

    def put(self, key: K, entry: V) -> None:
        self._entries.pop(key, None)
        if self.bound:
            self._entries[key] = entry
            if len(self._entries) > self.bound:
                del self._entries[next(iter(self._entries))]

    def clear(self) -> None:
        self._entries.clear()
