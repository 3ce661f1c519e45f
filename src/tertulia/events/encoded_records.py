"""What is encoded once of an organization, and kept for as long as it is true.

The directory drops whatever an event has made untrue; what was put together of that goes with it.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class EncodedUser(NamedTuple):
    """A user as JSON, in the two ways others see them."""

    email_shown_to: int  # the role from which on upwards the real address is seen
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
        """A place for what is told of a channel."""
        return self._channels.setdefault(channel_id, {})

    def user(self, user_id: int) -> dict[Hashable, EncodedUser]:
        """The same for a user."""
        return self._users.setdefault(user_id, {})

    def of_all_channels(self, name: Hashable, make: Callable[[], T]) -> T:
        """What follows from all channels, made when somebody asks for it first."""
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
