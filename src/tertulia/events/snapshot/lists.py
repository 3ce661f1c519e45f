"""The parts of the snapshot that are plain lists from the database, one line for each.

A list has the name by which clients request it.
"""

from collections.abc import Callable, Iterable
from types import GenericAlias
from typing import Annotated, Any, Self, get_type_hints

import msgspec

from tertulia import storage
from tertulia.database.tx import Tx
from tertulia.events.directory.organization import Organization
from tertulia.wire import Doc


class ListedPart(msgspec.Struct, frozen=True):
    """What to read from the database, and how to encode each element.

    `rows` is the condition for rows that belong to the user, `doc` its description in the API.
    """

    table: str
    of_user: Callable[[Tx, int], Iterable[Any]] | None = None
    to_wire: Callable[[Any], Any] = lambda each: each
    of_all_users: Callable[[Tx], Iterable[Any]] | None = None
    rows: str = storage.nonempty_tables.MINE
    to_wire_in: Callable[[Organization, Any], Any] | None = None  # depends on the organization
    doc: str = ""

    @property
    def condition(self) -> str:
        return self.rows if self.of_all_users is None else storage.nonempty_tables.OURS

    @property
    def wire_type(self) -> Any:
        """The type of the list that clients get."""
        to_wire = self.to_wire_in or self.to_wire
        element: Any = to_wire
        if not isinstance(to_wire, type):
            element = get_type_hints(to_wire)["return"]
        if element is Self:
            element = getattr(to_wire, "__self__")  # noqa: B009 - a class method
        return Annotated[GenericAlias(list, (element,)), Doc(self.doc)]

    def read(self, tx: Tx, user_id: int) -> list[Any]:
        found = self.of_user(tx, user_id) if self.of_user else ()
        return [*found, *(self.of_all_users(tx) if self.of_all_users else ())]

    def encoded(self, org: Organization, found: Iterable[Any]) -> list[Any]:
        if self.to_wire_in is not None:
            return [self.to_wire_in(org, each) for each in found]
        return [self.to_wire(each) for each in found]


# Features add theirs (`features/__init__.py`).
LISTS: dict[str, ListedPart] = {}
