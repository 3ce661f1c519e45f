"""Code playgrounds in API format, and their event."""

from collections.abc import Iterable
from typing import ClassVar, Self

import msgspec

from tertulia.domain.organization.playgrounds import Playground
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class PlaygroundObject(msgspec.Struct, frozen=True):
    id: int
    name: str
    pygments_language: str
    url_template: str

    @classmethod
    def of(cls, playground: Playground) -> Self:
        return cls(playground.id, playground.name, playground.language, playground.url_template)


class PlaygroundsChanged(Event, frozen=True):
    """A playground was added or removed. It contains all of them."""

    kind: ClassVar[str] = "playgrounds_changed"
    types: ClassVar[tuple[str, ...]] = ("realm_playgrounds",)

    playgrounds: list[PlaygroundObject]

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"realm_playgrounds": self.playgrounds}
