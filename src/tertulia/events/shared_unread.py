"""Shared unread messages: the unread messages of one user, reused for others.

Users who return after a day have the same unread messages in many channels. Those channels are sent
in the same bytes; only channels in which a user has read more or less than the last one are grouped
and encoded again. The owner of this object drops it when one of its messages is rewritten.
"""

from collections.abc import Iterable
from itertools import chain

import msgspec
from pyroaring import BitMap64

from tertulia.events.conversation_keys import ConversationKey, Resolved


class UnreadChannel(msgspec.Struct, gc=False):
    size: int  # number of messages
    locations: Resolved  # never changed
    encoded: bytes = b""  # the topics as JSON, joined by commas, once they were encoded


class SharedUnread:
    def __init__(
        self, waiting: BitMap64, channels: dict[int, UnreadChannel], locations: Resolved
    ) -> None:
        """`channels` come from an earlier user, `locations` from this one; each is in a channel."""
        self.waiting = waiting
        self._channels = channels
        self._locations = locations

    def is_worth_more_than(self, other: "SharedUnread") -> bool:
        """A user who has read nearly everything shares little with the others."""
        return len(self.waiting) > 10 * len(other.waiting)

    def holds_any_of(self, message_ids: Iterable[int]) -> bool:
        return not self.waiting.isdisjoint(BitMap64(message_ids))

    def without(
        self, channel_ids: Iterable[int | None]
    ) -> tuple[dict[int, UnreadChannel], dict[ConversationKey, list[int]]]:
        """All channels but these, and the unread messages in these."""
        if self._locations:
            self._channels, self._locations = self._channels | _by_channel(self._locations), []
        channels = self._channels.copy()
        left_out = [channels.pop(each) for each in channel_ids if each in channels]
        return channels, dict(chain.from_iterable([each.locations for each in left_out]))


def _by_channel(locations: Resolved) -> dict[int, UnreadChannel]:
    found: dict[int, UnreadChannel] = {}
    for place in locations:
        channel_id, size = place[0].channel_id, len(place[1])
        if channel_id in found:
            found[channel_id].size += size
            found[channel_id].locations.append(place)
        elif channel_id is not None:
            found[channel_id] = UnreadChannel(size, [place])
    return found
