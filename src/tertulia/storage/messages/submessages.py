"""Submessages of widgets; the first one of a message defines the widget."""

from collections.abc import Sequence

from tertulia.database.tx import Tx
from tertulia.domain.messages.widgets import Submessage
from tertulia.storage.row_mapper import RowMapper

_SUBMESSAGES = RowMapper(Submessage, "submessage")


def of_messages(tx: Tx, message_ids: Sequence[int]) -> dict[int, tuple[Submessage, ...]]:
    if not message_ids:
        return {}
    found: dict[int, list[Submessage]] = {}
    for each in _SUBMESSAGES.all(
        tx, "FROM submessage WHERE message_id IN :ids ORDER BY id", ids=list(message_ids)
    ):
        found.setdefault(each.message_id, []).append(each)
    return {message_id: tuple(parts) for message_id, parts in found.items()}


def find(tx: Tx, submessage_id: int) -> Submessage | None:
    return _SUBMESSAGES.find(tx, id=submessage_id)


def widget_of(tx: Tx, message_id: int) -> Submessage | None:
    return _SUBMESSAGES.one(
        tx,
        "FROM submessage WHERE message_id = :message ORDER BY id LIMIT 1",
        message=message_id,
    )


def count(tx: Tx, message_id: int) -> int:
    return tx.number(
        "SELECT count(*) AS value FROM submessage WHERE message_id = :message",
        message=message_id,
    )


def length(tx: Tx, message_id: int) -> int:
    """The characters of all submessages of a message."""
    return tx.number(
        "SELECT sum(length(content)) AS value FROM submessage WHERE message_id = :message",
        message=message_id,
    )


def insert(tx: Tx, message_id: int, sender_id: int, msg_type: str, content: str) -> int:
    return tx.insert_with_id(
        "submessage", message_id=message_id, sender_id=sender_id, msg_type=msg_type, content=content
    )
