"""Events of the organization itself."""

from collections.abc import Iterable
from typing import Any, ClassVar

from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire


class RealmCreated(Event, frozen=True):
    """The first event of every log."""

    kind: ClassVar[str] = "realm_created"
    touches: ClassVar[Invalidated] = Invalidated(realm=True, groups=True)


class RealmSettingsChanged(Event, frozen=True):
    """Settings of the organization that clients receive in one event."""

    kind: ClassVar[str] = "realm_changed_together"
    types: ClassVar[tuple[str, ...]] = ("realm",)
    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    data: dict[str, Any]
    before: dict[str, Any] = {}  # old values of settings that affect delivery
    after: dict[str, Any] = {}

    def undo(self, org: Organization) -> None:
        org.set_settings(self.before)

    def apply(self, org: Organization) -> None:
        org.set_settings(self.after)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "update_dict", "property": "default", "data": self.data}


class RealmChanged(Event, frozen=True):
    """One setting of the organization changed."""

    kind: ClassVar[str] = "realm_changed"
    types: ClassVar[tuple[str, ...]] = ("realm",)
    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    property: str
    value: Any
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}

    def undo(self, org: Organization) -> None:
        org.set_settings(self.before)

    def apply(self, org: Organization) -> None:
        org.set_settings(self.after)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "update", "property": self.property, "value": self.value}


class RealmDeactivated(Event, frozen=True):
    """The organization was deactivated. This is its last event."""

    kind: ClassVar[str] = "realm_deactivated"
    revokes_access: ClassVar[bool] = True
    types: ClassVar[tuple[str, ...]] = ("realm",)
    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "deactivated", "realm_id": org.realm.id}


class RealmReactivated(Event, frozen=True):
    kind: ClassVar[str] = "realm_reactivated"
    touches: ClassVar[Invalidated] = Invalidated(realm=True)
