"""The event of a user's status."""

from collections.abc import Iterable
from typing import Any, ClassVar

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class StatusChanged(Event, frozen=True):
    """A user changed their status. Everyone may see it.

    `changes` holds only the changed parts, in API format.
    """

    kind: ClassVar[str] = "status"
    types: ClassVar[tuple[str, ...]] = ("user_status",)

    user_id: int
    changes: dict[str, Any]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"user_id": self.user_id, **self.changes}
