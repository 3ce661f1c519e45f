"""What people were told when they last registered: most of it holds until a rule changes.

A thousand subscriptions and ten thousand unread messages take longer to put in order than all else
that a register tells. How they are told changes by nothing but an event that changes rules
(`Event.changes_rules`), or other messages being unread; the transaction that reads knows of both.
"""

from typing import NamedTuple

from pyroaring import BitMap64

from tertulia.events.directory import Organization
from tertulia.storage.channels.alike import AlikeSubscriptions
from tertulia.storage.log import LogPlace

MOST = 100  # of all organizations; one who is in a thousand channels takes some 150 kB

Whose = tuple[int, int, bool]  # the organization, the user, and whether topics may have no name


class Recollection(NamedTuple):
    rules: LogPlace  # the last event that had changed one
    subscriptions: list[AlikeSubscriptions]
    waiting: BitMap64  # what was unread
    mentioned: BitMap64
    told: bytes  # of what was unread


class Recollections:
    def __init__(self) -> None:
        self._kept: dict[Whose, Recollection] = {}  # whoever registered last is the last

    def find(self, org: Organization, whose: Whose) -> Recollection | None:
        """What is true as far as we know; the database may know more."""
        found = self._kept.get(whose)
        is_true = found is not None and found.rules == (org.rules_seq, org.epoch)
        return found if is_true else None

    def keep(self, whose: Whose, found: Recollection | None) -> None:
        if found is None:
            return
        self._kept.pop(whose, None)
        self._kept[whose] = found
        if len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]
