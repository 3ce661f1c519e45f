"""Recent origins of logins."""

from tertulia.database.tx import Tx


def record(tx: Tx, user_id: int, fingerprint: bytes) -> bool:
    """Record an origin of a user. Returns whether it was known."""
    known = tx.execute(
        "UPDATE known_login SET seen_at = :now"
        " WHERE user_id = :user AND realm_id = :realm AND fingerprint = :fingerprint",
        now=tx.now,
        user=user_id,
        fingerprint=fingerprint,
    )
    if not known:
        tx.insert_row("known_login", user_id=user_id, fingerprint=fingerprint, seen_at=tx.now)
    return known > 0


def delete_before(tx: Tx, moment: float) -> None:
    tx.execute(
        "DELETE FROM known_login WHERE realm_id = :realm AND seen_at < :moment", moment=moment
    )
