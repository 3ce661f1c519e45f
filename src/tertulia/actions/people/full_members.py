"""Full members: a member becomes one when the waiting period ends.

Permissions depend on the time itself, so they are never late. A job notifies clients: it finds the
users who became full members since its last run.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tertulia import storage
from tertulia.actions.channels import visible_channels
from tertulia.actions.groups import edits
from tertulia.database.tx import Tx
from tertulia.domain.people.user import SECONDS_PER_DAY, Role, User

WAITING_PERIOD = "waiting_period_threshold"


def due(tx: Tx) -> list[User]:
    """Users who became full members since the last announcement."""
    waiting_seconds = (
        storage.organization.realms.current(tx).setting(WAITING_PERIOD) * SECONDS_PER_DAY
    )
    if not waiting_seconds:
        return []
    announced_at = storage.organization.realms.full_members_announced_at(tx)
    return storage.people.users.members_joined_between(
        tx, announced_at - waiting_seconds, tx.now - waiting_seconds
    )


def announce_new(tx: Tx) -> None:
    """Announce new full members, and the channels that they can see now."""
    people = due(tx)
    announced_at = storage.organization.realms.full_members_announced_at(tx)
    storage.organization.realms.set_full_members_announced(tx)
    if people:
        _announce(tx, people, added=True)
        guarded = visible_channels.open_to_groups(tx)
        visible_channels.announce_changes(
            tx,
            visible_channels.visible_to_each(tx, guarded, people, announced_at),
            visible_channels.visible_to_each(tx, guarded, people, tx.now),
        )


@contextmanager
def new_waiting_period(tx: Tx, days: int) -> Iterator[None]:
    """Wrap a change of the waiting period, which can add or remove full members."""
    announce_new(tx)
    before = storage.organization.realms.current(tx).setting(WAITING_PERIOD)
    members = [
        user
        for user in storage.people.users.list_all(tx)
        if user.role == Role.MEMBER and user.is_active and not user.is_system_bot
    ]
    promoted = [user for user in members if _became(user, before, days, tx.now)]
    demoted = [user for user in members if _became(user, days, before, tx.now)]

    with visible_channels.announcing_changes(tx, None, lambda: promoted + demoted):
        yield
        _announce(tx, promoted, added=True)
        _announce(tx, demoted, added=False)


def _became(user: User, before: int, after: int, now: float) -> bool:
    return user.is_full_member(after, now) and not user.is_full_member(before, now)


def _announce(tx: Tx, people: list[User], *, added: bool) -> None:
    if people:
        group_id = storage.groups.system_ids(tx)["role:fullmembers"]
        edits.announce_members(tx, group_id, [user.id for user in people], added=added)
