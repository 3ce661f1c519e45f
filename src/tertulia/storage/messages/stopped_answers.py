"""Streamed answers that were stopped, and the messages that they have become."""

from tertulia.database.tx import Tx
from tertulia.domain.messages.answers import StreamedAnswer


def insert(tx: Tx, answer: StreamedAnswer, asked_by: int) -> None:
    """Record a stop; a second one changes nothing."""
    tx.execute(
        "INSERT INTO stopped_answer (bot_id, send_key, realm_id, asked_by, stopped_at)"
        " VALUES (:bot, :key, :realm, :asked_by, :now) ON CONFLICT (bot_id, send_key) DO NOTHING",
        bot=answer.bot_id,
        key=answer.send_key,
        asked_by=asked_by,
        now=tx.now,
    )


def set_message(tx: Tx, bot_id: int, send_key: str, message_id: int) -> None:
    """Record the message of an answer, if the answer was stopped."""
    tx.execute(
        "UPDATE stopped_answer SET message_id = :message"
        " WHERE bot_id = :bot AND send_key = :key AND message_id IS NULL",
        message=message_id,
        bot=bot_id,
        key=send_key,
    )


def asked_by(tx: Tx, message_id: int) -> int | None:
    """The user who asked for this message, if it is an answer that was stopped."""
    row = tx.one("SELECT asked_by FROM stopped_answer WHERE message_id = :id", id=message_id)
    return None if row is None else row["asked_by"]


def delete_unfinished(tx: Tx, before: float) -> None:
    """Delete stops of answers that never became a message."""
    tx.execute(
        "DELETE FROM stopped_answer WHERE message_id IS NULL AND stopped_at <= :before",
        before=before,
    )
