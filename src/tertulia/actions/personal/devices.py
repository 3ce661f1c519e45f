"""Mobile devices: registered by their owner, then with the push service.

A registration has two parts that may come together: the key that encrypts notifications, and the
token by which the service finds the device. A job registers the token (`jobs/devices.py`).
"""

from collections.abc import Sequence
from typing import Any

from tertulia import actions, domain, events, storage
from tertulia.database.tx import Tx
from tertulia.domain.outbox import OutboxItem
from tertulia.domain.people.keys import Vault
from tertulia.domain.people.user import User
from tertulia.domain.personal.devices import EXPIRED, Device, DeviceToken, Registration, TokenKind
from tertulia.errors import BadRequest
from tertulia.events.audience import Users
from tertulia.events.types.personal.devices import DeviceAdded, DeviceChanged, DeviceRemoved


def add(tx: Tx, user: User) -> int:
    """Add a device. Beyond the limit it replaces the oldest."""
    known = storage.personal.devices.of_user(tx, user.id)
    for oldest in known[: max(0, len(known) + 1 - domain.limits.MAX_DEVICES)]:
        _remove(tx, oldest)
    device_id = storage.personal.devices.insert(tx, user.id)
    events.log.announce(tx, DeviceAdded(device_id), to=Users([user.id]))
    return device_id


def remove(tx: Tx, user: User, device_id: int) -> None:
    _remove(tx, _get_own(tx, user, device_id))


def register(
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
    if storage.personal.missed_messages.position(tx) is None:
        storage.personal.missed_messages.set_position(tx, storage.log.head(tx))


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
    for device in storage.personal.devices.with_tokens(tx, token_ids):
        _change(tx, device, {"token_id": None, "token_kind": None})


# --- older devices ---


def add_token(tx: Tx, token: DeviceToken) -> None:
    known = storage.personal.devices.tokens_of(tx, token.user_id)
    for oldest in known[: max(0, len(known) + 1 - domain.limits.MAX_DEVICES)]:
        storage.personal.devices.delete_token(tx, token.user_id, oldest.kind, oldest.token)
    storage.personal.devices.insert_token(tx, token)
    if storage.personal.missed_messages.position(tx) is None:
        storage.personal.missed_messages.set_position(tx, storage.log.head(tx))


def remove_token(tx: Tx, user: User, kind: TokenKind, token: str) -> None:
    if not storage.personal.devices.delete_token(tx, user.id, kind, token):
        raise BadRequest("Token does not exist", problem="not-found")


_NOTHING_PENDING = {
    "pending_kind": None,
    "pending_token_id": None,
    "bouncer_public_key": None,
    "encrypted_registration": None,
    "error_code": None,
}


def _get_own(tx: Tx, user: User, device_id: int) -> Device:
    found = storage.personal.devices.find_of(tx, user.id, device_id)
    if found is None:
        raise BadRequest("Invalid `device_id`")
    return found


def _remove(tx: Tx, device: Device) -> None:
    storage.outbox.delete_of_device(tx, device.id)
    storage.personal.devices.delete(tx, device.id)
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
    return storage.personal.devices.find_of(tx, item.user_id, item.device_id)


def _change(tx: Tx, device: Device, values: dict[str, Any]) -> None:
    """Store changes, and announce what clients see of them."""
    if not values:
        return
    storage.personal.devices.change(tx, device.id, **values)
    after = storage.personal.devices.find_of(tx, device.user_id, device.id)
    assert after is not None
    changed = events.types.personal.devices.difference(device, after)
    if changed:
        event = DeviceChanged(device.id, changed)
        events.log.announce(tx, event, to=Users([device.user_id]))
