"""Idempotency keys of sends: a repeated send happens once."""

import msgspec

from tertulia.database.tx import Tx


class SentBefore(msgspec.Struct, frozen=True):
    fingerprint: bytes
    message_id: int
    policy: int | None


def find(tx: Tx, sender_id: int, key: str, newer_than: float) -> SentBefore | None:
    row = tx.one(
        "SELECT fingerprint, message_id, policy FROM send_key"
        " WHERE sender_id = :sender AND key = :key AND sent_at > :newest",
        sender=sender_id,
        key=key,
        newest=newer_than,
    )
    if row is None:
        return None
    return SentBefore(bytes(row["fingerprint"]), row["message_id"], row["policy"])


def insert(
    tx: Tx, sender_id: int, key: str, fingerprint: bytes, message_id: int, policy: int | None
) -> None:
    """Record a send; an expired key is replaced."""
    tx.upsert(
        "send_key",
        ("sender_id", "key"),
        sender_id=sender_id,
        key=key,
        fingerprint=fingerprint,
        message_id=message_id,
        policy=policy,
        sent_at=tx.now,
    )


def delete_before(tx: Tx, at: float, limit: int) -> int:
    return tx.execute(
        "DELETE FROM send_key WHERE (sender_id, key) IN"
        " (SELECT sender_id, key FROM send_key WHERE sent_at <= :at LIMIT :limit)",
        at=at,
        limit=limit,
    )
