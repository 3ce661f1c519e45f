"""Invitations changed. Clients that may see them request the list."""

from collections.abc import Iterable
from typing import ClassVar

from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class InvitationsChanged(Event, frozen=True):
    kind: ClassVar[str] = "invitations_changed"
    types: ClassVar[tuple[str, ...]] = ("invites_changed",)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {}
