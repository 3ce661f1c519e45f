"""The event of the organization's icon and logos."""

from collections.abc import Iterable
from typing import ClassVar

from tertulia import domain
from tertulia.domain.organization.pictures import PictureKind
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.events.types.organization.settings import RealmUpdateDict
from tertulia.wire import WireEvent


class PictureChanged(Event, frozen=True):
    """An icon or logo changed.

    The URL is relative, because clients reach the server by different addresses.
    """

    kind: ClassVar[str] = "realm_picture_changed"
    wires = (RealmUpdateDict,)
    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    picture: PictureKind

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        data = domain.organization.pictures.wire_fields(org.realm, self.picture)
        yield RealmUpdateDict("update_dict", self.picture, data)
