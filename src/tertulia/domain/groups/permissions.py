"""Permission checks: who holds a permission, and who is in a group.

A permission names users and groups. A group contains its listed members, the members of its
subgroups and, if it is a system group, users by their role. The groups are passed in: a transaction
reads them from the database, the directory has them in memory.
"""

from collections.abc import Iterable, Mapping, Set
from typing import Protocol

from tertulia.domain.groups import group
from tertulia.domain.groups.group import GroupValue
from tertulia.domain.people.user import User

FULL_MEMBERS = "role:fullmembers"

Within = Mapping[int, str | None]
"""Groups by id; a system group with its name, which says by itself who is in it."""


class Groups(Protocol):
    """The groups of an organization, as permission checks need them."""

    @property
    def waiting_days(self) -> int:
        """How long a new member waits to become a full member."""

    def within(self, group_ids: Iterable[int]) -> Within:
        """These groups and all their subgroups, recursively."""

    def listing(self, user_id: int) -> Set[int]:
        """The groups that list a user directly."""

    def listed_in(self, group_ids: Iterable[int]) -> set[int]:
        """The users whom these groups list directly."""

    def all_users(self) -> Iterable[User]: ...


def has_permission(groups: Groups, user: User, value: GroupValue, now: float) -> bool:
    """Whether a user is in the group that a permission names."""
    if isinstance(value, int):
        return _is_in(groups, user, [value], now)
    if user.id in value.direct_members:
        return True
    return bool(value.direct_subgroups) and _is_in(groups, user, value.direct_subgroups, now)


def is_in_system_group(groups: Groups, user: User, name: str, now: float) -> bool:
    waiting_days = groups.waiting_days if name == FULL_MEMBERS else 0
    return group.holds_by_role(user, name, waiting_days, now)


def all_members_of(groups: Groups, group_ids: Iterable[int], now: float) -> set[int]:
    """All users in one of these groups, including deactivated ones."""
    within = groups.within(group_ids)
    found = groups.listed_in(within)
    if _system_groups(within):
        found |= {
            user.id
            for user in groups.all_users()
            if not user.is_system_bot and _has_role(groups, user, within, now)
        }
    return found


def _is_in(groups: Groups, user: User, group_ids: Iterable[int], now: float) -> bool:
    within = groups.within(group_ids)
    if _has_role(groups, user, within, now):
        return True
    if len(_system_groups(within)) == len(within):
        return False
    return not groups.listing(user.id).isdisjoint(within)


def _has_role(groups: Groups, user: User, within: Within, now: float) -> bool:
    return any(is_in_system_group(groups, user, name, now) for name in _system_groups(within))


def _system_groups(within: Within) -> list[str]:
    return [name for name in within.values() if name is not None]
