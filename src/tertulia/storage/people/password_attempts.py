"""Password attempts, by the name they were for and the network address."""

from tertulia.database.tx import Tx


def insert(tx: Tx, name_hash: bytes, address: str) -> None:
    tx.insert_row("password_attempt", name_hash=name_hash, address=address, tried_at=tx.now)


def nth_last(
    tx: Tx, name_hash: bytes, number: int, since: float, address: str | None = None
) -> float | None:
    """The time of the n-th last attempt; None if there were fewer since then."""
    here = "" if address is None else " AND address = :address"
    found: float | None = tx.value(
        "SELECT tried_at AS value FROM password_attempt"
        f" WHERE realm_id = :realm AND name_hash = :name AND tried_at > :since{here}"
        " ORDER BY tried_at DESC LIMIT 1 OFFSET :before",
        name=name_hash,
        since=since,
        before=number - 1,
        **({} if address is None else {"address": address}),
    )
    return found


def delete(tx: Tx, name_hash: bytes, address: str | None = None) -> int:
    """Delete the attempts for a name, from one address or all. Returns their number."""
    here = "" if address is None else " AND address = :address"
    return tx.execute(
        f"DELETE FROM password_attempt WHERE realm_id = :realm AND name_hash = :name{here}",
        name=name_hash,
        **({} if address is None else {"address": address}),
    )


def delete_before(tx: Tx, moment: float) -> None:
    tx.execute(
        "DELETE FROM password_attempt WHERE realm_id = :realm AND tried_at <= :moment",
        moment=moment,
    )
