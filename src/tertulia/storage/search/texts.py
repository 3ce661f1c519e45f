"""The texts of messages for searches."""

import re
from collections.abc import Iterator, Sequence

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.storage.channels import topics

AT_ONCE = 100  # texts in memory
MAX_PATTERN_LENGTH = 200

_WILD = re.compile("[!%_]")


def one_by_one(tx: Tx, message_ids: Sequence[int]) -> Iterator[Row]:
    """The same as `of`, in any order."""
    for start in range(0, len(message_ids), AT_ONCE):
        yield from of(tx, message_ids[start : start + AT_ONCE])


def of(tx: Tx, message_ids: Sequence[int]) -> list[Row]:
    """The searchable texts of those of the messages that exist."""
    if not message_ids:
        return []
    return tx.all(
        f"SELECT m.id, m.rendered, {topics.NAME} AS topic FROM message m"
        " WHERE m.realm_id = :realm AND m.id IN :ids ORDER BY m.id",
        ids=list(message_ids),
    )


def with_senders(tx: Tx, message_ids: Sequence[int]) -> list[Row]:
    """The same, each with its time and its sender, or the owner of the bot that sent it."""
    if not message_ids:
        return []
    return tx.all(
        f"SELECT m.id, m.rendered, {topics.NAME} AS topic, m.sent_at,"
        " coalesce(a.bot_owner_id, m.sender_id) AS person_id"
        " FROM message m JOIN account a ON a.id = m.sender_id"
        " WHERE m.realm_id = :realm AND m.id IN :ids",
        ids=list(message_ids),
    )


def sizes(tx: Tx, message_ids: Sequence[int]) -> dict[int, int]:
    """The bytes of HTML of those of the messages that exist."""
    if not message_ids:
        return {}
    rows = tx.tuples(
        f"SELECT id, {tx.dialect.sql.byte_length('rendered')} FROM message"
        " WHERE realm_id = :realm AND id IN :ids",
        ids=list(message_ids),
    )
    return dict(rows)


def fresh_sizes(tx: Tx, head: int, limit: int) -> list[tuple[int, int]]:
    """The first messages after one, with their bytes of HTML."""
    return tx.tuples(
        f"SELECT id, {tx.dialect.sql.byte_length('rendered')} FROM message"
        " WHERE realm_id = :realm AND id > :head ORDER BY id LIMIT :limit",
        head=head,
        limit=limit,
    )


def existing(tx: Tx, message_ids: Sequence[int]) -> set[int]:
    """Those of the messages that exist."""
    rows = tx.tuples(
        "SELECT id FROM message WHERE realm_id = :realm AND id IN :ids", ids=list(message_ids)
    )
    return {message_id for (message_id,) in rows}


def candidates(tx: Tx, message_ids: Sequence[int], phrase: str) -> list[Row]:
    """Those of the messages that may contain a folded phrase.

    The database compares plain lines of ASCII, without the interpreter lock. Texts with other
    letters, or with markup within their lines, may contain any phrase.
    """
    size, lowered = tx.dialect.sql.byte_length, tx.dialect.sql.lower("topic || ' ' || rendered")
    return tx.all(
        f"SELECT * FROM (SELECT m.id, m.rendered, {topics.NAME} AS topic"
        " FROM message m WHERE m.realm_id = :realm AND m.id IN :ids) AS placed WHERE 1 = 1"
        f" AND ({lowered} LIKE :pattern ESCAPE '!'"
        " OR rendered LIKE '%<%<%<%' OR rendered LIKE '%&%'"
        f" OR {size('rendered')} > length(rendered) OR {size('topic')} > length(topic))",
        ids=list(message_ids),
        pattern=_pattern(phrase),
    )


def _pattern(phrase: str) -> str:
    """The words of a phrase in order, with anything between them."""
    words = [_WILD.sub(r"!\g<0>", word) for word in phrase[:MAX_PATTERN_LENGTH].split()]
    return f"%{'%'.join(words)}%"
