"""Alert words of users."""

from tertulia import domain
from tertulia.database.tx import Tx


def of_user(tx: Tx, user_id: int) -> list[str]:
    """In the order in which they were added."""
    return tx.column(
        "SELECT word FROM alert_word WHERE user_id = :user AND realm_id = :realm ORDER BY id",
        user=user_id,
    )


def of_users(tx: Tx, user_ids: list[int] | None = None) -> dict[int, list[str]]:
    """The words of these users, or of all."""
    wanted = "" if user_ids is None else " AND user_id IN :ids"
    rows = tx.all(
        f"SELECT user_id, word FROM alert_word WHERE realm_id = :realm{wanted}",
        **({} if user_ids is None else {"ids": user_ids}),
    )
    found: dict[int, list[str]] = {}
    for row in rows:
        found.setdefault(row["user_id"], []).append(row["word"])
    return found


def insert(tx: Tx, user_id: int, words: list[str]) -> None:
    tx.insert_rows(
        "alert_word",
        ({"word": word, "word_key": domain.personal.alert_words.fold(word)} for word in words),
        "ON CONFLICT DO NOTHING",
        user_id=user_id,
    )


def delete(tx: Tx, user_id: int, words: list[str]) -> None:
    tx.delete(
        "alert_word",
        user_id=user_id,
        word_key=[domain.personal.alert_words.fold(word) for word in words],
    )
