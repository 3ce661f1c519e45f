"""Devices in API format, and their events."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

from tertulia.domain.personal.devices import Device
from tertulia.events.directory.organization import Organization
from tertulia.events.types.event import Event, Wire

ChangedFields = dict[str, int | str | None]


class DeviceObject(msgspec.Struct):
    push_key_id: int | None
    push_token_id: str | None
    pending_push_token_id: str | None
    push_token_last_updated_timestamp: int | None
    push_registration_error_code: str | None


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
    types: ClassVar[tuple[str, ...]] = ("device",)

    device_id: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "add", "device_id": self.device_id}


class DeviceChanged(Event, frozen=True):
    """`changed` are the changed members in API format."""

    kind: ClassVar[str] = "device_changed"
    types: ClassVar[tuple[str, ...]] = ("device",)

    device_id: int
    changed: ChangedFields

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "update", "device_id": self.device_id, **self.changed}


class DeviceRemoved(Event, frozen=True):
    kind: ClassVar[str] = "device_removed"
    types: ClassVar[tuple[str, ...]] = ("device",)

    device_id: int

    def wire_fields(self, org: Organization) -> Iterable[Wire]:
        yield {"op": "remove", "device_id": self.device_id}


def difference(before: Device, after: Device) -> ChangedFields:
    known = msgspec.structs.asdict(device_object(before))
    found = msgspec.structs.asdict(device_object(after))
    return {name: value for name, value in found.items() if value != known[name]}
