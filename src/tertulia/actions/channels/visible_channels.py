"""Channel visibility: announced when group membership or a role changes.

A private channel can be visible to a group. A user who joins the group sees the channel from then
on, and one who leaves the group no longer does. Both receive events as if the channel were created
or deleted. A role affects all channels: see `roles`.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from tertulia import domain, events, storage
from tertulia.actions.groups import permissions
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import ACCESS_RULE_PERMISSIONS, Channel
from tertulia.domain.groups.group import GroupValue
from tertulia.domain.people.user import User
from tertulia.events.audience import Users
from tertulia.events.types.channels.channel import ChannelsBecameVisible

VisibleChannels = dict[int, set[int]]  # visible channels by user id


@contextmanager
def announcing_changes(
    tx: Tx, group_ids: Collection[int] | None, find_people: Callable[[], Sequence[User]]
) -> Iterator[None]:
    """Wrap a change of some groups, or of any if none is named. `find_people` returns the users
    whom it may affect; they are read only if a channel depends on these groups."""
    guarded = open_to_groups(tx, group_ids)
    if not guarded:
        yield
        return
    people = find_people()
    before = visible_to_each(tx, guarded, people, tx.now)
    yield
    announce_changes(tx, before, visible_to_each(tx, guarded, people, tx.now))


def open_to_groups(tx: Tx, group_ids: Collection[int] | None = None) -> list[Channel]:
    """Private channels that a group may see, or one of these groups; usually few."""
    nobody = storage.groups.system_ids(tx)["role:nobody"]
    wanted = None if group_ids is None else storage.groups.containing(tx, group_ids)
    found = []
    for channel in storage.channels.table.list_private(tx):
        values = (channel.permissions[name] for name in ACCESS_RULE_PERMISSIONS)
        named = domain.groups.group.groups_named(values) - {nobody}
        if named if wanted is None else named & wanted:
            found.append(channel)
    return found


def visible_to_each(
    tx: Tx, guarded: Sequence[Channel], people: Sequence[User], now: float
) -> VisibleChannels:
    """What users see by their current groups, with the waiting period counted up to `now`."""
    holds = permissions.permission_checker(tx, people, now)
    models = {user.role: user for user in people}
    by_role = {role: _split_by_role(guarded, model) for role, model in models.items()}
    shown_to_all = set.intersection(*(shown for shown, _ in by_role.values())) if by_role else ()
    inside = storage.channels.subscriptions.inside(
        tx,
        [channel.id for channel in guarded if channel.id not in shown_to_all],
        [user.id for user in people],
    )
    visible = {}
    for user in people:
        shown, depending = by_role[user.role]
        visible[user.id] = shown | inside[user.id]
        for alike in depending:
            if _may_see(user, alike[0], partial(holds, user)):
                visible[user.id].update(channel.id for channel in alike)
    return visible


def _split_by_role(
    guarded: Sequence[Channel], user: User
) -> tuple[set[int], Collection[list[Channel]]]:
    """The channels that all users with the role of this one see, and those that depend on the
    user, with the same permissions together. Checking each channel for each of 100 users would
    take too long."""
    shown = {channel.id for channel in guarded if _may_see(user, channel, lambda _: False)}
    depending: dict[str, list[Channel]] = {}
    for channel in guarded:
        if channel.id not in shown and _may_see(user, channel, lambda _: True):
            key = str([channel.permissions[name] for name in ACCESS_RULE_PERMISSIONS])
            depending.setdefault(key, []).append(channel)
    return shown, depending.values()


def _may_see(user: User, channel: Channel, holds: Callable[[GroupValue], bool]) -> bool:
    """Whether a user sees a channel without being subscribed."""
    return domain.channels.access.may_see(user, channel, False, holds)


def announce_changes(tx: Tx, before: VisibleChannels, after: VisibleChannels) -> None:
    """Announce the differences. Users with the same change share an event."""
    for (shown, hidden), user_ids in domain.channels.access.changes(before, after).items():
        events.log.announce(
            tx, ChannelsBecameVisible(list(shown), list(hidden)), to=Users(user_ids)
        )
