"""Queries for exports: whole tables of an organization, and messages page by page."""

from collections.abc import Collection, Iterator
from typing import Any

from tertulia.database.dialect import Row
from tertulia.database.tx import Tx
from tertulia.storage.channels import topics

PAGE = 1_000

# The exported messages by kind of export. `:consenting` are users who have agreed: all that they
# can read is exported, in a protected history only what they have received.
_PUBLIC = "m.channel_id IN (SELECT c.id FROM channel c WHERE NOT c.invite_only)"
CHOSEN = {
    "public": _PUBLIC,
    "full_without_consent": "TRUE",
    "full_with_consent": (
        f"({_PUBLIC} OR m.channel_id IN (SELECT c.id FROM channel c JOIN subscription s"
        " ON s.channel_id = c.id AND s.active WHERE c.history_public AND s.user_id IN :consenting)"
        " OR EXISTS (SELECT 1 FROM subscription_span p WHERE p.channel_id = m.origin_channel_id"
        " AND p.user_id IN :consenting AND p.start_message_id < m.id"
        " AND (p.end_message_id IS NULL OR m.id <= p.end_message_id))"
        " OR m.conversation_id IN (SELECT v.conversation_id FROM conversation_member v"
        " WHERE v.user_id IN :consenting))"
    ),
}


def rows(tx: Tx, table: str) -> list[Row]:
    """All rows of a small table."""
    return tx.all(f"SELECT * FROM {table} WHERE realm_id = :realm")


def channel_ids(tx: Tx, kind: str, consenting: Collection[int]) -> set[int]:
    """Exported channels: public ones, those of consenting users, those of exported messages."""
    found = tx.all(
        "SELECT c.id FROM channel c WHERE c.realm_id = :realm AND (NOT c.invite_only"
        " OR :everything"
        " OR c.id IN (SELECT s.channel_id FROM subscription s"
        " WHERE s.realm_id = :realm AND s.active AND s.user_id IN :consenting)"
        f" OR c.id IN (SELECT m.channel_id FROM message m WHERE m.realm_id = :realm"
        f" AND {CHOSEN[kind]}))",
        everything=kind == "full_without_consent",
        consenting=[] if kind == "public" else list(consenting),
    )
    return {row["id"] for row in found}


def count_messages(tx: Tx, kind: str, consenting: Collection[int]) -> int:
    given = {"consenting": list(consenting)} if ":consenting" in CHOSEN[kind] else {}
    return tx.number(
        f"SELECT count(*) AS value FROM message m WHERE m.realm_id = :realm AND {CHOSEN[kind]}",
        **given,
    )


def message_pages(tx: Tx, kind: str, consenting: Collection[int]) -> Iterator[list[Row]]:
    given: dict[str, Any] = (
        {"consenting": list(consenting)} if ":consenting" in CHOSEN[kind] else {}
    )
    after = 0
    while page := tx.all(
        f"SELECT m.*, {topics.NAME} AS topic FROM message m"
        f" WHERE m.realm_id = :realm AND m.id > :after AND {CHOSEN[kind]}"
        " ORDER BY m.id LIMIT :limit",
        after=after,
        limit=PAGE,
        **given,
    ):
        yield page
        after = page[-1]["id"]


def of_messages(tx: Tx, table: str, message_ids: list[int]) -> list[Row]:
    """Rows of a table that belong to these messages."""
    return tx.all(
        f"SELECT * FROM {table} WHERE realm_id = :realm AND message_id IN :ids", ids=message_ids
    )


def of_person(tx: Tx, table: str, column: str, user_id: int) -> list[Row]:
    return tx.all(
        f"SELECT * FROM {table} WHERE realm_id = :realm AND {column} = :user", user=user_id
    )
