"""What people were told when they last registered: most of it holds until a rule changes.

A thousand subscriptions and ten thousand unread messages take longer to put in order than all else
that a register tells. How they are told changes by nothing but an event that changes rules
(`Event.invalidates_permits`), or other messages being unread; the transaction that reads knows of
both.
"""

from collections.abc import Set
from typing import NamedTuple

from pyroaring import BitMap64

from tertulia.database.log_position import LogPosition
from tertulia.storage.channels.grouped_subscriptions import AlikeSubscriptions

MOST = 100  # of all organizations; one who is in a thousand channels takes some 150 kB

Whose = tuple[int, int, bool]  # the organization, the user, and whether topics may have no name


class Recollection(NamedTuple):
    rules: LogPosition  # the last event that had changed one
    there: Set[str]  # tables in which there was something of theirs
    subscriptions: list[AlikeSubscriptions]
    waiting: BitMap64  # what was unread
    mentioned: BitMap64
    told: bytes  # of what was unread


class RegisterCache:
    def __init__(self) -> None:
        self._kept: dict[Whose, Recollection] = {}  # whoever registered last is the last

    def find(self, whose: Whose) -> Recollection | None:
        """What somebody was told last; whether it is true, the transaction that reads knows."""
        return self._kept.get(whose)

    def keep(self, whose: Whose, found: Recollection | None) -> None:
        if found is None:
            return
        self._kept.pop(whose, None)
        self._kept[whose] = found
        if len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]
