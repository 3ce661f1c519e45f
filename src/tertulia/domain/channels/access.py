"""Channel access: who may see that a channel exists, and who may read its messages.

Transactions and the in-memory directory use the same rules. Both pass `has_permission`, which says
whether the user is in the group of a permission.
"""

from collections.abc import Callable, Mapping, Set
from typing import Protocol

import msgspec

from tertulia.domain.channels.channel import Channel
from tertulia.domain.groups.group import GroupValue
from tertulia.domain.people.user import User

HasPermission = Callable[[GroupValue], bool]


def may_see(
    user: User | None, channel: Channel, subscribed: bool, has_permission: HasPermission
) -> bool:
    """Whether a user may see its name, description, settings and subscribers."""
    if not is_granted(user, channel.id):
        return False
    if channel.is_web_public or subscribed:
        return True
    if user is None or user.is_guest:
        return False
    if user.is_admin or channel.is_public:
        return True
    return has_permission(channel.permissions["can_administer_channel_group"]) or _may_grant_access(
        channel, has_permission
    )


def may_read(
    user: User | None, channel: Channel, subscribed: bool, has_permission: HasPermission
) -> bool:
    """Whether a user may read its messages; with a protected history, only those they have
    received."""
    if not is_granted(user, channel.id):
        return False
    if is_open(user, channel, subscribed):
        return True
    if user is None or user.is_guest:
        return False
    return _may_grant_access(channel, has_permission)


def is_granted(user: User | None, channel_id: int) -> bool:
    """Whether the channel is in the grant, if an agent asks."""
    grant = None if user is None else user.grant
    return grant is None or grant.may_read(channel_id)


class Readable(msgspec.Struct, frozen=True):
    """The channels whose messages a user may read."""

    shared: list[int]  # all messages
    protected: list[int]  # messages received while subscribed
    hidden: list[int]
    is_in_some: bool  # whether the user has any subscription

    @property
    def ids(self) -> list[int]:
        return self.shared + self.protected


class ChannelAccess(Protocol):
    """The channels visible to one user, from the database or from the directory."""

    def named(self, where: int | str) -> Channel | None:
        """The channel with this id or name, if the user may see it."""

    def may_read(self, channel: Channel) -> bool: ...

    def readable(self) -> Readable: ...


Sight = Mapping[int, Set[int]]
"""What each of some viewers sees, by their ids."""

Change = tuple[tuple[int, ...], tuple[int, ...]]
"""What is shown from now on, and what is hidden."""


def changes(before: Sight, after: Sight) -> dict[Change, list[int]]:
    """Group the viewers by the channels that became visible or hidden for them."""
    found: dict[Change, list[int]] = {}
    for viewer_id, now in after.items():
        shown = tuple(sorted(now - before[viewer_id]))
        hidden = tuple(sorted(before[viewer_id] - now))
        if shown or hidden:
            found.setdefault((shown, hidden), []).append(viewer_id)
    return found


class ChannelPrivacy(Protocol):
    """The part of a channel that decides access before any permission is checked."""

    @property
    def is_public(self) -> bool: ...
    @property
    def is_web_public(self) -> bool: ...


def is_open(user: User | None, privacy: ChannelPrivacy, subscribed: bool) -> bool:
    """Whether a user may read a channel without any of its permissions."""
    if privacy.is_web_public or subscribed:
        return True
    return privacy.is_public and user is not None and not user.is_guest


def _may_grant_access(channel: Channel, has_permission: HasPermission) -> bool:
    """Users who may add subscribers or subscribe themselves can get access at any time."""
    return has_permission(channel.permissions["can_add_subscribers_group"]) or has_permission(
        channel.permissions["can_subscribe_group"]
    )
