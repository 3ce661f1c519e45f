"""Naming: permissions that name a person, told anew when that person comes or goes.

Clients are never shown a deactivated person in a permission. The stored value keeps them, so that
everything is as it was when they come back.
"""

from collections.abc import Mapping

from tertulia.actions.rights import without_inactive
from tertulia.domain.groups import GroupValue, Members
from tertulia.events.audience import Everyone, Watchers
from tertulia.events.log import announce
from tertulia.events.types.channels import ChannelChanged
from tertulia.events.types.groups import GroupChanged
from tertulia.events.types.realms import RealmChangedTogether
from tertulia.storage import channels, groups, realms
from tertulia.storage.tx import Tx


def renamed_in_permissions(tx: Tx, user_id: int) -> None:
    """Tell the values that name somebody as clients see them now."""
    for channel in channels.everything(tx):
        told = _naming(tx, user_id, channel.permissions)
        if told:
            updates = [{"property": name, "value": value} for name, value in told.items()]
            announce(tx, ChannelChanged(channel.id, channel.name, updates), to=Watchers(channel.id))
    for group in groups.everything(tx):
        told = _naming(tx, user_id, group.permissions)
        if told:
            announce(tx, GroupChanged(group.id, told, group.deactivated), to=Everyone())
    told = _naming(tx, user_id, realms.current(tx).permissions())
    if told:
        announce(tx, RealmChangedTogether(told), to=Everyone())


def _naming(tx: Tx, user_id: int, permissions: Mapping[str, GroupValue]) -> dict[str, GroupValue]:
    return {
        name: without_inactive(tx, value)
        for name, value in permissions.items()
        if isinstance(value, Members) and user_id in value.direct_members
    }
