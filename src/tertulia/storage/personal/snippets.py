"""Saved snippets; only their owner sees them."""

from tertulia.database.tx import Tx
from tertulia.domain.personal.snippets import Snippet
from tertulia.storage.row_mapper import Record

_SNIPPETS = Record(Snippet, "saved_snippet")


def of_user(tx: Tx, user_id: int) -> list[Snippet]:
    return _SNIPPETS.where(tx, "id", user_id=user_id)


def find(tx: Tx, snippet_id: int) -> Snippet | None:
    return _SNIPPETS.find(tx, id=snippet_id)


def find_of(tx: Tx, user_id: int, snippet_id: int) -> Snippet | None:
    return _SNIPPETS.find(tx, id=snippet_id, user_id=user_id)


def count_of(tx: Tx, user_id: int) -> int:
    return tx.number(
        "SELECT count(*) AS value FROM saved_snippet WHERE user_id = :user", user=user_id
    )


def insert(tx: Tx, user_id: int, title: str, content: str) -> int:
    return tx.insert_with_id(
        "saved_snippet", user_id=user_id, title=title, content=content, created_at=tx.now
    )


def update(tx: Tx, snippet_id: int, title: str, content: str) -> None:
    tx.update("saved_snippet", snippet_id, title=title, content=content)


def delete(tx: Tx, snippet_id: int) -> None:
    tx.delete("saved_snippet", id=snippet_id)
