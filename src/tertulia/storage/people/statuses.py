"""User statuses: a short text and an emoji, and when they end."""

from typing import Any

from msgspec.structs import asdict

from tertulia.database.tx import Tx
from tertulia.domain.people.status import Status
from tertulia.storage.row_mapper import RowMapper

_STATUSES = RowMapper(Status)
_COLUMNS = f"user_id, {_STATUSES.columns}"


def of_user(tx: Tx, user_id: int) -> Status:
    return _STATUSES.one(tx, "FROM user_status WHERE user_id = :user", user=user_id) or Status()


def of_users(tx: Tx, user_ids: list[int]) -> dict[int, Status]:
    """The statuses of some users; users without one are left out."""
    if not user_ids:
        return {}
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM user_status WHERE realm_id = :realm AND user_id IN :users",
        users=user_ids,
    )
    return {row["user_id"]: _STATUSES.of(row) for row in rows}


def list_all(tx: Tx) -> dict[int, Status]:
    """By user; users without one are left out."""
    rows = tx.all(f"SELECT {_COLUMNS} FROM user_status WHERE realm_id = :realm ORDER BY user_id")
    return {row["user_id"]: _STATUSES.of(row) for row in rows}


def change(tx: Tx, user_id: int, changes: dict[str, Any]) -> Status:
    """Set some parts; an empty status is deleted. Returns the new status."""
    known = of_user(tx, user_id)
    status = known.with_changes(changes)
    tx.delete("user_status", user_id=user_id)
    if status != Status():
        tx.insert_row("user_status", user_id=user_id, **asdict(status))
    return status
