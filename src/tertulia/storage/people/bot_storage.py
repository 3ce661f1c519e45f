"""Storage of bots: texts by key, separate for each bot."""

from collections.abc import Sequence

from tertulia.database.tx import Tx


def list_all(tx: Tx, user_id: int) -> dict[str, str]:
    rows = tx.all(
        "SELECT key, value FROM bot_memory WHERE user_id = :user AND realm_id = :realm"
        " ORDER BY key",
        user=user_id,
    )
    return {row["key"]: row["value"] for row in rows}


def find_many(tx: Tx, user_id: int, keys: Sequence[str]) -> dict[str, str]:
    rows = tx.all(
        "SELECT key, value FROM bot_memory"
        " WHERE user_id = :user AND realm_id = :realm AND key IN :keys ORDER BY key",
        user=user_id,
        keys=list(keys),
    )
    return {row["key"]: row["value"] for row in rows}


def size(tx: Tx, user_id: int) -> int:
    """The total number of characters, keys included."""
    return tx.number(
        "SELECT coalesce(sum(length(key) + length(value)), 0) AS value FROM bot_memory"
        " WHERE user_id = :user AND realm_id = :realm",
        user=user_id,
    )


def store(tx: Tx, user_id: int, entries: dict[str, str]) -> None:
    tx.insert_rows(
        "bot_memory",
        ({"key": key, "value": value} for key, value in entries.items()),
        "ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value",
        user_id=user_id,
    )


def delete(tx: Tx, user_id: int, keys: Sequence[str]) -> None:
    tx.delete("bot_memory", user_id=user_id, key=list(keys))


def clear(tx: Tx, user_id: int) -> None:
    tx.delete("bot_memory", user_id=user_id)
