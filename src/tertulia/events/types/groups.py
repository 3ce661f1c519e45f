"""User groups in API format, and their events."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.domain.groups.group import GROUP_PERMISSIONS, Group, GroupValue
from tertulia.domain.people.user import User
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.listener import Listener
from tertulia.events.types.channels import channel
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import CreationTime, CreatorId, GroupId

GroupDeactivated = Annotated[bool, Doc("Whether the group is deactivated.")]
DirectSubgroupIds = Annotated[list[int], Doc("Ids of the direct subgroups.")]
DirectMemberIds = Annotated[list[int], Doc("Ids of the members.")]
Description = Annotated[str, Doc("The description of the group.")]
GroupName = Annotated[str, Doc("The name of the group.", example="Kitchen")]


def _meaning(permission: str) -> msgspec.Meta:
    return Doc(GROUP_PERMISSIONS[permission].meaning)


CanAddMembersGroup = Annotated[GroupValue, _meaning("can_add_members_group")]
CanJoinGroup = Annotated[GroupValue, _meaning("can_join_group")]
CanLeaveGroup = Annotated[GroupValue, _meaning("can_leave_group")]
CanManageGroup = Annotated[GroupValue, _meaning("can_manage_group")]
CanMentionGroup = Annotated[GroupValue, _meaning("can_mention_group")]
CanRemoveMembersGroup = Annotated[GroupValue, _meaning("can_remove_members_group")]


class GroupObject(msgspec.Struct, kw_only=True):
    id: GroupId
    name: GroupName
    description: Description
    creator_id: CreatorId | None
    date_created: CreationTime | None
    members: Annotated[list[int], Doc("Ids of the members, without members of subgroups.")]
    direct_subgroup_ids: DirectSubgroupIds
    is_system_group: Annotated[
        bool, Doc("Whether the group is made from roles and cannot be changed.")
    ]
    can_add_members_group: CanAddMembersGroup
    can_join_group: CanJoinGroup
    can_leave_group: CanLeaveGroup
    can_manage_group: CanManageGroup
    can_mention_group: CanMentionGroup
    can_remove_members_group: CanRemoveMembersGroup
    deactivated: GroupDeactivated


def group_object(org: Organization, group: Group, viewer: User | None, now: float) -> GroupObject:
    """A group with those of its members whom the viewer may know."""
    nobody = org.system_ids["role:nobody"]
    values = {
        name: channel.shown_value(org, group.permissions.get(name, nobody))
        for name in GROUP_PERMISSIONS
    }
    return GroupObject(
        id=group.id,
        name=group.name,
        description=group.description,
        creator_id=group.creator_id,
        date_created=None if group.created_at is None else int(group.created_at),
        members=org.filter_known(viewer, org.user_groups.direct_members(group, now)),
        direct_subgroup_ids=sorted(group.subgroups),
        is_system_group=group.is_system,
        deactivated=group.deactivated,
        **values,
    )


class GroupAdd(WireEvent, tag="user_group"):
    op: Literal["add"]
    group: Annotated[GroupObject, Doc("The user group.")]


class GroupRemove(WireEvent, tag="user_group"):
    op: Literal["remove"]
    group_id: GroupId


class ChangedGroupObject(msgspec.Struct):
    """The changed members of a group."""

    name: GroupName | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    deactivated: GroupDeactivated | UnsetType = UNSET
    can_add_members_group: CanAddMembersGroup | UnsetType = UNSET
    can_join_group: CanJoinGroup | UnsetType = UNSET
    can_leave_group: CanLeaveGroup | UnsetType = UNSET
    can_manage_group: CanManageGroup | UnsetType = UNSET
    can_mention_group: CanMentionGroup | UnsetType = UNSET
    can_remove_members_group: CanRemoveMembersGroup | UnsetType = UNSET


class GroupUpdate(WireEvent, tag="user_group"):
    op: Literal["update"]
    group_id: GroupId
    data: Annotated[ChangedGroupObject, Doc("The changed fields.")]


class MembersUpdate(WireEvent, tag="user_group"):
    op: Literal["add_members", "remove_members"]
    group_id: GroupId
    user_ids: DirectMemberIds


class SubgroupsUpdate(WireEvent, tag="user_group"):
    op: Literal["add_subgroups", "remove_subgroups"]
    group_id: GroupId
    direct_subgroup_ids: DirectSubgroupIds


class SystemMembersAdded(Event, frozen=True, kind="system_members_added", wires=(MembersUpdate,)):
    """A new user was added to the system groups of their role."""

    group_ids: list[int]
    user_id: int

    def touched(self) -> Invalidated:
        return Invalidated(users={self.user_id})

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        for group_id in self.group_ids:
            yield MembersUpdate("add_members", group_id, [self.user_id])


class GroupEvent(Event, frozen=True):
    """Something about a group, which is loaded again."""

    group_id: int

    def touched(self) -> Invalidated:
        return Invalidated(groups={self.group_id})


class GroupCreated(GroupEvent, frozen=True, kind="group_created"):
    """A group was created."""

    wires = (GroupAdd, SubgroupsUpdate)

    name: str
    description: str
    creator_id: int | None  # None: created by a login provider
    at: float
    members: list[int]
    subgroups: list[int]
    permissions: dict[str, GroupValue]

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
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
        yield GroupAdd("add", group)
        if self.subgroups:
            yield SubgroupsUpdate("add_subgroups", self.group_id, self.subgroups)


class GroupChanged(GroupEvent, frozen=True, kind="group_changed"):
    """A group's name, description, permission or activity changed.

    Compat: clients that do not support deactivated groups get a deletion and a creation.
    """

    wires = (GroupUpdate, GroupRemove, GroupAdd)

    data: dict[str, Any]
    was_deactivated: bool

    def wire(self, org: Organization, to: Listener) -> Iterable[WireEvent]:
        knows = to.options.capabilities.include_deactivated_groups
        deactivated = self.data.get("deactivated")
        if not knows and deactivated is True:
            yield GroupRemove("remove", self.group_id)
        elif not knows and deactivated is False:
            viewer = org.users[to.user_id]
            group = group_object(org, org.groups[self.group_id], viewer, org.clock())
            yield GroupAdd("add", group)
        elif knows or not (self.was_deactivated and "name" in self.data):
            yield GroupUpdate("update", self.group_id, ChangedGroupObject(**self.data))


class MembersChanged(Event, frozen=True, kind="group_members", wires=(MembersUpdate,)):
    """Users were added to a group or removed from it."""

    group_id: int
    user_ids: list[int]
    added: bool

    def undo(self, org: Organization) -> None:
        org.user_groups.add_members(self.group_id, self.user_ids, (), added=not self.added)

    def apply(self, org: Organization) -> None:
        org.user_groups.add_members(self.group_id, self.user_ids, (), added=self.added)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        op: Literal["add_members", "remove_members"] = (
            "add_members" if self.added else "remove_members"
        )
        yield MembersUpdate(op, self.group_id, self.user_ids)


class SubgroupsChanged(Event, frozen=True, kind="group_subgroups", wires=(SubgroupsUpdate,)):
    """Subgroups were added to a group or removed from it."""

    group_id: int
    subgroup_ids: list[int]
    added: bool

    def undo(self, org: Organization) -> None:
        org.user_groups.add_members(self.group_id, (), self.subgroup_ids, added=not self.added)

    def apply(self, org: Organization) -> None:
        org.user_groups.add_members(self.group_id, (), self.subgroup_ids, added=self.added)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        op: Literal["add_subgroups", "remove_subgroups"] = (
            "add_subgroups" if self.added else "remove_subgroups"
        )
        yield SubgroupsUpdate(op, self.group_id, self.subgroup_ids)
