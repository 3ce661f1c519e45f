"""Imports the permissions of channels and groups."""

from collections.abc import Mapping

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import (
    CHANNEL_PERMISSIONS,
    GROUP_PERMISSIONS,
    GroupValue,
    Members,
    Permission,
)
from tertulia.errors import BadRequest
from tertulia.transfer.importing.import_state import ImportState
from tertulia.transfer.model import ImportedChannel, ImportedGroupValue, ProfileData


def apply_permissions(
    tx: Tx, state: ImportState, channels: list[ImportedChannel], profiles: ProfileData
) -> None:
    """Set all permissions. A value that is not allowed here becomes the default."""
    values = _ImportedValues(tx, state)
    for channel in channels:
        if channel.permissions and channel.key in state.channels:
            found = storage.channels.table.find(tx, state.channels[channel.key])
            assert found is not None
            changed = values.permitted(CHANNEL_PERMISSIONS, channel.permissions)
            if not found.history_public:  # then everyone may start topics
                changed.pop("can_create_topic_group", None)
            storage.channels.table.set_permissions(tx, found.id, found.permissions | changed)
    for imported in profiles.groups:
        if imported.permissions and imported.key in state.groups:
            group = storage.groups.find(tx, state.groups[imported.key])
            assert group is not None
            changed = values.permitted(GROUP_PERMISSIONS, imported.permissions)
            storage.groups.set_permissions(tx, group.id, group.permissions | changed)


class _ImportedValues:
    """Permission values with our ids of users and groups."""

    def __init__(self, tx: Tx, state: ImportState) -> None:
        self._tx, self._state = tx, state
        self._system_ids = storage.groups.system_ids(tx)
        self._members = {
            each.id
            for each in storage.people.users.list_all(tx)
            if each.is_active and not each.is_system_bot
        }

    def permitted(
        self, rules: Mapping[str, Permission], values: Mapping[str, ImportedGroupValue]
    ) -> dict[str, GroupValue]:
        found: dict[str, GroupValue] = {}
        for name, value in values.items():
            if name not in rules:
                continue
            people = [each for each in self._state.people_of(value.people) if each in self._members]
            groups = [self._group(key) for key in value.groups]
            if value.people and not people and not groups:
                continue
            try:
                members = Members(people, [each for each in groups if each is not None])
                if None in groups:
                    raise BadRequest("A group was not imported")
                checked = actions.groups.permissions.checked_value(self._tx, rules[name], members)
                found[name] = checked
            except BadRequest:
                self._state.note("permissions that stay at their default")
        return found

    def _group(self, key: str) -> int | None:
        return self._system_ids.get(key) or self._state.groups.get(key)
