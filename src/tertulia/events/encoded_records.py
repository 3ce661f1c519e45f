"""Cache of JSON parts of an organization: each user, each channel, and lists made of them.

The directory drops an entry when an event changes its subject, and with it the lists that contain
it.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class EncodedUser(NamedTuple):
    """A user as JSON, with and without the real email address."""

    email_shown_to: int  # the lowest role that sees the real address
    with_email: bytes
    without_email: bytes

    def as_seen_by(self, role: int) -> bytes:
        return self.with_email if role <= self.email_shown_to else self.without_email


class EncodedRecords:
    def __init__(self) -> None:
        self._channels: dict[int, dict[str, bytes]] = {}
        self._users: dict[int, dict[Hashable, EncodedUser]] = {}
        self._of_channels: dict[Hashable, Any] = {}
        self._of_users: dict[Hashable, Any] = {}

    def channel(self, channel_id: int) -> dict[str, bytes]:
        """The cache of one channel's JSON, by the name of the variant."""
        return self._channels.setdefault(channel_id, {})

    def user(self, user_id: int) -> dict[Hashable, EncodedUser]:
        return self._users.setdefault(user_id, {})

    def of_all_channels(self, name: Hashable, make: Callable[[], T]) -> T:
        """A value computed from all channels. `make` computes it on first use."""
        return _once(self._of_channels, name, make)

    def of_all_users(self, name: Hashable, make: Callable[[], T]) -> T:
        return _once(self._of_users, name, make)

    def drop_channel(self, channel_id: int) -> None:
        self._channels.pop(channel_id, None)
        self._of_channels.clear()

    def drop_channels(self) -> None:
        self._channels.clear()
        self._of_channels.clear()

    def drop_user(self, user_id: int) -> None:
        self._users.pop(user_id, None)
        self._of_users.clear()


def _once(kept: dict[Hashable, Any], name: Hashable, make: Callable[[], T]) -> T:
    if name not in kept:
        kept[name] = make()
    known: T = kept[name]
    return known
