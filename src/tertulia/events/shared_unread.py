"""What many have not read alike: what somebody was told of it last.

Whoever comes back after a day finds unread what the last one found who did: in many channels the
same messages. Of those everybody after them is told in the same words, and only where somebody has
read more, or less, is put in order what they have not read. Whoever keeps this drops it when one of
its messages is rewritten, so it need not be asked again where they stand.
"""

from collections.abc import Iterable
from itertools import chain

import msgspec
from pyroaring import BitMap64

from tertulia.events.conversation_keys import ConversationKey, Resolved


class UnreadChannel(msgspec.Struct, gc=False):
    size: int  # how many messages
    places: Resolved  # never changed
    told: bytes = b""  # its topics as JSON, with commas between them, once somebody was told so


class SharedUnread:
    def __init__(
        self, waiting: BitMap64, channels: dict[int, UnreadChannel], places: Resolved
    ) -> None:
        """`channels` were shared before, `places` were told to one only; each is in a channel."""
        self.waiting = waiting
        self._channels = channels
        self._places = places

    def is_worth_more_than(self, other: "SharedUnread") -> bool:
        """Somebody who has read nearly all has little in common with those who have not."""
        return len(self.waiting) > 10 * len(other.waiting)

    def holds_any_of(self, message_ids: Iterable[int]) -> bool:
        return not self.waiting.isdisjoint(BitMap64(message_ids))

    def without(
        self, channel_ids: Iterable[int | None]
    ) -> tuple[dict[int, UnreadChannel], dict[ConversationKey, list[int]]]:
        """All channels but these, and what is unread in these."""
        if self._places:
            self._channels, self._places = self._channels | _by_channel(self._places), []
        channels = self._channels.copy()
        left_out = [channels.pop(each) for each in channel_ids if each in channels]
        return channels, dict(chain.from_iterable([each.places for each in left_out]))


def _by_channel(places: Resolved) -> dict[int, UnreadChannel]:
    found: dict[int, UnreadChannel] = {}
    for place in places:
        channel_id, size = place[0].channel_id, len(place[1])
        if channel_id in found:
            found[channel_id].size += size
            found[channel_id].places.append(place)
        elif channel_id is not None:
            found[channel_id] = UnreadChannel(size, [place])
    return found
