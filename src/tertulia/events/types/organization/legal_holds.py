"""Legal holds changed. Owners request the list."""

from collections.abc import Iterable
from typing import ClassVar

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class LegalHoldsChanged(Event, frozen=True):
    """It says nothing of the hold, so the log has neither its subject nor its reason."""

    kind: ClassVar[str] = "legal_holds_changed"
    types: ClassVar[tuple[str, ...]] = ("legal_holds_changed",)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {}
