"""Invitations changed. Clients that may see them request the list."""

from collections.abc import Iterable

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import WireEvent


class InvitationsChanged(Event, frozen=True, kind="invitations_changed"):
    class Wire(WireEvent, tag="invites_changed"):
        pass

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire()
