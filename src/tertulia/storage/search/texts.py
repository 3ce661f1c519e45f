"""The texts of messages, as searches look through them."""

from collections.abc import Iterator, Sequence

from tertulia.storage.database.tx import Row, Tx

AT_ONCE = 100  # in memory


def one_by_one(tx: Tx, message_ids: Sequence[int]) -> Iterator[Row]:
    """The same as `of`, in any order."""
    for start in range(0, len(message_ids), AT_ONCE):
        yield from of(tx, message_ids[start : start + AT_ONCE])


def of(tx: Tx, message_ids: Sequence[int]) -> list[Row]:
    """What is looked through, of the messages among these that there are."""
    if not message_ids:
        return []
    return tx.all(
        "SELECT id, rendered, topic FROM message WHERE realm_id = :realm AND id IN :ids"
        " ORDER BY id",
        ids=list(message_ids),
    )
