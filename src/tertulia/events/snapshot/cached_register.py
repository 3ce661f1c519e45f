"""What the register cache keeps of a register."""

from typing import NamedTuple

from pyroaring import BitMap64

from tertulia.database.log_position import LogPosition
from tertulia.storage.channels.grouped_subscriptions import AlikeSubscriptions


class CachedRegister(NamedTuple):
    rules: LogPosition  # the last event that invalidated permits
    subscriptions: list[AlikeSubscriptions]
    waiting: BitMap64  # unread messages
    mentioned: BitMap64
    encoded: bytes  # the unread messages as JSON
