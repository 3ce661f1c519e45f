"""The last event that may have changed what a channel's public pages show.

Public pages use it as their ETag. The versions are in memory: after a start, all channels have the
log position at which the organization was loaded.
"""

from collections.abc import Collection, Iterable


class ChannelVersions:
    def __init__(self, seq: int) -> None:
        self._of_all = seq
        self._by_channel: dict[int, int] = {}

    def note(self, seq: int, channel_ids: Collection[int] | None) -> None:
        """Record an event that concerns these channels; None means all of them."""
        if channel_ids is None:
            self._of_all = seq
            self._by_channel.clear()
            return
        for channel_id in channel_ids:
            self._by_channel[channel_id] = seq

    def newest(self, channel_ids: Iterable[int]) -> int:
        """The last event that concerns any of these channels."""
        known = self._by_channel
        return max((known.get(each, 0) for each in channel_ids), default=0) or self._of_all
