"""Drafts, each seen by its owner alone."""

from dataclasses import astuple

import msgspec

from tertulia.domain.personal.drafts import SavedDraft, Wording
from tertulia.storage.database.tx import Row, Tx

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
    """Those of the drafts that are still there, in order of id."""
    rows = tx.all(
        f"SELECT {_COLUMNS} FROM draft WHERE realm_id = :realm AND id IN :ids ORDER BY id",
        ids=draft_ids,
    )
    return [_draft(row) for row in rows]


def exists(tx: Tx, user_id: int, draft_id: int) -> bool:
    return tx.exists(
        "SELECT 1 AS found FROM draft WHERE id = :id AND user_id = :user AND realm_id = :realm",
        id=draft_id,
        user=user_id,
    )


def count_of(tx: Tx, user_id: int) -> int:
    return int(tx.value("SELECT count(*) AS value FROM draft WHERE user_id = :user", user=user_id))


def insert(tx: Tx, user_id: int, wording: Wording) -> int:
    return tx.insert(
        "INSERT INTO draft (realm_id, user_id, channel_id, user_ids, topic, content, edited_at)"
        " VALUES (:realm, :user, :channel, :user_ids, :topic, :content, :edited_at) RETURNING id",
        user=user_id,
        **_values(wording),
    )


def update(tx: Tx, draft_id: int, wording: Wording) -> None:
    tx.execute(
        "UPDATE draft SET channel_id = :channel, user_ids = :user_ids, topic = :topic,"
        " content = :content, edited_at = :edited_at WHERE id = :id AND realm_id = :realm",
        id=draft_id,
        **_values(wording),
    )


def delete(tx: Tx, draft_id: int) -> None:
    tx.execute("DELETE FROM draft WHERE id = :id AND realm_id = :realm", id=draft_id)


def _values(wording: Wording) -> dict[str, object]:
    channel, user_ids, topic, content, edited_at = astuple(wording)
    return {
        "channel": channel,
        "user_ids": msgspec.json.encode(user_ids).decode(),
        "topic": topic,
        "content": content,
        "edited_at": edited_at,
    }


def _draft(row: Row) -> SavedDraft:
    user_ids = msgspec.json.decode(row["user_ids"])
    wording = Wording(row["channel_id"], user_ids, row["topic"], row["content"], row["edited_at"])
    return SavedDraft(row["id"], wording)
