"""A position in the event log of an organization."""

from typing import NamedTuple


class LogPosition(NamedTuple):
    """The number of an event and the epoch of its log.

    Two logs can be equal up to some event: the log before a restore or a failover, and the log
    after it. The epoch tells them apart.
    """

    seq: int
    epoch: str
