"""The groups of an organization, as permission checks ask about them."""

from collections.abc import Iterable, Set

from msgspec.structs import replace

from tertulia import domain
from tertulia.domain.groups.group import ROLE_OF_GROUP, Group
from tertulia.domain.people.user import Role, User
from tertulia.events.directory.accounts import Accounts


class UserGroups:
    """Implements `domain.groups.permissions.Groups`."""

    def __init__(self, accounts: Accounts, waiting_days: int) -> None:
        self.by_id: dict[int, Group] = {}
        self.system_ids: dict[str, int] = {}
        self.waiting_days = waiting_days
        self._accounts = accounts
        self._listing: dict[int, set[int]] = {}  # by user: the groups that list them

    def within(self, group_ids: Iterable[int]) -> dict[int, str | None]:
        found: dict[int, str | None] = {}
        waiting = [group_id for group_id in group_ids if group_id in self.by_id]
        while waiting:
            group = self.by_id[waiting.pop()]
            if group.id not in found:
                found[group.id] = group.name if group.is_system else None
                waiting.extend(group.subgroups)
        return found

    def listing(self, user_id: int) -> Set[int]:
        return self._listing.get(user_id, frozenset())

    def listed_in(self, group_ids: Iterable[int]) -> set[int]:
        return set().union(*(self.by_id[group_id].members for group_id in group_ids))

    def all_users(self) -> Iterable[User]:
        return self._accounts.by_id.values()

    def all_members_of(self, group_id: int, now: float) -> set[int]:
        """Active users who are in a group, directly or not."""
        return domain.groups.permissions.all_members_of(self, [group_id], now).difference(
            self._accounts.inactive
        )

    def direct_members(self, group: Group, now: float) -> list[int]:
        """Active users listed in a group. The members of a system group follow from their roles."""
        users, by_role = self._accounts.by_id, self._accounts.by_role
        if not group.is_system:
            return [user_id for user_id in group.members if users[user_id].is_active]
        if group.name == "role:fullmembers":
            members, days = by_role[Role.MEMBER], self.waiting_days
            return [u for u in members if not days or users[u].is_full_member(days, now)]
        role = ROLE_OF_GROUP.get(group.name)
        return [] if role is None else list(by_role[role])

    # --- changes ---

    def set_group(self, group: Group) -> None:
        known = self.by_id.get(group.id)
        self._list_members(group.id, () if known is None else known.members, added=False)
        self.by_id[group.id] = group
        self._list_members(group.id, group.members, added=True)
        if group.is_system:
            self.system_ids[group.name] = group.id

    def add_members(
        self, group_id: int, user_ids: Iterable[int], subgroup_ids: Iterable[int], *, added: bool
    ) -> None:
        """Add users and groups to a group, or remove them. System groups are left alone."""
        group, people = self.by_id[group_id], set(user_ids)
        if group.is_system:
            return
        members, subgroups = set(group.members) - people, set(group.subgroups) - {*subgroup_ids}
        if added:
            members, subgroups = members | people, subgroups.union(subgroup_ids)
        self.by_id[group_id] = replace(
            group, members=tuple(sorted(members)), subgroups=tuple(sorted(subgroups))
        )
        self._list_members(group_id, people, added=added)

    def _list_members(self, group_id: int, user_ids: Iterable[int], *, added: bool) -> None:
        for user_id in user_ids:
            others = self._listing.get(user_id, set()) - {group_id}
            self._listing[user_id] = others | {group_id} if added else others

    def copy(self, accounts: Accounts) -> "UserGroups":
        copy = UserGroups(accounts, self.waiting_days)
        copy.by_id, copy._listing = {**self.by_id}, {**self._listing}
        copy.system_ids = self.system_ids
        return copy
