"""Which channels people see: told anew when a group has other members, or somebody another role.

A private channel can be open to a group. Whoever comes into the group sees the channel from then
on, and whoever leaves it does no longer; both are told, as if the channel came or went. A role
does the same for all channels: see `roles`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.channels.channel import GATE_PERMISSIONS, Channel
from tertulia.domain.people.user import User
from tertulia.events.audience import Users
from tertulia.events.types.channels.channel import ChannelsBecameVisible

Seen = dict[int, set[int]]  # the channels in question that each user sees


@contextmanager
def telling(tx: Tx, people: Sequence[User]) -> Iterator[None]:
    """Put it around a change of groups; `people` are those whom the change may concern."""
    guarded = open_to_groups(tx)
    before = seen(tx, guarded, people, tx.now)
    yield
    tell(tx, before, seen(tx, guarded, people, tx.now))


def open_to_groups(tx: Tx) -> list[Channel]:
    """The private channels that some group may see; few, where there are many channels."""
    nobody = storage.groups.system_ids(tx)["role:nobody"]
    return [
        channel
        for channel in storage.channels.everything(tx)
        if channel.invite_only
        and domain.groups.group.groups_named(channel.permissions[name] for name in GATE_PERMISSIONS)
        - {nobody}
    ]


def seen(tx: Tx, guarded: Sequence[Channel], people: Sequence[User], now: float) -> Seen:
    """What people see by their groups of today, if the waiting period is counted up to `now`."""
    inside = storage.channels.subscriptions.inside(
        tx, [channel.id for channel in guarded], [user.id for user in people]
    )
    holds = actions.groups.permissions.asking(tx, people, now)
    return {
        user.id: {
            channel.id
            for channel in guarded
            if domain.channels.access.may_see(
                user, channel, channel.id in inside[user.id], partial(holds, user)
            )
        }
        for user in people
    }


def tell(tx: Tx, before: Seen, after: Seen) -> None:
    """Announce the differences; those who see the same change hear of it together."""
    for (shown, hidden), user_ids in domain.channels.access.changes(before, after).items():
        events.log.announce(
            tx, ChannelsBecameVisible(list(shown), list(hidden)), to=Users(user_ids)
        )
