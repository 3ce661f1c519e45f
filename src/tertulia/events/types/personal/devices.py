"""Devices in API format, and their events."""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia.domain.personal.devices import Device
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import DeviceId, PushKeyId

ChangedFields = dict[str, int | str | None]


PushTokenId = Annotated[str, Doc("The registered token.")]
PendingPushTokenId = Annotated[str, Doc("The token that is being registered.")]
TokenChangeTime = Annotated[int, Doc("When the token changed last, in UNIX seconds.")]
RegistrationError = Annotated[str, Doc("Why the registration failed.")]


class DeviceObject(msgspec.Struct):
    push_key_id: PushKeyId | None
    push_token_id: PushTokenId | None
    pending_push_token_id: PendingPushTokenId | None
    push_token_last_updated_timestamp: TokenChangeTime | None
    push_registration_error_code: RegistrationError | None


def device_object(device: Device) -> DeviceObject:
    since = device.pending_since
    return DeviceObject(
        push_key_id=device.key_number,
        push_token_id=device.token_id,
        pending_push_token_id=device.pending_token_id,
        push_token_last_updated_timestamp=None if since is None else int(since),
        push_registration_error_code=device.error_code,
    )


class DeviceAdded(Event, frozen=True):
    kind: ClassVar[str] = "device_added"

    device_id: int

    class Wire(WireEvent, tag="device"):
        op: Literal["add"]
        device_id: DeviceId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("add", self.device_id)


class DeviceChanged(Event, frozen=True):
    """`changed` are the changed members in API format."""

    kind: ClassVar[str] = "device_changed"

    device_id: int
    changed: ChangedFields

    class Wire(WireEvent, tag="device"):
        op: Literal["update"]
        device_id: DeviceId
        push_key_id: PushKeyId | UnsetType | None = UNSET
        push_token_id: PushTokenId | UnsetType | None = UNSET
        pending_push_token_id: PendingPushTokenId | UnsetType | None = UNSET
        push_token_last_updated_timestamp: TokenChangeTime | UnsetType | None = UNSET
        push_registration_error_code: RegistrationError | UnsetType | None = UNSET

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        changed: dict[str, Any] = {**self.changed}
        yield self.Wire("update", self.device_id, **changed)


class DeviceRemoved(Event, frozen=True):
    kind: ClassVar[str] = "device_removed"

    device_id: int

    class Wire(WireEvent, tag="device"):
        op: Literal["remove"]
        device_id: DeviceId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.device_id)


def difference(before: Device, after: Device) -> ChangedFields:
    known = msgspec.structs.asdict(device_object(before))
    found = msgspec.structs.asdict(device_object(after))
    return {name: value for name, value in found.items() if value != known[name]}
