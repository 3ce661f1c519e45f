"""User groups."""

from typing import Annotated

from tertulia import actions, domain, events
from tertulia.actions.groups.edits import GroupChanges, MemberChange, MembersMoved
from tertulia.api import permission_values
from tertulia.api.call import Call
from tertulia.api.permission_values import Change, NewValue
from tertulia.domain.groups.group import GROUP_PERMISSIONS, Group, GroupValue, NewGroup
from tertulia.errors.groups import GroupIsDeactivated, GroupNotFound
from tertulia.errors.parameters import NothingToDo
from tertulia.errors.people import UserNotFound
from tertulia.events.types.groups import DirectMemberIds, GroupDeactivated, GroupName, GroupObject
from tertulia.http.parameter_rules import Example, Id, MaxItems, MaxLength
from tertulia.http.replies import Reply
from tertulia.http.signatures import accepts
from tertulia.wire import Doc
from tertulia.wire_fields import GroupId, UserId

Ids = Annotated[list[Id], MaxItems(10_000)]
Delete = Annotated[Ids, Doc("Ids or names to remove.")]
Add = Annotated[Ids, Doc("Ids or names to add.")]
Description = Annotated[
    str, MaxLength(1024), Doc("The description of the group.", example="What we cook")
]


DirectMemberOnly = Annotated[
    bool, Doc("Whether only direct members count, without members of subgroups.")
]


class GroupList(Reply):
    user_groups: Annotated[list[GroupObject], Doc("The groups.")]


class CreatedGroup(Reply):
    group_id: GroupId


class MemberIds(Reply):
    members: DirectMemberIds


class SubgroupIds(Reply):
    subgroups: Annotated[list[int], Doc("Ids of the subgroups.")]


class Membership(Reply):
    is_user_group_member: Annotated[bool, Doc("Whether the user is a member.")]


async def list_groups(
    call: Call,
    *,
    include_deactivated_groups: Annotated[
        bool, Doc("Whether to include deactivated groups.")
    ] = False,
) -> GroupList:
    """List the user groups."""
    return GroupList(
        user_groups=[
            events.types.groups.group_object(call.org, group, call.user, call.now)
            for group in call.org.groups.values()
            if include_deactivated_groups or not group.deactivated
        ]
    )


@accepts(permission_values.parameters(GROUP_PERMISSIONS, GroupValue))
async def create(
    call: Call,
    *,
    name: GroupName,
    description: Description,
    members: Annotated[Ids, Doc("Ids of the members.", example=[9])],
    subgroups: Annotated[Ids, Doc("Ids of the subgroups.")] | None = None,
    **permissions: GroupValue,
) -> CreatedGroup:
    """Create a user group."""
    new = NewGroup(
        name=name,
        description=description,
        members=members,
        subgroups=subgroups or [],
        permissions=permissions,
    )
    group_id = await call.db.write(actions.groups.edits.create, call.user, new)
    await _change_remaining(call, group_id, MembersMoved(True, sorted(set(members))))
    return CreatedGroup(group_id=group_id)


@accepts(permission_values.parameters(GROUP_PERMISSIONS, Change))
async def edit(
    call: Call,
    group_id: GroupId,
    *,
    name: GroupName | None = None,
    description: Annotated[Description | None, Example("Who bakes")] = None,
    deactivated: GroupDeactivated | None = None,
    **permissions: NewValue,
) -> None:
    """Change or reactivate a user group."""
    changes = GroupChanges(
        name=name,
        description=description,
        deactivated=deactivated,
        permissions=permission_values.as_changes(permissions),
    )
    await call.db.write(actions.groups.edits.edit, call.user, group_id, changes)


async def deactivate(call: Call, group_id: GroupId) -> None:
    """Deactivate a user group."""
    await call.db.write(actions.groups.edits.deactivate, call.user, group_id)


async def change_members(
    call: Call,
    group_id: GroupId,
    *,
    add: Annotated[Add | None, Example([9])] = None,
    delete: Delete | None = None,
    add_subgroups: Annotated[Ids, Doc("Ids of groups to add as subgroups.")] | None = None,
    delete_subgroups: Annotated[Ids, Doc("Ids of subgroups to remove.")] | None = None,
) -> None:
    """Add and remove members and subgroups."""
    if not (add or delete or add_subgroups or delete_subgroups):
        raise NothingToDo(names='"add", "delete", "add_subgroups" or "delete_subgroups"')
    change = MemberChange(add or [], delete or [], add_subgroups or [], delete_subgroups or [])
    for moved in await call.db.write(
        actions.groups.edits.change_members, call.user, group_id, change
    ):
        await _change_remaining(call, group_id, moved)
        if len(moved.user_ids) > domain.limits.MAX_NEW_SUBSCRIPTION_NOTICES:
            continue
        for some in domain.portions.split(moved.user_ids, domain.limits.MAX_NOTICES_PER_WRITE):
            await call.db.write(
                actions.groups.edits.notify_members, call.user, group_id, moved.added, some
            )


async def _change_remaining(call: Call, group_id: int, moved: MembersMoved) -> None:
    """Add or remove the members whom the first write left, with other writes in between."""
    for some in moved.remaining:
        await call.db.write(
            actions.groups.edits.change_remaining, call.user, group_id, moved.added, some
        )


async def change_subgroups(
    call: Call,
    group_id: GroupId,
    *,
    add: Annotated[Add | None, Example([13])] = None,
    delete: Delete | None = None,
) -> None:
    """Add and remove subgroups."""
    if not (add or delete):
        raise NothingToDo(names='"add" or "delete"')
    change = MemberChange(add_subgroups=add or [], remove_subgroups=delete or [])
    await call.db.write(actions.groups.edits.change_members, call.user, group_id, change)


async def members(
    call: Call, group_id: GroupId, *, direct_member_only: DirectMemberOnly = False
) -> MemberIds:
    """List the members of a user group, including subgroups."""
    found = _members(call, _active(call, group_id), direct_member_only)
    return MemberIds(members=sorted(found))


async def subgroups(
    call: Call,
    group_id: GroupId,
    *,
    direct_subgroup_only: Annotated[bool, Doc("Whether only direct subgroups count.")] = False,
) -> SubgroupIds:
    """List the subgroups of a user group, including nested ones."""
    group = _active(call, group_id)
    found = (
        set(group.subgroups)
        if direct_subgroup_only
        else set(call.org.user_groups.within([group.id]))
    )
    return SubgroupIds(subgroups=sorted(found - {group.id}))


async def is_member(
    call: Call, group_id: GroupId, user_id: UserId, *, direct_member_only: DirectMemberOnly = False
) -> Membership:
    """Check whether a user is in a user group."""
    group = _active(call, group_id)
    if user_id not in call.org.users:
        raise UserNotFound()
    found = _members(call, group, direct_member_only)
    return Membership(is_user_group_member=user_id in found)


def _active(call: Call, group_id: int) -> Group:
    group = call.org.groups.get(group_id)
    if group is None:
        raise GroupNotFound()
    if group.deactivated:
        raise GroupIsDeactivated()
    return group


def _members(call: Call, group: Group, direct_only: bool) -> set[int]:
    if direct_only:
        return set(call.org.user_groups.direct_members(group, call.now))
    return call.org.user_groups.all_members_of(group.id, call.now)
