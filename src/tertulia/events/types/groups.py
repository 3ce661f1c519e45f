"""User groups in API format, and their events."""

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from tertulia import events
from tertulia.domain.groups.group import GROUP_PERMISSIONS, Group, GroupValue
from tertulia.domain.people.user import User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
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


def group_object(org: Organization, group: Group, viewer: User | None, now: float) -> GroupObject:
    """A group with those of its members whom the viewer may know."""
    nobody = org.system_ids["role:nobody"]
    values = {
        name: events.types.channels.channel.shown_value(org, group.permissions.get(name, nobody))
        for name in GROUP_PERMISSIONS
    }
    return GroupObject(
        id=group.id,
        name=group.name,
        description=group.description,
        creator_id=group.creator_id,
        date_created=None if group.created_at is None else int(group.created_at),
        members=org.filter_known(viewer, org.direct_members(group, now)),
        direct_subgroup_ids=sorted(group.subgroups),
        is_system_group=group.is_system,
        deactivated=group.deactivated,
        **values,
    )


class SystemMembersAdded(Event, frozen=True):
    """A new user was added to the system groups of their role."""

    kind: ClassVar[str] = "system_members_added"
    types: ClassVar[tuple[str, ...]] = ("user_group",)

    group_ids: list[int]
    user_id: int

    def touched(self) -> Invalidated:
        return Invalidated(users={self.user_id})

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        for group_id in self.group_ids:
            yield {"op": "add_members", "group_id": group_id, "user_ids": [self.user_id]}


class GroupCreated(Event, frozen=True):
    """A group was created. Its members come in another event."""

    kind: ClassVar[str] = "group_created"
    types: ClassVar[tuple[str, ...]] = ("user_group",)
    touches: ClassVar[Invalidated] = Invalidated(groups=True)

    group_id: int
    name: str
    description: str
    creator_id: int | None  # None: created by a login provider
    at: float
    members: list[int]
    subgroups: list[int]
    permissions: dict[str, GroupValue]

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        group = GroupObject(
            id=self.group_id,
            name=self.name,
            description=self.description,
            creator_id=self.creator_id,
            date_created=int(self.at),
            members=self.members,
            direct_subgroup_ids=[],
            is_system_group=False,
            deactivated=False,
            **self.permissions,
        )
        yield {"type": "user_group", "op": "add", "group": group}
        if self.subgroups:
            yield {
                "type": "user_group",
                "op": "add_subgroups",
                "group_id": self.group_id,
                "direct_subgroup_ids": self.subgroups,
            }


class GroupChanged(Event, frozen=True):
    """A group's name, description, permission or activity changed.

    Compat: clients that do not support deactivated groups get a deletion and a creation.
    """

    kind: ClassVar[str] = "group_changed"
    types: ClassVar[tuple[str, ...]] = ("user_group",)
    touches: ClassVar[Invalidated] = Invalidated(groups=True)

    group_id: int
    data: dict[str, Any]
    was_deactivated: bool

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        knows = to.options.capabilities.include_deactivated_groups
        deactivated = self.data.get("deactivated")
        if not knows and deactivated is True:
            yield {"type": "user_group", "op": "remove", "group_id": self.group_id}
        elif not knows and deactivated is False:
            viewer = org.users[to.user_id]
            group = group_object(org, org.groups[self.group_id], viewer, org.clock())
            yield {"type": "user_group", "op": "add", "group": group}
        elif knows or not (self.was_deactivated and "name" in self.data):
            yield {
                "type": "user_group",
                "op": "update",
                "group_id": self.group_id,
                "data": self.data,
            }


class MembersChanged(Event, frozen=True):
    """Users were added to a group or removed from it."""

    kind: ClassVar[str] = "group_members"
    types: ClassVar[tuple[str, ...]] = ("user_group",)
    touches: ClassVar[Invalidated] = Invalidated(groups=True)

    group_id: int
    user_ids: list[int]
    added: bool

    def undo(self, org: Organization) -> None:
        org.add_members(self.group_id, self.user_ids, (), added=not self.added)

    def apply(self, org: Organization) -> None:
        org.add_members(self.group_id, self.user_ids, (), added=self.added)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {
            "op": "add_members" if self.added else "remove_members",
            "group_id": self.group_id,
            "user_ids": self.user_ids,
        }


class SubgroupsChanged(Event, frozen=True):
    """Subgroups were added to a group or removed from it."""

    kind: ClassVar[str] = "group_subgroups"
    types: ClassVar[tuple[str, ...]] = ("user_group",)
    touches: ClassVar[Invalidated] = Invalidated(groups=True)

    group_id: int
    subgroup_ids: list[int]
    added: bool

    def undo(self, org: Organization) -> None:
        org.add_members(self.group_id, (), self.subgroup_ids, added=not self.added)

    def apply(self, org: Organization) -> None:
        org.add_members(self.group_id, (), self.subgroup_ids, added=self.added)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {
            "op": "add_subgroups" if self.added else "remove_subgroups",
            "group_id": self.group_id,
            "direct_subgroup_ids": self.subgroup_ids,
        }
