"""What somebody has not read, and where it stands: asked of the database and of our memory.

How much came since it was written down what is unread, and where the newest messages stand, is
mostly little, so that is asked before it is known whether it matters. What was too much for that,
or is known neither here nor there, is asked again.
"""

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from pyroaring import BitMap64

from tertulia import storage
from tertulia.events.snapshot.recollections import Recollection
from tertulia.events.whereabouts import Found, Spot, Whereabouts
from tertulia.storage.database.tx import Later, Tx
from tertulia.storage.messages.unread import Stored, UnreadMessage

MOST_UNREAD = 50_000
MOST_ARRIVED = 1000
MOST_DESCRIBED = 200


@dataclass(slots=True)
class FoundUnread:
    stored: Stored
    waiting: BitMap64
    mentioned: BitMap64
    is_cut: bool  # there is more than is told
    told: bytes | None = None  # once that is known; if it was before, what follows is empty
    places: Found = field(default_factory=list)  # first that where something waits longest
    described: list[UnreadMessage] = field(default_factory=list)  # of these, what was not known


class AskedUnread:
    def __init__(
        self, tx: Tx, user_id: int, whereabouts: Whereabouts, recalled: Recollection | None
    ) -> None:
        """`recalled` need not be true any more."""
        self._tx, self._user_id, self._whereabouts = tx, user_id, whereabouts
        asked = storage.messages.unread
        self._stored = tx.later(asked.stored, user_id)
        self._arrived = tx.later(asked.arrived, user_id, MOST_ARRIVED)
        newest = whereabouts.newest(tx.realm_id)
        self._newest = tx.later(asked.describe_after, user_id, newest, MOST_DESCRIBED)
        self._since = recalled.waiting.min() if recalled and recalled.waiting else None
        self._called = [] if self._since is None else self._ask_called(self._since)

    def found(self, rewritten: frozenset[int] | None, recalled: Recollection | None) -> FoundUnread:
        """`recalled` is true."""
        stored, arrived = self._stored(), self._arrived()
        everything = storage.messages.unread.complete(
            self._tx, self._user_id, stored, arrived if len(arrived) < MOST_ARRIVED else None
        )
        waiting = _newest(everything)
        mentioned = waiting & BitMap64(self._calls(waiting))
        found = FoundUnread(stored, waiting, mentioned, len(everything) > MOST_UNREAD)
        if (
            recalled is not None
            and (recalled.waiting, recalled.mentioned) == (waiting, mentioned)
            and not found.is_cut
        ):
            found.told = recalled.told
        else:
            self._find_places(found, rewritten)
        return found

    def _calls(self, waiting: BitMap64) -> Iterator[int]:
        """Messages that call the reader, among them all that wait."""
        if waiting and (self._since is None or waiting.min() < self._since):
            self._called = self._ask_called(waiting.min())
        return chain.from_iterable(found() for found in self._called)

    def _ask_called(self, since: int) -> list[Later[list[int]]]:
        marks = ("mentioned", "topic_wildcard_mentioned")
        flags = storage.messages.flags
        return [
            self._tx.later(flags.wildcards_since, since),
            self._tx.later(flags.with_flag, self._user_id, *marks, since=since),
        ]

    def _find_places(self, found: FoundUnread, rewritten: frozenset[int] | None) -> None:
        waiting = found.waiting.to_array().tolist()
        found.places, unknown = self._whereabouts.find_but_for(rewritten, waiting)
        if unknown:
            found.described = self._describe(set(unknown))
            places = dict(found.places)
            for each in found.described:
                insort(places.setdefault(Spot.of(each), []), each.id)
            found.places = sorted(places.items(), key=_first)

    def _describe(self, unknown: set[int]) -> list[UnreadMessage]:
        described = [each for each in self._newest() if each.id in unknown]
        left = sorted(unknown.difference(each.id for each in described))
        if left:
            described += storage.messages.unread.describe(self._tx, self._user_id, left)
        return described


def _first(place: tuple[Spot, list[int]]) -> int:
    _, ids = place
    return ids[0]


def _newest(waiting: BitMap64) -> BitMap64:
    """Those that are told; of more, nobody wants to know each."""
    return waiting if len(waiting) <= MOST_UNREAD else waiting[-MOST_UNREAD:]
