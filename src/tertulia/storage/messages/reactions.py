"""Reactions, in the order in which they were added."""

from collections.abc import Sequence

from msgspec.structs import asdict

from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Reaction
from tertulia.storage.row_mapper import RowMapper

_REACTIONS = RowMapper(Reaction)


def of_messages(tx: Tx, message_ids: Sequence[int]) -> dict[int, tuple[Reaction, ...]]:
    if not message_ids:
        return {}
    rows = tx.all(
        f"SELECT message_id, {_REACTIONS.columns} FROM reaction"
        " WHERE message_id IN :ids ORDER BY id",
        ids=list(message_ids),
    )
    found: dict[int, list[Reaction]] = {}
    for row in rows:
        found.setdefault(row["message_id"], []).append(_REACTIONS.of(row))
    return {message_id: tuple(reactions) for message_id, reactions in found.items()}


def of_message(tx: Tx, message_id: int) -> tuple[Reaction, ...]:
    return of_messages(tx, [message_id]).get(message_id, ())


def insert(tx: Tx, message_id: int, reaction: Reaction) -> None:
    tx.insert_row("reaction", message_id=message_id, **asdict(reaction))


def delete(tx: Tx, message_id: int, reaction: Reaction) -> None:
    tx.delete(
        "reaction",
        message_id=message_id,
        user_id=reaction.user_id,
        reaction_type=reaction.reaction_type,
        emoji_code=reaction.emoji_code,
    )
