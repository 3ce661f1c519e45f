"""Groups that a login provider manages. Other groups are not touched."""

from collections.abc import Iterable, Sequence

from tertulia import domain, events, storage
from tertulia.actions.channels import visible_channels
from tertulia.actions.groups import edits
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import CREATOR_ALONE, GROUP_PERMISSIONS, Group, GroupValue
from tertulia.domain.people.user import User
from tertulia.errors import BadRequest
from tertulia.events.audience import Everyone
from tertulia.events.types.groups import GroupCreated

ADMINISTRATORS = "role:administrators"  # may manage groups that no user created


def find_or_create(tx: Tx, names: Iterable[str]) -> list[Group]:
    """Groups by name, created if missing. Names that are invalid here are skipped."""
    known = {
        domain.names.skeleton(group.name): group
        for group in storage.groups.list_without_members(tx)
        if not group.is_system
    }
    found = []
    for name in names:
        group = known.get(domain.names.skeleton(name.strip())) or _create(tx, name)
        if group is not None and not group.deactivated and group not in found:
            found.append(group)
    return found


def sync(tx: Tx, user: User, wanted: Sequence[Group], formerly: Sequence[int]) -> list[str]:
    """Set the groups that a provider gives a user; removes those that it gave before.

    Returns what changed.
    """
    did = []
    wanted_ids = {group.id for group in wanted}
    gone = [storage.groups.find(tx, each) for each in formerly if each not in wanted_ids]
    listing = storage.groups.Memberships(tx, [user]).listing(user.id)
    with visible_channels.announcing_changes(tx, None, lambda: [user]):
        for group in wanted:
            if group.id not in listing:
                storage.groups.add_members(tx, group.id, [user.id])
                edits.announce_members(tx, group.id, [user.id], added=True)
                did.append(f"joins the group {group.name}")
        for former in gone:
            if former is not None and former.id in listing:
                storage.groups.remove_members(tx, former.id, [user.id])
                edits.announce_members(tx, former.id, [user.id], added=False)
                did.append(f"leaves the group {former.name}")
    return did


def _create(tx: Tx, name: str) -> Group | None:
    try:
        name = domain.groups.group.checked_group_name(name)
    except BadRequest:
        return None
    group_id = storage.groups.insert(tx, name, "", creator_id=None)
    system_ids = storage.groups.system_ids(tx)
    permissions: dict[str, GroupValue] = {
        name: system_ids[ADMINISTRATORS if rule.default in CREATOR_ALONE else rule.default]
        for name, rule in GROUP_PERMISSIONS.items()
    }
    storage.groups.set_permissions(tx, group_id, permissions)
    event = GroupCreated(
        group_id=group_id,
        name=name,
        description="",
        creator_id=None,
        at=tx.now,
        members=[],
        subgroups=[],
        permissions=permissions,
    )
    events.log.announce(tx, event, to=Everyone())
    return storage.groups.find(tx, group_id)
