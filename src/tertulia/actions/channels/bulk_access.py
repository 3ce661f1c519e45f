"""The rights of one user in several channels, with a few queries for all of them."""

from collections.abc import Collection
from functools import partial

from tertulia import domain, storage
from tertulia.actions.groups import permissions
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import Channel
from tertulia.domain.channels.topics import INHERIT
from tertulia.domain.groups.group import CHANNEL_PERMISSIONS, Members
from tertulia.domain.people.user import User


class BulkAccess:
    """`subscribed` has those of the channels that the user is in."""

    def __init__(self, tx: Tx, user: User, channels: Collection[Channel]) -> None:
        ids = [channel.id for channel in channels]
        self._user = user
        self.subscribed = storage.channels.subscriptions.inside(tx, ids, [user.id])[user.id]
        self._holds = partial(permissions.permission_checker(tx, [user]), user)

    def may_see(self, channel: Channel) -> bool:
        is_inside = channel.id in self.subscribed
        return domain.channels.access.may_see(self._user, channel, is_inside, self._holds)

    def may_read(self, channel: Channel) -> bool:
        is_inside = channel.id in self.subscribed
        return domain.channels.access.may_read(self._user, channel, is_inside, self._holds)

    def may_administer(self, channel: Channel) -> bool:
        return self._user.is_admin or self.has_permission(channel, "can_administer_channel_group")

    def has_permission(self, channel: Channel, permission: str) -> bool:
        return CHANNEL_PERMISSIONS[permission].is_open_to(self._user) and self._holds(
            channel.permissions[permission]
        )


class ChannelLookup:
    """The channels with some names, and what one user may do in them.

    A missing and a hidden channel take the same time, as in `if_visible`.
    """

    def __init__(self, tx: Tx, user: User, names: Collection[str]) -> None:
        self._found = storage.channels.table.find_by_names(tx, names)
        self._invisible = invisible_channel(tx)
        self.access = BulkAccess(tx, user, [*self._found.values(), self._invisible])

    def any(self, name: str) -> Channel | None:
        """The channel, visible or not."""
        return self._found.get(domain.channels.topics.fold(name.strip()))

    def visible(self, name: str) -> Channel | None:
        channel = self.any(name)
        return channel if self.access.may_see(channel or self._invisible) else None


def invisible_channel(tx: Tx) -> Channel:
    """A channel that no one may see."""
    nobody = storage.groups.system_ids(tx)["role:nobody"]
    return Channel(
        id=0,
        realm_id=tx.realm_id,
        name="",
        description="",
        rendered_description="",
        created_at=0,
        creator_id=None,
        invite_only=True,
        is_web_public=False,
        history_public=False,
        archived=False,
        is_default=False,
        folder_id=None,
        first_message_id=None,
        last_message_at=None,
        retention_days=None,
        topics_policy=INHERIT,
        default_push=False,
        permissions={
            "can_administer_channel_group": Members([], []),
            "can_add_subscribers_group": nobody,
            "can_subscribe_group": nobody,
        },
    )
