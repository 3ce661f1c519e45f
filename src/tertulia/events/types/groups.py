"""User groups as clients see them, and the events that tell of them."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tertulia.domain.groups import GROUP_PERMISSIONS, Group, GroupValue
from tertulia.events.directory import Organization, Touched
from tertulia.events.listener import Listener
from tertulia.events.types.event import Event, Wire


class GroupObject(msgspec.Struct, kw_only=True):
    id: int
    name: str
    description: str
    creator_id: int | None
    date_created: int | None
    members: list[int]
    direct_subgroup_ids: list[int]
    is_system_group: bool
    can_add_members_group: GroupValue
    can_join_group: GroupValue
    can_leave_group: GroupValue
    can_manage_group: GroupValue
    can_mention_group: GroupValue
    can_remove_members_group: GroupValue
    deactivated: bool


def group_object(org: Organization, group: Group, now: float) -> GroupObject:
    nobody = org.system_ids["role:nobody"]
    values = {name: group.permissions.get(name, nobody) for name in GROUP_PERMISSIONS}
    return GroupObject(
        id=group.id,
        name=group.name,
        description=group.description,
        creator_id=group.creator_id,
        date_created=None if group.created_at is None else int(group.created_at),
        members=org.direct_members(group, now),
        direct_subgroup_ids=sorted(group.subgroups),
        is_system_group=group.is_system,
        deactivated=group.deactivated,
        **values,
    )


class SystemMembersAdded(Event, frozen=True):
    """A new user came into the system groups of their role."""

    kind: ClassVar[str] = "system_members_added"
    types: ClassVar[tuple[str, ...]] = ("user_group",)
    shared: ClassVar[bool] = True

    group_ids: list[int]
    user_id: int

    def touched(self) -> Touched:
        return Touched(users={self.user_id})

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        for group_id in self.group_ids:
            yield {
                "type": "user_group",
                "op": "add_members",
                "group_id": group_id,
                "user_ids": [self.user_id],
            }
