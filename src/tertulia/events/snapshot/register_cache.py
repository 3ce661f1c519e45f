"""Register cache: the encoded subscriptions and unread messages of recent registers.

A thousand subscriptions and ten thousand unread messages take longer to prepare than everything
else in a register. They change only with an event that invalidates permits
(`Event.invalidates_permits`) or with the set of unread messages. The transaction of the register
checks both.
"""

from collections.abc import Set
from typing import NamedTuple

from pyroaring import BitMap64

from tertulia.database.log_position import LogPosition
from tertulia.storage.channels.grouped_subscriptions import AlikeSubscriptions

MAX_ENTRIES = 100  # entries of all organizations; a user with a thousand channels takes some 150 kB

# The organization, the user, and whether the client supports topics without a name.
Whose = tuple[int, int, bool]


class Recollection(NamedTuple):
    rules: LogPosition  # the last event that invalidated permits
    there: Set[str]  # tables with rows of the user
    subscriptions: list[AlikeSubscriptions]
    waiting: BitMap64  # unread messages
    mentioned: BitMap64
    encoded: bytes  # the unread messages as JSON


class RegisterCache:
    def __init__(self) -> None:
        self._kept: dict[Whose, Recollection] = {}  # the last one to register is last

    def find(self, whose: Whose) -> Recollection | None:
        """The last register of a user. The transaction must check that it is still valid."""
        return self._kept.get(whose)

    def keep(self, whose: Whose, found: Recollection | None) -> None:
        if found is None:
            return
        self._kept.pop(whose, None)
        self._kept[whose] = found
        if len(self._kept) > MAX_ENTRIES:
            del self._kept[next(iter(self._kept))]
