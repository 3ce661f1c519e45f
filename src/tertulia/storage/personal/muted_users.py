"""Muted users."""

import msgspec

from tertulia.database.tx import Tx


class Mute(msgspec.Struct, frozen=True):
    user_id: int  # the muted user
    muted_at: float


def of_user(tx: Tx, user_id: int) -> list[Mute]:
    """The users that a user has muted, first mute first."""
    rows = tx.all(
        "SELECT muted_id, muted_at FROM muted_user WHERE user_id = :user AND realm_id = :realm"
        " ORDER BY muted_at, muted_id",
        user=user_id,
    )
    return [Mute(row["muted_id"], row["muted_at"]) for row in rows]


def is_muted(tx: Tx, user_id: int, muted_id: int) -> bool:
    return tx.has_row("muted_user", user_id=user_id, muted_id=muted_id)


def muted_by(tx: Tx, muted_id: int) -> list[int]:
    return tx.column(
        "SELECT user_id FROM muted_user WHERE muted_id = :muted ORDER BY user_id", muted=muted_id
    )


def insert(tx: Tx, user_id: int, muted_id: int) -> None:
    tx.insert_row("muted_user", user_id=user_id, muted_id=muted_id, muted_at=tx.now)


def delete(tx: Tx, user_id: int, muted_id: int) -> None:
    tx.delete("muted_user", user_id=user_id, muted_id=muted_id)
