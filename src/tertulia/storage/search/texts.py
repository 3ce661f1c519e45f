"""The texts of messages, as searches look through them."""

from collections.abc import Sequence

from tertulia.storage.database.tx import Row, Tx


def of(tx: Tx, message_ids: Sequence[int]) -> list[Row]:
    """What is looked through, of the messages among these that there are."""
    if not message_ids:
        return []
    return tx.all(
        "SELECT id, rendered, topic FROM message WHERE realm_id = :realm AND id IN :ids"
        " ORDER BY id",
        ids=list(message_ids),
    )
