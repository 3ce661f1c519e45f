"""Permission checks inside a transaction.

They use the database, never the directory: a rule must see the latest changes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import (
    CREATOR_ALONE,
    REALM_PERMISSIONS,
    GroupValue,
    Members,
    Permission,
    PermissionChange,
)
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.errors.authentication import (
    AccountDeactivated,
    AdministratorRequired,
    InsufficientPermission,
    OwnerRequired,
)
from tertulia.errors.groups import (
    GroupIsDeactivated,
    GroupNotFound,
    MemberNotFound,
    SystemGroupRequired,
)
from tertulia.errors.parameters import ExpectationMismatch

HasPermission = Callable[[User, GroupValue], bool]


def current_rights(tx: Tx, user: User) -> User:
    """The acting user as stored now: their role may just have changed."""
    found = storage.people.users.find(tx, user.id)
    if found is None or not found.is_active:
        raise AccountDeactivated()
    return domain.people.agents.acting_for(found, user.grant)


def check_role(tx: Tx, user: User) -> None:
    """Raise if a user has fewer rights than the directory says."""
    rank = storage.people.users.role_columns(tx, user.id)
    if rank is None or not rank.is_active:
        raise AccountDeactivated()
    if rank.role > user.role:
        raise BadRequest(
            "Your role has just changed. Please try again.", problem="role-just-changed"
        )


def require_administrator(tx: Tx, user: User) -> None:
    if not current_rights(tx, user).is_admin:
        raise AdministratorRequired()


def require_owner(tx: Tx, user: User) -> None:
    if not current_rights(tx, user).is_owner:
        raise OwnerRequired()


def has_permission(tx: Tx, user: User, value: GroupValue) -> bool:
    return permission_checker(tx, [user])(user, value)


def permission_checker(tx: Tx, people: Collection[User], now: float | None = None) -> HasPermission:
    """A version of `holds` for many users or permissions, which reads every group once.

    It becomes invalid when groups change.
    """
    known = storage.groups.Memberships(tx, people)
    return partial(
        domain.groups.permissions.has_permission, known, now=tx.now if now is None else now
    )


def has_realm_permission(tx: Tx, user: User, setting: str) -> bool:
    """Whether a user has one of the organization's permissions."""
    permission = REALM_PERMISSIONS[setting]
    if not permission.is_open_to(user):
        return False
    value = storage.organization.realms.current(tx).settings.get(setting)
    if value is None:
        known = storage.groups.Memberships(tx, [user])
        return domain.groups.permissions.is_in_system_group(known, user, permission.default, tx.now)
    return has_permission(tx, user, value)


def require_in_realm(tx: Tx, user: User, setting: str) -> None:
    if not has_realm_permission(tx, user, setting):
        raise InsufficientPermission()


def has_permission_or_owner_has(tx: Tx, user: User, value: GroupValue) -> bool:
    """Like `holds`; a bot may also use its owner's permission."""
    if has_permission(tx, user, value):
        return True
    owner = (
        storage.people.users.find(tx, user.bot_owner_id) if user.bot_owner_id is not None else None
    )
    return owner is not None and owner.is_active and has_permission(tx, owner, value)


def check_expected(tx: Tx, change: PermissionChange, current: GroupValue) -> None:
    """Raise if the current value is not the one that the caller expects.

    Clients do not see deactivated users, so these are ignored.
    """
    if change.old is None:
        return
    nobody = storage.groups.system_ids(tx)["role:nobody"]
    if without_inactive(tx, domain.groups.group.canonical(change.old, nobody)) != without_inactive(
        tx, current
    ):
        raise ExpectationMismatch(field_name="old")


def without_inactive(tx: Tx, value: GroupValue) -> GroupValue:
    """A value as clients see it."""
    if isinstance(value, int):
        return value
    active = {
        user.id
        for user in storage.people.users.find_many(tx, value.direct_members)
        if user.is_active
    }
    kept = [user_id for user_id in value.direct_members if user_id in active]
    return Members(kept, value.direct_subgroups)


def checked_value(tx: Tx, permission: Permission, value: GroupValue) -> GroupValue:
    """The canonical form of a value. Raises if the permission does not allow it."""
    if isinstance(value, Members):
        largest = max(len(value.direct_members), len(value.direct_subgroups))
        if largest > domain.limits.MAX_MEMBERS_PER_PERMISSION:
            raise BadRequest(
                f"'{permission.name}' names too many users or groups"
                f" (limit: {domain.limits.MAX_MEMBERS_PER_PERMISSION}). Create a group of them.",
                problem="permission-too-large",
            )
    system_ids = storage.groups.system_ids(tx)
    value = domain.groups.group.canonical(value, system_ids["role:nobody"])
    named = [value] if isinstance(value, int) else value.direct_subgroups
    known = {group.id: group for group in storage.groups.find_many(tx, named)}
    for group_id in named:
        if group_id not in known:
            raise GroupNotFound()
        if known[group_id].deactivated:
            raise GroupIsDeactivated()
    if isinstance(value, Members):
        found = set(storage.people.users.usable_ids(tx, value.direct_members))
        for user_id in value.direct_members:
            if user_id not in found:
                raise MemberNotFound(user_id=user_id)
        if permission.requires_system_group:
            raise SystemGroupRequired(setting_name=permission.name)
        return value
    _check_group(permission, known[value].name, known[value].is_system)
    return value


def initial_values(
    tx: Tx, wanted: Mapping[str, Permission], creator: User, requested: Mapping[str, GroupValue]
) -> dict[str, GroupValue]:
    """The permissions of a new object: as requested, or the defaults."""
    system_ids = storage.groups.system_ids(tx)
    values: dict[str, GroupValue] = {}
    for name, permission in wanted.items():
        if name in requested:
            values[name] = checked_value(tx, permission, requested[name])
        elif permission.default in CREATOR_ALONE:
            values[name] = Members([creator.id], [])
        else:
            values[name] = system_ids[permission.default]
    return values


def _check_group(permission: Permission, name: str, is_system: bool) -> None:
    if not is_system:
        if permission.requires_system_group:
            raise SystemGroupRequired(setting_name=permission.name)
        return
    refused = (
        name == "role:internet"
        or name in permission.refused
        or (name == "role:everyone" and not permission.everyone)
        or (name == "role:nobody" and not permission.nobody)
        or (permission.allowed and name not in permission.allowed)
    )
    if refused:
        raise BadRequest(
            f"'{permission.name}' setting cannot be set to '{name}' group.",
            problem="group-not-allowed-for-setting",
        )


def all_members_of(tx: Tx, group_ids: Iterable[int]) -> set[int]:
    """The members of groups, of their subgroups, and users whose role makes them members."""
    return domain.groups.permissions.all_members_of(
        storage.groups.Memberships(tx, []), group_ids, tx.now
    )


def system_group_ids(tx: Tx, people: Collection[User]) -> dict[int, list[int]]:
    """The system groups that contain users directly, by user; the group of their role first."""
    waiting = storage.organization.realms.current(tx).setting("waiting_period_threshold")
    ids = storage.groups.system_ids(tx)
    direct = domain.groups.group.direct_system_groups
    return {user.id: [ids[name] for name in direct(user, waiting, tx.now)] for user in people}


def is_nobody_group(tx: Tx, group_id: int) -> bool:
    return group_id == storage.groups.system_ids(tx)["role:nobody"]
