"""Drafts; only their owner sees them."""

import msgspec
from msgspec.structs import asdict

from tertulia.database.tx import Row, Tx
from tertulia.domain.personal.drafts import DraftContent, SavedDraft

_COLUMNS = "id, channel_id, user_ids, topic, content, edited_at"


def of_user(tx: Tx, user_id: int) -> list[SavedDraft]:
    """Oldest edit first."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM draft WHERE user_id = :user AND realm_id = :realm"
        " ORDER BY edited_at, id",
        user=user_id,
    )
    return [_draft(row) for row in rows]


def find_many(tx: Tx, draft_ids: list[int]) -> list[SavedDraft]:
    """Those of the drafts that still exist, by id."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM draft WHERE realm_id = :realm AND id IN :ids ORDER BY id",
        ids=draft_ids,
    )
    return [_draft(row) for row in rows]


def exists(tx: Tx, user_id: int, draft_id: int) -> bool:
    return tx.has_row("draft", id=draft_id, user_id=user_id)


def count_of(tx: Tx, user_id: int) -> int:
    return tx.number("SELECT count(*) AS value FROM draft WHERE user_id = :user", user=user_id)


def insert(tx: Tx, user_id: int, content: DraftContent) -> int:
    return tx.insert_with_id("draft", user_id=user_id, **_columns(content))


def update(tx: Tx, draft_id: int, content: DraftContent) -> None:
    tx.update("draft", draft_id, **_columns(content))


def delete(tx: Tx, draft_id: int) -> None:
    tx.delete("draft", id=draft_id)


def _columns(content: DraftContent) -> dict[str, object]:
    return asdict(content) | {"user_ids": msgspec.json.encode(content.user_ids).decode()}


def _draft(row: Row) -> SavedDraft:
    user_ids = msgspec.json.decode(row["user_ids"])
    wording = DraftContent(
        row["channel_id"], user_ids, row["topic"], row["content"], row["edited_at"]
    )
    return SavedDraft(row["id"], wording)
