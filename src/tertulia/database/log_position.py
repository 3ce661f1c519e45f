"""A position in the event log of an organization, and the identity of that log."""

import random
from typing import NamedTuple


class LogPosition(NamedTuple):
    """The number of an event, the name of its log, and what distinguishes the event from another
    with the same number.

    Two logs can be equal up to some event: the log before a restore or a failover, and the log
    after it. A restore starts another epoch. PostgreSQL's timeline is part of the epoch, after
    `@`, and changes while the log may stay the same; then the stamps of events decide.
    """

    seq: int
    epoch: str
    stamp: int = 0  # 0 if it is unknown, or if an older server wrote the event

    @staticmethod
    def new_stamp() -> int:
        return 1 + random.getrandbits(31) % 0x7FFFFFFE

    def matches_stamp(self, stamp: int) -> bool:
        """Whether an event with this number and stamp may be the same: False only if both stamps
        are known and differ."""
        return not (self.stamp and stamp) or self.stamp == stamp

    def matches(self, other: "LogPosition") -> bool:
        """Whether both are the same place, as far as their stamps are known."""
        return self[:2] == other[:2] and self.matches_stamp(other.stamp)

    def is_in_epoch_of(self, other: "LogPosition") -> bool:
        """Whether no restore is between the two; the timelines may differ."""
        return self.epoch.partition("@")[0] == other.epoch.partition("@")[0]
