"""User groups: creation, changes and membership."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import field
from msgspec.structs import replace

from tertulia import domain, events, storage
from tertulia.actions.channels import lookups, visible_channels
from tertulia.actions.groups import permissions
from tertulia.actions.messages import notices
from tertulia.actions.people import known_people
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import (
    GROUP_PERMISSIONS,
    Group,
    GroupValue,
    NewGroup,
    PermissionChange,
)
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import InsufficientPermission
from tertulia.errors.groups import (
    GroupInUse,
    GroupIsDeactivated,
    GroupNotFound,
    MemberNotFound,
    SubgroupNotFound,
)
from tertulia.errors.parameters import TooMany
from tertulia.events.audience import Everyone
from tertulia.events.types.groups import (
    GroupChanged,
    GroupCreated,
    MembersChanged,
    SubgroupsChanged,
)


class GroupChanges(msgspec.Struct, frozen=True):
    """The requested changes of a group; None keeps a value.

    `deactivated=False` reactivates a group; `deactivate` is a separate action.
    """

    name: str | None = None
    description: str | None = None
    deactivated: bool | None = None
    permissions: dict[str, PermissionChange] = field(default_factory=dict)


class MemberChange(msgspec.Struct, frozen=True):
    """Users or groups to add and to remove, by id."""

    add: list[int] = field(default_factory=list)
    remove: list[int] = field(default_factory=list)
    add_subgroups: list[int] = field(default_factory=list)
    remove_subgroups: list[int] = field(default_factory=list)


def create(tx: Tx, user: User, new: NewGroup) -> int:
    """Check everything, and create a group with the first of its members; `change_remaining` adds
    the others. Returns its id."""
    user = permissions.current_rights(tx, user)
    permissions.require_in_realm(tx, user, "can_create_groups")
    if storage.table_counts.created_groups(tx, user) >= domain.limits.MAX_GROUPS:
        raise TooMany("user groups", domain.limits.MAX_GROUPS)
    name = _free_name(tx, new.name)
    members = _active_ids(tx, new.members)[: domain.limits.MAX_MEMBERS_PER_WRITE]
    subgroups = _usable_subgroups(tx, new.subgroups)
    group_id = storage.groups.insert(tx, name, new.description, creator_id=user.id)
    values = permissions.initial_values(tx, GROUP_PERMISSIONS, user, new.permissions)
    storage.groups.set_permissions(tx, group_id, values)
    storage.groups.add_members(tx, group_id, members)
    storage.groups.add_subgroups(tx, group_id, subgroups)
    for known, audience in known_people.split_by_audience(tx, members):
        event = GroupCreated(
            group_id=group_id,
            name=name,
            description=new.description,
            creator_id=user.id,
            at=tx.now,
            members=known,
            subgroups=subgroups,
            permissions=values,
        )
        events.log.announce(tx, event, to=audience)
    return group_id


def edit(tx: Tx, user: User, group_id: int, changes: GroupChanges) -> None:
    """Change a group: name, description, reactivation, permissions, in this order."""
    user = permissions.current_rights(tx, user)
    group = managed_by(tx, user, group_id)
    if changes == GroupChanges():
        raise BadRequest("No new data supplied")
    after = group
    if changes.name is not None and changes.name.strip() != group.name:
        after = replace(after, name=_free_name(tx, changes.name, but_for=group))
        _store(tx, after, {"name": after.name}, was_deactivated=group.deactivated)
    if changes.description is not None and changes.description != group.description:
        after = replace(after, description=changes.description)
        _store(tx, after, {"description": after.description}, was_deactivated=group.deactivated)
    if changes.deactivated is False and group.deactivated:
        after = replace(after, deactivated=False)
        _store(tx, after, {"deactivated": False}, was_deactivated=True)
    for name, wanted in changes.permissions.items():
        after = _change_permission(tx, after, name, wanted)


def deactivate(tx: Tx, user: User, group_id: int) -> None:
    """Deactivate a group. Raises GroupInUse while anything refers to it."""
    user = permissions.current_rights(tx, user)
    group = managed_by(tx, user, group_id)
    if group.deactivated:
        raise GroupIsDeactivated()
    objections = _objections(tx, user, group)
    if objections:
        raise GroupInUse(objections=objections)
    _store(tx, replace(group, deactivated=True), {"deactivated": True}, was_deactivated=False)


class MembersMoved(msgspec.Struct, frozen=True):
    """Users to be added or removed. The first ones are already."""

    added: bool
    user_ids: list[int]

    @property
    def remaining(self) -> list[list[int]]:
        """The members of each further write."""
        size = domain.limits.MAX_MEMBERS_PER_WRITE
        return domain.portions.split(self.user_ids[size:], size)


def change_members(tx: Tx, user: User, group_id: int, change: MemberChange) -> list[MembersMoved]:
    """Check everything, change the subgroups, and add and remove the first members. Returns whom
    `change_remaining` has to change and `notify_members` to notify, in writes of their own."""
    user = permissions.current_rights(tx, user)
    group = _get(tx, group_id)
    if group.is_system:
        raise InsufficientPermission()
    moved: list[MembersMoved] = []
    if change.add:
        moved.append(_add_members(tx, user, group, change.add))
    if change.remove:
        moved.append(_remove_members(tx, user, _get(tx, group_id), change.remove))
    if change.add_subgroups:
        _add_subgroups(tx, user, _get(tx, group_id), change.add_subgroups)
    if change.remove_subgroups:
        _remove_subgroups(tx, user, _get(tx, group_id), change.remove_subgroups)
    return moved


def change_remaining(tx: Tx, user: User, group_id: int, added: bool, user_ids: list[int]) -> None:
    """Add or remove further members, except users who were added, removed or deactivated
    meanwhile. The creator of a group may be unable to add others later."""
    user = permissions.current_rights(tx, user)
    group = _get(tx, group_id)
    present = storage.groups.members_among(tx, group_id, user_ids)
    if not added:
        _require_removing(tx, user, group, user_ids)
        _set_members(tx, group, sorted(present), added=False)
        return
    if group.creator_id != user.id:
        _require_adding(tx, user, group, user_ids)
    usable = set(storage.people.users.usable_ids(tx, user_ids))
    _set_members(tx, group, sorted(usable - present), added=True)


def notify_members(tx: Tx, user: User, group_id: int, added: bool, user_ids: list[int]) -> None:
    """Notify users who were added or removed by others."""
    group = _get(tx, group_id)
    if group.deactivated:
        return
    did = "added you to" if added else "removed you from"
    for other in storage.people.users.find_many(tx, user_ids):
        if other.id != user.id and not other.is_bot and other.is_active:
            notices.send_to_user(tx, other.id, domain.messages.notices.moved_you(user, did, group))


def announce_members(tx: Tx, group_id: int, user_ids: list[int], *, added: bool) -> None:
    """Announce new or removed members to users who may know them."""
    for known, audience in known_people.split_by_audience(tx, user_ids):
        if known:
            events.log.announce(tx, MembersChanged(group_id, known, added), to=audience)


def managed_by(tx: Tx, user: User, group_id: int) -> Group:
    """A group that the user may manage."""
    group = _get(tx, group_id)
    if group.is_system or not _may(tx, user, group):
        raise InsufficientPermission()
    return group


# --- rules ---


def require_may_add_members(tx: Tx, user: User, group_ids: Sequence[int]) -> None:
    """Raise if a user may not add others to one of these groups."""
    allowed = addable(tx, user, group_ids)
    for group_id in group_ids:
        if group_id not in allowed:
            _get(tx, group_id)
            raise InsufficientPermission()


def addable(tx: Tx, user: User, group_ids: Sequence[int]) -> set[int]:
    """Those of the groups to which a user may add others."""
    found = storage.groups.find_many(tx, list(group_ids))
    usable = [group for group in found if not group.is_system and not group.deactivated]
    return {group.id for group in _allowed(tx, user, usable, "can_add_members_group")}


def _get(tx: Tx, group_id: int) -> Group:
    group = storage.groups.find(tx, group_id)
    if group is None:
        raise GroupNotFound()
    return group


def _may(tx: Tx, user: User, group: Group, *names: str) -> bool:
    return bool(_allowed(tx, user, [group], *names))


def _allowed(tx: Tx, user: User, groups: list[Group], *names: str) -> list[Group]:
    """A manager of a group may do everything in it; others need one of the permissions."""
    if user.is_guest:
        return []
    if permissions.has_realm_permission(tx, user, "can_manage_all_groups"):
        return groups
    holds = permissions.permission_checker(tx, [user])
    return [
        group
        for group in groups
        if any(holds(user, group.permissions[name]) for name in ("can_manage_group", *names))
    ]


def _require(
    tx: Tx, user: User, group: Group, user_ids: list[int], on_behalf: str, for_oneself: str
) -> None:
    names = [on_behalf]
    if set(user_ids) == {user.id}:
        names.append(for_oneself)
    if not _may(tx, user, group, *names):
        raise InsufficientPermission()


def _require_adding(tx: Tx, user: User, group: Group, user_ids: list[int]) -> None:
    _require(tx, user, group, user_ids, "can_add_members_group", "can_join_group")


def _require_removing(tx: Tx, user: User, group: Group, user_ids: list[int]) -> None:
    _require(tx, user, group, user_ids, "can_remove_members_group", "can_leave_group")


def _free_name(tx: Tx, name: str, but_for: Group | None = None) -> str:
    name = domain.groups.group.checked_group_name(name)
    taken = storage.groups.names(tx)
    if but_for is not None:
        del taken[but_for.id]
    if domain.names.lookalike_key(name) in map(domain.names.lookalike_key, taken.values()):
        raise BadRequest(
            "User group '{name}' already exists.", problem="group-name-taken", name=name
        )
    return name


def _active_ids(tx: Tx, user_ids: list[int]) -> list[int]:
    found = set(storage.people.users.usable_ids(tx, user_ids))
    for user_id in user_ids:
        if user_id not in found:
            raise MemberNotFound(user_id=user_id)
    return sorted(found)


def _is_usable(user: User) -> bool:
    return user.is_active and not user.is_system_bot


def _usable_subgroups(tx: Tx, group_ids: list[int]) -> list[int]:
    known = {each.id: each for each in storage.groups.find_many(tx, group_ids)}
    for group_id in group_ids:
        if group_id not in known:
            raise SubgroupNotFound(group_id=group_id)
        if known[group_id].deactivated:
            raise GroupIsDeactivated()
    return sorted(known)


def _objections(tx: Tx, user: User, group: Group) -> list[dict[str, Any]]:
    """Where a group is still used, in API format. A hidden channel is not named."""
    found: list[dict[str, Any]] = []
    above = storage.groups.supergroups(tx, group.id)
    if above:
        found.append({"type": "subgroup", "supergroup_ids": above})
    for channel in storage.channels.table.list_all(tx):
        settings = _naming(group.id, channel.permissions)
        if settings and not channel.archived:
            shown = lookups.may_see(tx, user, channel)
            where = {"channel_id": channel.id if shown else None}
            found.append({"type": "channel", **where, "settings": settings})
    for other in storage.groups.list_without_members(tx):
        settings = _naming(group.id, other.permissions)
        if settings and not other.deactivated:
            found.append({"type": "user_group", "group_id": other.id, "settings": settings})
    settings = _naming(group.id, storage.organization.realms.current(tx).permissions())
    if settings:
        found.append({"type": "realm", "settings": settings})
    return found


def _naming(group_id: int, values: dict[str, GroupValue]) -> list[str]:
    return sorted(
        name
        for name, value in values.items()
        if group_id in domain.groups.group.groups_named([value])
    )


# --- changes ---


def _store(tx: Tx, group: Group, data: dict[str, Any], *, was_deactivated: bool) -> None:
    storage.groups.update(
        tx,
        group.id,
        name=group.name,
        description=group.description,
        deactivated=group.deactivated,
    )
    events.log.announce(tx, GroupChanged(group.id, data, was_deactivated), to=Everyone())


def _change_permission(tx: Tx, group: Group, name: str, change: PermissionChange) -> Group:
    new = permissions.checked_value(tx, GROUP_PERMISSIONS[name], change.new)
    current = group.permissions[name]
    permissions.check_expected(tx, change, current)
    if new == current:
        return group
    after = replace(group, permissions=group.permissions | {name: new})
    storage.groups.set_permissions(tx, group.id, after.permissions)
    events.log.announce(tx, GroupChanged(group.id, {name: new}, False), to=Everyone())
    return after


def _add_members(tx: Tx, user: User, group: Group, requested_ids: list[int]) -> MembersMoved:
    _require_adding(tx, user, group, requested_ids)
    user_ids = _active_ids(tx, requested_ids)
    present = storage.groups.members_among(tx, group.id, user_ids)
    for user_id in user_ids:
        if user_id in present:
            raise BadRequest(
                f"User {user_id} is already a member of this group", problem="group-member-already"
            )
    _set_members(tx, group, user_ids[: domain.limits.MAX_MEMBERS_PER_WRITE], added=True)
    return MembersMoved(True, user_ids)


def _remove_members(tx: Tx, user: User, group: Group, requested_ids: list[int]) -> MembersMoved:
    user_ids = sorted(set(requested_ids))
    _require_removing(tx, user, group, user_ids)
    present = storage.groups.members_among(tx, group.id, user_ids)
    for user_id in user_ids:
        if user_id not in present:
            raise BadRequest(
                f"There is no member '{user_id}' in this user group",
                problem="not-a-member-of-group",
            )
    _set_members(tx, group, user_ids[: domain.limits.MAX_MEMBERS_PER_WRITE], added=False)
    return MembersMoved(False, user_ids)


def _set_members(tx: Tx, group: Group, user_ids: list[int], *, added: bool) -> None:
    def find_people() -> list[User]:
        return [each for each in storage.people.users.find_many(tx, user_ids) if each.is_active]

    if not user_ids:
        return
    with visible_channels.announcing_changes(tx, [group.id], find_people):
        change = storage.groups.add_members if added else storage.groups.remove_members
        change(tx, group.id, user_ids)
        announce_members(tx, group.id, user_ids, added=added)


def _add_subgroups(tx: Tx, user: User, group: Group, requested_ids: list[int]) -> None:
    if not _may(tx, user, group, "can_add_members_group"):
        raise InsufficientPermission()
    subgroup_ids = _usable_subgroups(tx, requested_ids)
    for subgroup_id in subgroup_ids:
        if subgroup_id in group.subgroups:
            raise BadRequest(
                f"User group {subgroup_id} is already a subgroup of this group.",
                problem="subgroup-already",
            )
    if group.id in storage.groups.within(tx, subgroup_ids):
        raise BadRequest(
            f"User group {group.id} is already a subgroup of one of the passed subgroups.",
            problem="group-cycle",
        )

    with visible_channels.announcing_changes(
        tx, [group.id], partial(_people_within, tx, subgroup_ids)
    ):
        storage.groups.add_subgroups(tx, group.id, subgroup_ids)
        events.log.announce(tx, SubgroupsChanged(group.id, subgroup_ids, True), to=Everyone())


def _remove_subgroups(tx: Tx, user: User, group: Group, requested_ids: list[int]) -> None:
    if not _may(tx, user, group, "can_remove_members_group"):
        raise InsufficientPermission()
    subgroup_ids = sorted(set(requested_ids))
    known = {each.id for each in storage.groups.find_many(tx, subgroup_ids)}
    for subgroup_id in subgroup_ids:
        if subgroup_id not in known:
            raise SubgroupNotFound(group_id=subgroup_id)
        if subgroup_id not in group.subgroups:
            raise BadRequest(
                f"User group {subgroup_id} is not a subgroup of this group.",
                problem="subgroup-not-found",
            )

    with visible_channels.announcing_changes(
        tx, [group.id], partial(_people_within, tx, subgroup_ids)
    ):
        storage.groups.remove_subgroups(tx, group.id, subgroup_ids)
        events.log.announce(tx, SubgroupsChanged(group.id, subgroup_ids, False), to=Everyone())


def _people_within(tx: Tx, group_ids: list[int]) -> list[User]:
    found = storage.people.users.find_many(tx, sorted(permissions.all_members_of(tx, group_ids)))
    return [user for user in found if _is_usable(user)]
