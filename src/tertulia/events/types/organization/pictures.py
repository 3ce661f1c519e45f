"""The event of the organization's icon and logos."""

from collections.abc import Iterable
from typing import ClassVar

from tertulia import domain
from tertulia.domain.organization.pictures import PictureKind
from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class PictureChanged(Event, frozen=True):
    """An icon or logo changed.

    The URL is relative, because clients reach the server by different addresses.
    """

    kind: ClassVar[str] = "realm_picture_changed"
    types: ClassVar[tuple[str, ...]] = ("realm",)
    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    picture: PictureKind

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        data = domain.organization.pictures.wire_fields(org.realm, self.picture)
        yield {"op": "update_dict", "property": self.picture, "data": data}
