"""Events of the organization itself."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from tertulia.events.directory.loader import Invalidated
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent, shape
from tertulia.wire_fields import SettingName


class RealmCreated(Event, frozen=True, kind="realm_created", touches=Invalidated(everything=True)):
    """The first event of every log."""


class RealmUpdateDict(WireEvent, tag="realm"):
    op: Literal["update_dict"]
    property: Annotated[str, Doc("Always `default`.")]
    data: Annotated[dict[str, Any], shape("RealmSettings"), Doc("The changed settings.")]


class RealmSettingsChanged(Event, frozen=True, kind="realm_changed_together"):
    """Settings of the organization that clients receive in one event."""

    wires = (RealmUpdateDict,)
    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    data: dict[str, Any]
    before: dict[str, Any] = {}  # old values of settings that affect delivery
    after: dict[str, Any] = {}

    def undo(self, org: Organization) -> None:
        org.set_settings(self.before)

    def apply(self, org: Organization) -> None:
        org.set_settings(self.after)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield RealmUpdateDict("update_dict", "default", self.data)


class RealmChanged(Event, frozen=True, kind="realm_changed", touches=Invalidated(realm=True)):
    """One setting of the organization changed."""

    property: str
    value: Any
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}

    class Wire(WireEvent, tag="realm"):
        op: Literal["update"]
        property: SettingName
        value: Annotated[str | bool | int | None, Doc("The new value.")]

    def undo(self, org: Organization) -> None:
        org.set_settings(self.before)

    def apply(self, org: Organization) -> None:
        org.set_settings(self.after)

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("update", self.property, self.value)


class RealmDeactivated(Event, frozen=True, kind="realm_deactivated", revokes_access=True):
    """The organization was deactivated. This is its last event."""

    touches: ClassVar[Invalidated] = Invalidated(realm=True)

    class Wire(WireEvent, tag="realm"):
        op: Literal["deactivated"]
        realm_id: Annotated[int, Doc("The id of the organization.")]

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("deactivated", org.realm.id)


class RealmReactivated(Event, frozen=True, kind="realm_reactivated"):
    touches: ClassVar[Invalidated] = Invalidated(realm=True)
