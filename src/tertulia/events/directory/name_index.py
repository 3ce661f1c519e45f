"""Who is found by a name that nobody shares for long.

What several events have changed is put back and put on again one by one (`Event.rewind`), so one
may have a name before another has given it up. Whoever lets go of it lets go of their own.
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
