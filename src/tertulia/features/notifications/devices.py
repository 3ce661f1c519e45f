"""Phones that get push notifications."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from tertulia import actions, domain, events, storage
from tertulia.api.call import Services
from tertulia.database.tx import Tx
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.devices import EXPIRED, Device, DeviceToken, Registration, TokenKind
from tertulia.errors import BadRequest, ClientError
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.audience import Users
from tertulia.events.directory.organization import Organization
from tertulia.events.snapshot.register_parts import View
from tertulia.events.snapshot.server_info import StatePart
from tertulia.events.types.event import Event
from tertulia.external.push import push_service
from tertulia.external.push.push_service import NotRegistered
from tertulia.fair_queue import FairQueue
from tertulia.features.notifications import missed_messages
from tertulia.jobs.outbox import Outbox
from tertulia.jobs.runner import described
from tertulia.log import log
from tertulia.storage.row_mapper import RowMapper
from tertulia.wire import Doc, WireEvent
from tertulia.wire_fields import DeviceId, PushKeyId

_DEVICES, _TOKENS = RowMapper(Device, "device"), RowMapper(DeviceToken, "device_token")


def find_of(tx: Tx, user_id: int, device_id: int) -> Device | None:
    return _DEVICES.find(tx, id=device_id, user_id=user_id)


def of_user(tx: Tx, user_id: int) -> list[Device]:
    return _DEVICES.where(tx, "id", user_id=user_id)


# --- the older protocol ---


def tokens_of(tx: Tx, user_id: int) -> list[DeviceToken]:
    return _TOKENS.where(tx, "created_at, token", user_id=user_id)


# --- events ---


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


class DeviceAdded(Event, frozen=True, kind="device_added"):
    device_id: int

    class Wire(WireEvent, tag="device"):
        op: Literal["add"]
        device_id: DeviceId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("add", self.device_id)


class DeviceChanged(Event, frozen=True, kind="device_changed"):
    """`changed` are the changed members in API format."""

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


class DeviceRemoved(Event, frozen=True, kind="device_removed"):
    device_id: int

    class Wire(WireEvent, tag="device"):
        op: Literal["remove"]
        device_id: DeviceId

    def shared_wire(self, org: Organization) -> Iterable[WireEvent]:
        yield self.Wire("remove", self.device_id)


def _difference(before: Device, after: Device) -> ChangedFields:
    known = msgspec.structs.asdict(device_object(before))
    found = msgspec.structs.asdict(device_object(after))
    return {name: value for name, value in found.items() if value != known[name]}


# --- actions ---


def add_device(tx: Tx, user: User) -> int:
    """Add a device. Beyond the limit it replaces the oldest."""
    known = of_user(tx, user.id)
    for oldest in known[: max(0, len(known) + 1 - domain.limits.MAX_DEVICES)]:
        _remove(tx, oldest)
    device_id = tx.insert_with_id("device", user_id=user.id, created_at=tx.now)
    events.log.announce(tx, DeviceAdded(device_id), to=Users([user.id]))
    return device_id


def remove_device(tx: Tx, user: User, device_id: int) -> None:
    _remove(tx, _get_own(tx, user, device_id))


def register_device(
    tx: Tx,
    vault: Vault,
    user: User,
    device_id: int,
    key: tuple[int, str] | None,
    token: Registration | None,
) -> None:
    """Store the key (with its id) and the token of a device, or one of them."""
    device = _get_own(tx, user, device_id)
    if key is None and token is None:
        raise BadRequest(
            "Missing parameters: must provide either all push key fields, all token fields,"
            " or both."
        )
    is_registered = device.token_id is not None or device.pending_token_id is not None
    if token is None and not is_registered:
        raise BadRequest("No push registration exists to rotate key for.")
    if key is None and not is_registered:
        raise BadRequest("No push registration exists to rotate token for.")
    if token is not None and device.pending_token_id is not None and device.error_code is None:
        if token.token_id == device.pending_token_id and _has_key(vault, device, key):
            return
        raise BadRequest("A registration for the device already in progress.")
    values: dict[str, Any] = {}
    if key is not None and not _has_key(vault, device, key):
        values |= {"key_number": key[0], "sealed": vault.seal(key[1])}
    if token is not None and token.token_id != device.token_id:
        values |= {
            "pending_kind": token.token_kind,
            "pending_token_id": token.token_id,
            "pending_since": tx.now,
            "bouncer_public_key": token.bouncer_public_key,
            "encrypted_registration": token.encrypted,
            "error_code": None,
        }
    _change(tx, device, values)
    if "pending_token_id" in values:
        storage.outbox.insert_registration(tx, user.id, device.id)
    missed_messages.start(tx)


# --- results of the push service ---


def claim(tx: Tx, item: OutboxItem) -> Device | None:
    """Claim a pending registration; None if it is no longer pending."""
    return _pending(tx, item) if actions.outbox.claim(tx, [item]) else None


def registered(tx: Tx, item: OutboxItem) -> None:
    device = _pending(tx, item)
    if device is not None:
        values = {"token_id": device.pending_token_id, "token_kind": device.pending_kind}
        _change(tx, device, values | _NOTHING_PENDING)
        storage.outbox.delete(tx, item)


def refused(tx: Tx, item: OutboxItem, code: str) -> None:
    device = _pending(tx, item)
    if device is not None:
        _change(tx, device, {"error_code": code})
        storage.outbox.delete(tx, item)


def reschedule(tx: Tx, item: OutboxItem) -> bool:
    """The service was unavailable: retry later, or give up. Returns whether it was given up."""
    device = _pending(tx, item)
    given_up = device is not None and bool(actions.outbox.record_results(tx, [], [item]))
    if device is not None and given_up:
        _change(tx, device, {"error_code": EXPIRED})
    return given_up


def delete_tokens(tx: Tx, token_ids: Sequence[str]) -> None:
    """Forget tokens that the service no longer knows."""
    for device in _DEVICES.where(tx, "id", token_id=list(token_ids)):
        _change(tx, device, {"token_id": None, "token_kind": None})


# --- older devices ---


def store_token(tx: Tx, token: DeviceToken) -> None:
    known = tokens_of(tx, token.user_id)
    for oldest in known[: max(0, len(known) + 1 - domain.limits.MAX_DEVICES)]:
        tx.delete("device_token", user_id=token.user_id, kind=oldest.kind, token=oldest.token)
    tx.execute(
        "INSERT INTO device_token (realm_id, user_id, kind, token, app_id, created_at)"
        " VALUES (:realm, :user, :kind, :token, :app, :now)"
        " ON CONFLICT (user_id, kind, token) DO NOTHING",
        user=token.user_id,
        kind=token.kind,
        token=token.token,
        app=token.app_id,
        now=tx.now,
    )
    missed_messages.start(tx)


def forget_token(tx: Tx, user: User, kind: TokenKind, token: str) -> None:
    if not tx.delete("device_token", user_id=user.id, kind=kind, token=token):
        raise BadRequest("Token does not exist", problem="not-found")


_NOTHING_PENDING = {
    "pending_kind": None,
    "pending_token_id": None,
    "bouncer_public_key": None,
    "encrypted_registration": None,
    "error_code": None,
}


def _get_own(tx: Tx, user: User, device_id: int) -> Device:
    found = find_of(tx, user.id, device_id)
    if found is None:
        raise BadRequest("Invalid `device_id`")
    return found


def _remove(tx: Tx, device: Device) -> None:
    storage.outbox.delete_of_device(tx, device.id)
    tx.delete("device", id=device.id)
    events.log.announce(tx, DeviceRemoved(device.id), to=Users([device.user_id]))


def _has_key(vault: Vault, device: Device, key: tuple[int, str] | None) -> bool:
    if key is None:
        return True
    same_id = device.key_number == key[0] and device.sealed is not None
    return same_id and vault.unseal(device.sealed or b"") == key[1]


def _pending(tx: Tx, item: OutboxItem) -> Device | None:
    """The device, unless another registration replaced this one."""
    if item.user_id is None or item.device_id is None or not storage.outbox.exists(tx, item):
        return None
    return find_of(tx, item.user_id, item.device_id)


def _change(tx: Tx, device: Device, values: dict[str, Any]) -> None:
    """Store changes, and announce what clients see of them."""
    if not values:
        return
    tx.update("device", device.id, **values)
    after = find_of(tx, device.user_id, device.id)
    assert after is not None
    changed = _difference(device, after)
    if changed:
        event = DeviceChanged(device.id, changed)
        events.log.announce(tx, event, to=Users([device.user_id]))


# --- job ---


MAX_CLAIMED_PER_PERSON = 4

REGISTRATIONS = FairQueue(
    "push_registrations", slots=20, slots_per_person=2, max_waiting=MAX_CLAIMED_PER_PERSON
)


class DeviceSender:
    transport: Transport = "device"
    job_name = "push devices"
    every_seconds = 2.0
    max_claimed = 200
    max_claimed_per_person = MAX_CLAIMED_PER_PERSON

    def __init__(self, services: Services, outbox: Outbox) -> None:
        self._config = services.config
        self._database = services.database
        self._outbox = outbox
        self._delivery = services.delivery

    def lane_of(self, item: OutboxItem) -> int | None:
        return item.device_id

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        (item,) = items
        async with REGISTRATIONS.slot(item.person):
            await self._register(item)
        return False

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        log.error("push.device_failed", device_id=item.device_id, **described(error))

    async def _register(self, item: OutboxItem) -> None:
        org = await self._delivery.follower.finder.find(item.realm_id)
        if org is None:
            return
        db = self._database.of(item.realm_id)
        device = await db.write(claim, item)
        if device is None:
            return
        try:
            await push_service.register(self._config, org.realm.uuid, device)
        except NotRegistered as refusal:
            await db.write(refused, item, str(refusal))
            self._outbox.given_up["device"] += 1
        except ServiceUnavailable:
            raise
        except ClientError as trouble:
            log.warning("push.registration_failed", device_id=device.id, code=trouble.code)
            given_up = await db.write(reschedule, item)
            self._outbox.given_up["device"] += given_up
        else:
            await db.write(registered, item)
            self._outbox.sent["device"] += 1


# --- what the register has of them ---


class DevicesState(StatePart):
    devices: Annotated[dict[str, DeviceObject], Doc("The user's client devices, by id.")]


def devices_state(view: View) -> DevicesState:
    found = view.facts.owned.get("device", [])
    return DevicesState(devices={str(each.id): device_object(each) for each in found})
