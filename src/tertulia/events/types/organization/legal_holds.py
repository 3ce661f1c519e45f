"""Legal holds changed. Owners request the list."""

from collections.abc import Iterable

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import WireEvent


class LegalHoldsChanged(Event, frozen=True, kind="legal_holds_changed"):
    """It says nothing of the hold, so the log has neither its subject nor its reason."""

    class Wire(WireEvent, tag="legal_holds_changed"):
        pass

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire()
