"""The event that tells of somebody's status."""

from collections.abc import Iterable
from typing import Any, ClassVar

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class StatusChanged(Event, frozen=True):
    """Somebody has said something about themselves, or that they are away; all may know.

    `changes` holds only the parts that were said, in the words of clients.
    """

    kind: ClassVar[str] = "status"
    types: ClassVar[tuple[str, ...]] = ("user_status",)

    user_id: int
    changes: dict[str, Any]

    def told(self, org: Organization) -> Iterable[Wire]:
        yield {"user_id": self.user_id, **self.changes}
