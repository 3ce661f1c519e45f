"""Lookups of channels that check access."""

from collections.abc import Callable

from tertulia import storage
from tertulia.actions.channels import (
    bulk_access,
)
from tertulia.actions.groups import permissions
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.groups.group import CHANNEL_PERMISSIONS
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.channels import (
    ChannelNotAccessible,
)
from tertulia.storage.channels.topics import ChannelTopic


def visible_to(tx: Tx, user: User, channel_id: int) -> Channel:
    """A channel that the user may see. Raises ChannelNotAccessible."""
    return _require_access(tx, user, channel_id, may_see)


def readable_by(tx: Tx, user: User, channel_id: int) -> Channel:
    """A channel whose messages the user may read. Raises ChannelNotAccessible."""
    return _require_access(tx, user, channel_id, may_read)


def open_to_all(tx: Tx, channel_id: int) -> Channel:
    """A channel that may be read without a login. Raises ChannelNotAccessible."""
    channel = storage.channels.table.find(tx, channel_id)
    if channel is None or not channel.is_web_public:
        raise ChannelNotAccessible()
    return channel


def readable_topics(
    tx: Tx, user: User | None, channel_id: int
) -> tuple[list[ChannelTopic], int | None]:
    """The topics of a channel that a user or an anonymous reader may read, newest message first.

    The second value is the id of the user if only the messages count that the user has received.
    """
    if user is None:
        open_to_all(tx, channel_id)
        return storage.channels.topics.of_channel(tx, channel_id, None), None
    channel = readable_by(tx, user, channel_id)
    received_by = None if channel.history_public else user.id
    return storage.channels.topics.of_channel(tx, channel_id, received_by), received_by


def administered_by(tx: Tx, user: User, channel_id: int) -> Channel:
    """A channel that the user may administer."""
    channel = visible_to(tx, user, channel_id)
    if not may_administer(tx, user, channel):
        raise BadRequest(
            "You do not have permission to administer this channel.",
            problem="channel-administration-not-allowed",
        )
    return channel


def may_administer(tx: Tx, user: User, channel: Channel) -> bool:
    return user.is_admin or has_permission(tx, user, channel, "can_administer_channel_group")


def has_permission(tx: Tx, user: User, channel: Channel, permission: str) -> bool:
    """Whether a user has one of a channel's permissions."""
    return CHANNEL_PERMISSIONS[permission].is_open_to(user) and permissions.has_permission(
        tx, user, channel.permissions[permission]
    )


def may_see(tx: Tx, user: User, channel: Channel) -> bool:
    return bulk_access.BulkAccess(tx, user, [channel]).may_see(channel)


def may_read(tx: Tx, user: User, channel: Channel) -> bool:
    return bulk_access.BulkAccess(tx, user, [channel]).may_read(channel)


def if_visible(tx: Tx, user: User, channel: Channel | None) -> Channel | None:
    """A channel that was looked up, if it exists and the user may see it.

    A missing and a hidden channel take the same time, so the time reveals nothing.
    """
    return channel if may_see(tx, user, channel or bulk_access.invisible_channel(tx)) else None


def named(tx: Tx, user: User, where: int | str) -> Channel | None:
    """The channel with this id or name, if the user may see it."""
    if isinstance(where, int):
        return if_visible(tx, user, storage.channels.table.find(tx, where))
    return if_visible(tx, user, storage.channels.table.find_by_name(tx, where))


def _require_access(
    tx: Tx, user: User, channel_id: int, may: Callable[[Tx, User, Channel], bool]
) -> Channel:
    """A missing and a hidden channel take the same time, so the time reveals nothing."""
    channel = storage.channels.table.find(tx, channel_id)
    if not may(tx, user, channel or bulk_access.invisible_channel(tx)) or channel is None:
        raise ChannelNotAccessible()
    return channel


def spend_lookup_time(tx: Tx, user: User) -> None:
    """Take as long as the access check of a hidden channel. For objects that do not exist."""
    may_read(tx, user, bulk_access.invisible_channel(tx))
