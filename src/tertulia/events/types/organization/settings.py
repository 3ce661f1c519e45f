"""The events that tell of the organization itself."""

from collections.abc import Iterable
from typing import Any, ClassVar

from tertulia.events.directory import Organization
from tertulia.events.listener import Listener
from tertulia.events.loading import Touched
from tertulia.events.types.event import Event, Wire


class RealmCreated(Event, frozen=True):
    """The first event of every log: here an organization began."""

    kind: ClassVar[str] = "realm_created"

    def touched(self) -> Touched:
        return Touched(realm=True, groups=True)


class RealmChangedTogether(Event, frozen=True):
    """Settings of the organization that clients hear of in one piece."""

    kind: ClassVar[str] = "realm_changed_together"
    types: ClassVar[tuple[str, ...]] = ("realm",)
    shared: ClassVar[bool] = True

    data: dict[str, Any]
    before: dict[str, Any] = {}  # of settings by which others are judged
    after: dict[str, Any] = {}

    def touched(self) -> Touched:
        return Touched(realm=True)

    def rewind(self, org: Organization) -> None:
        org.put_settings(self.before)

    def move(self, org: Organization) -> None:
        org.put_settings(self.after)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield {"type": "realm", "op": "update_dict", "property": "default", "data": self.data}


class RealmChanged(Event, frozen=True):
    """One plain setting of the organization has a new value."""

    kind: ClassVar[str] = "realm_changed"
    types: ClassVar[tuple[str, ...]] = ("realm",)
    shared: ClassVar[bool] = True

    property: str
    value: Any
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}

    def touched(self) -> Touched:
        return Touched(realm=True)

    def rewind(self, org: Organization) -> None:
        org.put_settings(self.before)

    def move(self, org: Organization) -> None:
        org.put_settings(self.after)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield {"type": "realm", "op": "update", "property": self.property, "value": self.value}


class RealmDeactivated(Event, frozen=True):
    """The organization was closed: this is the last thing that anybody hears."""

    kind: ClassVar[str] = "realm_deactivated"
    types: ClassVar[tuple[str, ...]] = ("realm",)
    shared: ClassVar[bool] = True

    def touched(self) -> Touched:
        return Touched(realm=True)

    def wire(self, org: Organization, to: Listener) -> Iterable[Wire]:
        yield {"type": "realm", "op": "deactivated", "realm_id": org.realm.id}


class RealmReactivated(Event, frozen=True):
    kind: ClassVar[str] = "realm_reactivated"

    def touched(self) -> Touched:
        return Touched(realm=True)
