"""Index by a name that is unique, but may have two owners for a moment.

When several events are rewound and applied again one by one (`Event.rewind`), a user can take a
name before its owner gives it up. So each owner removes only their own entry.
"""

from typing import Generic, TypeVar

Name = TypeVar("Name")


class NameIndex(Generic[Name]):
    def __init__(self) -> None:
        self._owners: dict[Name, tuple[int, ...]] = {}

    def owner(self, name: Name) -> int | None:
        owners = self._owners.get(name)
        return None if owners is None else owners[-1]

    def add(self, name: Name, owner_id: int) -> None:
        self._owners[name] = (*self._owners.get(name, ()), owner_id)

    def remove(self, name: Name, owner_id: int) -> None:
        others = tuple(each for each in self._owners.get(name, ()) if each != owner_id)
        if others:
            self._owners[name] = others
        else:
            self._owners.pop(name, None)
