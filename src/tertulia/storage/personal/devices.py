"""Phones that get push notifications."""

from collections.abc import Sequence
from typing import Any

from tertulia.database.tx import Tx
from tertulia.domain.personal.devices import Device, DeviceToken, TokenKind
from tertulia.storage.row_mapper import RowMapper

_DEVICES, _TOKENS = RowMapper(Device, "device"), RowMapper(DeviceToken, "device_token")


def insert(tx: Tx, user_id: int) -> int:
    return tx.insert_with_id("device", user_id=user_id, created_at=tx.now)


def find_of(tx: Tx, user_id: int, device_id: int) -> Device | None:
    return _DEVICES.find(tx, id=device_id, user_id=user_id)


def of_user(tx: Tx, user_id: int) -> list[Device]:
    return _DEVICES.where(tx, "id", user_id=user_id)


def user_ids(tx: Tx) -> set[int]:
    """All users of the organization with a registered phone."""
    rows = tx.all(
        "SELECT user_id FROM device WHERE realm_id = :realm AND token_id IS NOT NULL"
        " UNION SELECT user_id FROM device_token WHERE realm_id = :realm"
    )
    return {row["user_id"] for row in rows}


def change(tx: Tx, device_id: int, **values: Any) -> None:
    tx.update("device", device_id, **values)


def with_tokens(tx: Tx, token_ids: Sequence[str]) -> list[Device]:
    return _DEVICES.where(tx, "id", token_id=list(token_ids))


def delete(tx: Tx, device_id: int) -> None:
    tx.delete("device", id=device_id)


# --- the older protocol ---


def insert_token(tx: Tx, token: DeviceToken) -> None:
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


def tokens_of(tx: Tx, user_id: int) -> list[DeviceToken]:
    return _TOKENS.where(tx, "created_at, token", user_id=user_id)


def delete_token(tx: Tx, user_id: int, kind: TokenKind, token: str) -> bool:
    """Returns whether it existed."""
    return tx.delete("device_token", user_id=user_id, kind=kind, token=token) > 0
