"""Alert words, by their owners and by the token that a text must hold."""

from tertulia import domain
from tertulia.storage.database.tx import Tx


def of_user(tx: Tx, user_id: int) -> list[str]:
    """In the order in which they were added."""
    rows = tx.all(
        "SELECT word FROM alert_word WHERE user_id = :user AND realm_id = :realm ORDER BY id",
        user=user_id,
    )
    return [row["word"] for row in rows]


def candidates(tx: Tx, tokens: list[str]) -> list[tuple[int, str]]:
    """(user, folded word) for every word that may be in a text of these tokens."""
    rows = tx.all(
        "SELECT user_id, word_key FROM alert_word"
        " WHERE realm_id = :realm AND first_token IN :tokens",
        tokens=tokens,
    )
    return [(row["user_id"], row["word_key"]) for row in rows]


def insert(tx: Tx, user_id: int, words: list[str]) -> None:
    tx.execute_many(
        "INSERT INTO alert_word (realm_id, user_id, word, word_key, first_token)"
        " VALUES (:realm, :user, :word, :key, :token) ON CONFLICT DO NOTHING",
        (
            {
                "realm": tx.realm_id,
                "user": user_id,
                "word": word,
                "key": domain.personal.alert_words.fold(word),
                "token": domain.personal.alert_words.first_token(word),
            }
            for word in words
        ),
    )


def delete(tx: Tx, user_id: int, words: list[str]) -> None:
    tx.execute(
        "DELETE FROM alert_word WHERE user_id = :user AND word_key IN :keys",
        user=user_id,
        keys=[domain.personal.alert_words.fold(word) for word in words],
    )
