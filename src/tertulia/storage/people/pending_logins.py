"""Pending logins at a provider, and tokens that finish a login in another app."""

from tertulia.database.tx import Tx


def save(
    tx: Tx, state_hash: bytes, browser_hash: bytes, sealed: bytes, user_id: int | None
) -> None:
    tx.insert_row(
        "pending_login",
        state_hash=state_hash,
        browser_hash=browser_hash,
        sealed=sealed,
        user_id=user_id,
        created_at=tx.now,
    )


def consume(tx: Tx, state_hash: bytes, browser_hash: bytes, since: float) -> bytes | None:
    """Return and delete the state of a pending login; None if it is of another browser."""
    row = tx.one(
        "DELETE FROM pending_login WHERE realm_id = :realm AND state_hash = :state"
        " AND browser_hash = :browser AND created_at >= :since RETURNING sealed",
        state=state_hash,
        browser=browser_hash,
        since=since,
    )
    return None if row is None else bytes(row["sealed"])


def store_token(tx: Tx, token_hash: bytes, user_id: int, method: str) -> None:
    tx.insert_row(
        "login_token", token_hash=token_hash, user_id=user_id, method=method, created_at=tx.now
    )


def consume_token(tx: Tx, token_hash: bytes, since: float) -> tuple[int, str] | None:
    """Return and delete a token: its user, and how they logged in."""
    row = tx.one(
        "DELETE FROM login_token WHERE realm_id = :realm AND token_hash = :token"
        " AND created_at >= :since RETURNING user_id, method",
        token=token_hash,
        since=since,
    )
    return None if row is None else (row["user_id"], row["method"])


def delete_of_user(tx: Tx, user_id: int) -> None:
    """Delete the pending logins of a user."""
    for table in ("pending_login", "login_token"):
        tx.execute(f"DELETE FROM {table} WHERE realm_id = :realm AND user_id = :user", user=user_id)


def delete_before(tx: Tx, logins_before: float, tokens: float) -> None:
    tx.execute(
        "DELETE FROM pending_login WHERE realm_id = :realm AND created_at < :since",
        since=logins_before,
    )
    tx.execute(
        "DELETE FROM login_token WHERE realm_id = :realm AND created_at < :since", since=tokens
    )
