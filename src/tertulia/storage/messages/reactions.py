"""Reactions, in the order in which they were added."""

from collections.abc import Sequence

from tertulia.domain.messages.message import Reaction
from tertulia.storage.database.tx import Row, Tx

_COLUMNS = "user_id, emoji_name, emoji_code, reaction_type"


def of_messages(tx: Tx, message_ids: Sequence[int]) -> dict[int, tuple[Reaction, ...]]:
    if not message_ids:
        return {}
    rows = tx.all(
        f"SELECT message_id, {_COLUMNS} FROM reaction WHERE message_id IN :ids ORDER BY id",
        ids=list(message_ids),
    )
    found: dict[int, list[Reaction]] = {}
    for row in rows:
        found.setdefault(row["message_id"], []).append(_reaction(row))
    return {message_id: tuple(reactions) for message_id, reactions in found.items()}


def of_message(tx: Tx, message_id: int) -> tuple[Reaction, ...]:
    return of_messages(tx, [message_id]).get(message_id, ())


def insert(tx: Tx, message_id: int, reaction: Reaction) -> None:
    tx.put(
        "reaction",
        message_id=message_id,
        user_id=reaction.user_id,
        emoji_name=reaction.emoji_name,
        emoji_code=reaction.emoji_code,
        reaction_type=reaction.reaction_type,
    )


def delete(tx: Tx, message_id: int, reaction: Reaction) -> None:
    tx.execute(
        "DELETE FROM reaction WHERE message_id = :message AND user_id = :user"
        " AND reaction_type = :type AND emoji_code = :code",
        message=message_id,
        user=reaction.user_id,
        type=reaction.reaction_type,
        code=reaction.emoji_code,
    )


def _reaction(row: Row) -> Reaction:
    return Reaction(row["user_id"], row["emoji_name"], row["emoji_code"], row["reaction_type"])
