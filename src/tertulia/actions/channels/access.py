"""Channel access of one user, by the database or by the directory.

The directory is faster. Only reads of history use it, in a transaction in which the directory is up
to date.
"""

from functools import partial

import msgspec
from pyroaring import BitMap

from tertulia import domain, storage
from tertulia.actions.channels import lookups
from tertulia.actions.groups import permissions
from tertulia.database.tx import Tx
from tertulia.domain.channels.access import Readable
from tertulia.domain.channels.channel import Channel
from tertulia.domain.groups.group import GroupValue
from tertulia.domain.people.user import User
from tertulia.events.directory.organization import Organization


class AccessByDatabase(msgspec.Struct, frozen=True):
    tx: Tx
    user: User

    def named(self, where: int | str) -> Channel | None:
        return lookups.named(self.tx, self.user, where)

    def may_read(self, channel: Channel) -> bool:
        return lookups.may_read(self.tx, self.user, channel)

    def readable(self) -> Readable:
        """Most channels need no permission check; only the others are read completely."""
        tx, user = self.tx, self.user
        mine = set(storage.channels.subscriptions.channel_ids_of(tx, user.id))
        channels = storage.channels.table.all_privacy(tx)
        found = {
            each.id
            for each in channels
            if domain.channels.access.is_granted(user, each.id)
            and domain.channels.access.is_open(user, each, each.id in mine)
        }
        others = [] if user.is_guest else [each.id for each in channels if each.id not in found]
        if others:
            holds = partial(permissions.permission_checker(tx, [user]), user)
            found |= {
                channel.id
                for channel in storage.channels.table.find_many(tx, others)
                if domain.channels.access.may_read(user, channel, False, holds)
            }
        return Readable(
            [each.id for each in channels if each.id in found and each.history_public],
            [each.id for each in channels if each.id in found and not each.history_public],
            [each.id for each in channels if each.id not in found],
            bool(mine),
        )


class AccessByDirectory(msgspec.Struct, frozen=True):
    """Not for agents: the directory knows users, and no grants."""

    org: Organization
    user: User

    def named(self, where: int | str) -> Channel | None:
        org = self.org
        found = org.channel_named(where) if isinstance(where, str) else org.channels.get(where)
        return found if found is not None and org.may_see(self.user.id, found.id) else None

    def may_read(self, channel: Channel) -> bool:
        return self.org.may_read(self.user.id, channel.id)

    def readable(self) -> Readable:
        org, user = self.org, self.user
        mine = org.subscriptions.by_user.get(user.id, BitMap())
        found = mine | org.by_privacy.open_to(user)
        hidden = org.by_privacy.all - found
        if not user.is_guest:
            opened = self._opened_by_permission(hidden)
            found, hidden = found | opened, hidden - opened
        protected = found & org.by_privacy.protected
        return Readable(list(found - protected), list(protected), list(hidden), bool(mine))

    def _opened_by_permission(self, channel_ids: BitMap) -> BitMap:
        """The channels that a permission opens. Most of them name the same few groups."""
        org, user, now = self.org, self.user, self.org.clock()
        known: dict[int, bool] = {}

        def holds(value: GroupValue) -> bool:
            if not isinstance(value, int):
                return org.has_permission(user, value, now)
            if value not in known:
                known[value] = org.has_permission(user, value, now)
            return known[value]

        return BitMap(
            channel_id
            for channel_id in channel_ids
            if domain.channels.access.may_read(user, org.channels[channel_id], False, holds)
        )
