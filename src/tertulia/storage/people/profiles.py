"""Changes that users make to their own accounts."""

from typing import Any

import msgspec

from tertulia import domain
from tertulia.database.tx import Tx


def set_settings(tx: Tx, user_id: int, settings: dict[str, Any]) -> None:
    tx.update("account", user_id, settings=msgspec.json.encode(settings).decode())


def set_timezone(tx: Tx, user_id: int, timezone: str) -> None:
    tx.update("account", user_id, timezone=timezone)


def set_full_name(tx: Tx, user_id: int, full_name: str) -> None:
    tx.update("account", user_id, full_name=full_name)


def set_password_hash(tx: Tx, user_id: int, password_hash: str) -> None:
    tx.update("account", user_id, password_hash=password_hash)


def set_email(tx: Tx, user_id: int, email: str) -> None:
    tx.update("account", user_id, email=email, email_key=domain.people.user.email_key(email))
