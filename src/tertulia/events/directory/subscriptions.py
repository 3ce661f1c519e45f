"""The subscriptions of an organization: who has subscribed to which channel, as bitmaps."""

from collections import defaultdict
from collections.abc import Iterable

from pyroaring import BitMap

from tertulia.events.directory.accounts import Accounts


class SubscriptionTable:
    """Bitmaps are replaced and never changed, so that a copy may share them."""

    def __init__(self, accounts: Accounts) -> None:
        self.by_channel: dict[int, BitMap] = {}
        self.by_user: dict[int, BitMap] = {}
        self._accounts = accounts

    def includes(self, user_id: int, channel_id: int) -> bool:
        subscribers = self.by_channel.get(channel_id)
        return subscribers is not None and user_id in subscribers

    def active(self, channel_id: int) -> BitMap:
        """Subscribers of a channel whose accounts are active."""
        subscribers = self.by_channel.get(channel_id)
        return BitMap() if subscribers is None else subscribers - self._accounts.inactive

    def share_channel(self, user_id: int, other_id: int) -> bool:
        """Whether both have subscribed to the same channel."""
        mine, theirs = self.by_user.get(user_id), self.by_user.get(other_id)
        return mine is not None and theirs is not None and bool(mine.intersect(theirs))

    def set_all(self, pairs: Iterable[tuple[int, int]]) -> None:
        """All subscriptions as (channel, user). Bitmaps fill faster from lists."""
        by_channel: defaultdict[int, list[int]] = defaultdict(list)
        by_user: defaultdict[int, list[int]] = defaultdict(list)
        for channel_id, user_id in pairs:
            by_channel[channel_id].append(user_id)
            by_user[user_id].append(channel_id)
        self.by_channel = {channel: BitMap(users) for channel, users in by_channel.items()}
        self.by_user = {user: BitMap(channels) for user, channels in by_user.items()}

    def add(self, channel_id: int, user_ids: Iterable[int]) -> None:
        self.by_channel[channel_id] = self.by_channel.get(channel_id, BitMap()) | BitMap(user_ids)
        for user_id in user_ids:
            self.by_user[user_id] = self.by_user.get(user_id, BitMap()) | BitMap([channel_id])

    def remove(self, channel_id: int, user_ids: Iterable[int]) -> None:
        self.by_channel[channel_id] = self.by_channel.get(channel_id, BitMap()) - BitMap(user_ids)
        for user_id in user_ids:
            self.by_user[user_id] = self.by_user.get(user_id, BitMap()) - BitMap([channel_id])

    def copy(self, accounts: Accounts) -> "SubscriptionTable":
        copy = SubscriptionTable(accounts)
        copy.by_channel, copy.by_user = {**self.by_channel}, {**self.by_user}
        return copy
