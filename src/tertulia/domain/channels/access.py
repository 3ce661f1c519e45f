"""Who may see that a channel exists, and who may read what is said in it.

The same rules serve a transaction, which asks the database, and the directory in memory: both
hand in what they know as `holds`, which says whether the user is in a permission's set.
"""

from collections.abc import Callable, Mapping, Set
from typing import Protocol

import msgspec

from tertulia.domain.channels.channel import Channel
from tertulia.domain.groups.group import GroupValue
from tertulia.domain.people.user import User

Holds = Callable[[GroupValue], bool]


def may_see(user: User | None, channel: Channel, subscribed: bool, holds: Holds) -> bool:
    """Name, description, settings, subscribers."""
    if channel.is_web_public or subscribed:
        return True
    if user is None or user.is_guest:
        return False
    if user.is_admin or channel.is_public:
        return True
    return holds(channel.permissions["can_administer_channel_group"]) or _may_let_in(channel, holds)


def may_read(user: User | None, channel: Channel, subscribed: bool, holds: Holds) -> bool:
    """The messages; with a protected history, only those that one has received."""
    if is_open(user, channel, subscribed):
        return True
    if user is None or user.is_guest:
        return False
    return _may_let_in(channel, holds)


class Readable(msgspec.Struct, frozen=True):
    """The channels whose messages somebody may read, and those whose they may not."""

    shared: list[int]  # all messages
    protected: list[int]  # those that came while one was subscribed
    hidden: list[int]
    is_in_some: bool  # whether they are subscribed anywhere

    @property
    def ids(self) -> list[int]:
        return self.shared + self.protected


class ChannelAccess(Protocol):
    """What one person sees of channels, whoever is asked: the database, or the directory."""

    def named(self, where: int | str) -> Channel | None:
        """The channel of this id or name, as far as one may know of it."""

    def may_read(self, channel: Channel) -> bool: ...

    def readable(self) -> Readable: ...


Sight = Mapping[int, Set[int]]
"""What each of some viewers sees, by their ids."""

Change = tuple[tuple[int, ...], tuple[int, ...]]
"""What is shown from now on, and what is hidden."""


def changes(before: Sight, after: Sight) -> dict[Change, list[int]]:
    """What is seen anew or no longer, with those for whom the change is the same."""
    found: dict[Change, list[int]] = {}
    for viewer_id, now in after.items():
        shown = tuple(sorted(now - before[viewer_id]))
        hidden = tuple(sorted(before[viewer_id] - now))
        if shown or hidden:
            found.setdefault((shown, hidden), []).append(viewer_id)
    return found


class Door(Protocol):
    """What must be known of a channel before any permission is asked for."""

    @property
    def is_public(self) -> bool: ...
    @property
    def is_web_public(self) -> bool: ...


def is_open(user: User | None, door: Door, subscribed: bool) -> bool:
    """Whether somebody may read a channel without holding any of its permissions."""
    if door.is_web_public or subscribed:
        return True
    return door.is_public and user is not None and not user.is_guest


def _may_let_in(channel: Channel, holds: Holds) -> bool:
    """Who may add people, or join, can let themselves in, so nothing is hidden from them."""
    return holds(channel.permissions["can_add_subscribers_group"]) or holds(
        channel.permissions["can_subscribe_group"]
    )
