"""Exports permissions in Zulip's format: each is the id of a group."""

from collections.abc import Mapping

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.domain.groups.group import GroupValue, Members


class ExportedPermissions:
    """Creates anonymous groups for permissions that list users and groups directly."""

    def __init__(self, tx: Tx) -> None:
        self._next = max((each.id for each in storage.groups.list_all(tx)), default=0)
        self.unnamed: dict[int, Members] = {}

    def of(self, permissions: Mapping[str, GroupValue]) -> dict[str, int]:
        return {name: self._number(value) for name, value in permissions.items()}

    def _number(self, value: GroupValue) -> int:
        if isinstance(value, int):
            return value
        self._next += 1
        self.unnamed[self._next] = value
        return self._next
