"""What widgets are made of: the first submessage of a message is the widget itself."""

from collections.abc import Sequence

from tertulia.domain.messages.widgets import Submessage
from tertulia.storage.database.tx import Row, Tx

_COLUMNS = "id, message_id, sender_id, msg_type, content"


def of_messages(tx: Tx, message_ids: Sequence[int]) -> dict[int, tuple[Submessage, ...]]:
    if not message_ids:
        return {}
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM submessage WHERE message_id IN :ids ORDER BY id",
        ids=list(message_ids),
    )
    found: dict[int, list[Submessage]] = {}
    for row in rows:
        found.setdefault(row["message_id"], []).append(_submessage(row))
    return {message_id: tuple(parts) for message_id, parts in found.items()}


def find(tx: Tx, submessage_id: int) -> Submessage | None:
    row = tx.one(
        f"SELECT {_COLUMNS} FROM submessage WHERE id = :id AND realm_id = :realm", id=submessage_id
    )
    return None if row is None else _submessage(row)


def widget_of(tx: Tx, message_id: int) -> Submessage | None:
    row = tx.one(
        f"SELECT {_COLUMNS} FROM submessage WHERE message_id = :message ORDER BY id LIMIT 1",
        message=message_id,
    )
    return None if row is None else _submessage(row)


def count(tx: Tx, message_id: int) -> int:
    return int(
        tx.value(
            "SELECT count(*) AS value FROM submessage WHERE message_id = :message",
            message=message_id,
        )
    )


def insert(tx: Tx, message_id: int, sender_id: int, msg_type: str, content: str) -> int:
    return tx.insert(
        "INSERT INTO submessage (realm_id, message_id, sender_id, msg_type, content)"
        " VALUES (:realm, :message, :sender, :type, :content) RETURNING id",
        message=message_id,
        sender=sender_id,
        type=msg_type,
        content=content,
    )


def _submessage(row: Row) -> Submessage:
    return Submessage(
        row["id"], row["message_id"], row["sender_id"], row["msg_type"], row["content"]
    )
