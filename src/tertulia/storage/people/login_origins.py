"""Recent origins of logins."""

from tertulia.database.tx import Tx


def record(tx: Tx, user_id: int, mark: bytes) -> bool:
    """Record an origin of a user. Returns whether it was known."""
    known = tx.execute(
        "UPDATE login_place SET seen_at = :now"
        " WHERE user_id = :user AND realm_id = :realm AND mark = :mark",
        now=tx.now,
        user=user_id,
        mark=mark,
    )
    if not known:
        tx.insert_row("login_place", user_id=user_id, mark=mark, seen_at=tx.now)
    return known > 0


def delete_before(tx: Tx, moment: float) -> None:
    tx.execute(
        "DELETE FROM login_place WHERE realm_id = :realm AND seen_at < :moment", moment=moment
    )
