"""Counts for the usage page, in few grouped queries."""

from typing import Any

from tertulia import domain, storage
from tertulia.database.tx import Tx
from tertulia.domain.organization.usage import (
    DAYS_PER_WEEK,
    MAX_PEOPLE,
    MONDAY_SHIFT,
    SECONDS_PER_DAY,
    Counted,
)

_HUMAN = "bot_type IS NULL AND NOT is_system_bot"


def count(tx: Tx, days: int) -> Counted:
    """What happened on the last days, today included."""
    messages: dict[tuple[int, int | None], int] = {}
    by_day: dict[int, int] = {}
    by_week: dict[int, int] = {}
    for kind, number, channel_id, amount in _counts(tx, days):
        if kind == "messages":
            messages[number, channel_id] = amount
        else:
            (by_day if kind == "day" else by_week)[number] = amount
    return Counted(
        messages=messages,
        writers_by_day=by_day,
        writers_by_week=by_week,
        bytes_by_channel=_bytes_by_channel(tx),
        bytes_by_person=_bytes_by_person(tx),
        total_bytes=storage.files.attachments.space_used(tx),
        people=tx.number(
            f"SELECT count(*) AS value FROM account WHERE realm_id = :realm AND is_active"
            f" AND {_HUMAN}"
        ),
        seen_last_day=_seen_since(tx, tx.now - SECONDS_PER_DAY),
        seen_last_week=_seen_since(tx, tx.now - DAYS_PER_WEEK * SECONDS_PER_DAY),
    )


def _counts(tx: Tx, days: int) -> list[tuple[Any, ...]]:
    """Messages by day and channel, and people who wrote by day and by week.

    One pass over the messages of these days."""
    first = domain.organization.usage.counted_from(tx.now, days)
    day = tx.dialect.floor(f"m.sent_at / {SECONDS_PER_DAY}")
    return tx.tuples(
        "WITH sent AS (SELECT"
        f" {day} AS day, m.channel_id, m.sender_id, count(*) AS amount FROM message m"
        " WHERE m.realm_id = :realm AND m.id > :last AND m.sent_at >= :first"
        " GROUP BY 1, 2, 3),"
        " written AS (SELECT DISTINCT s.day, s.sender_id FROM sent s"
        f" JOIN account a ON a.id = s.sender_id WHERE {_HUMAN})"
        " SELECT 'messages' AS kind, day AS number, channel_id, CAST(sum(amount) AS BIGINT) AS n"
        " FROM sent GROUP BY day, channel_id"
        " UNION ALL SELECT 'day', day, NULL, count(*) FROM written GROUP BY day"
        f" UNION ALL SELECT 'week', (day + {MONDAY_SHIFT}) / {DAYS_PER_WEEK}, NULL,"
        " count(DISTINCT sender_id) FROM written"
        f" GROUP BY (day + {MONDAY_SHIFT}) / {DAYS_PER_WEEK}",
        first=first,
        last=storage.messages.last_before(tx, first),
    )


def _bytes_by_channel(tx: Tx) -> dict[int | None, int]:
    """A file that is linked in two channels counts in both."""
    return dict(
        tx.tuples(
            "SELECT channel_id, CAST(sum(size) AS BIGINT) AS size FROM (SELECT DISTINCT"
            " m.channel_id, a.id, a.size FROM attachment a"
            " JOIN attachment_message l ON l.attachment_id = a.id"
            " JOIN message m ON m.id = l.message_id WHERE a.realm_id = :realm) AS linked"
            " GROUP BY channel_id"
        )
    )


def _bytes_by_person(tx: Tx) -> dict[int, int]:
    return dict(
        tx.tuples(
            "SELECT id, upload_bytes FROM account WHERE realm_id = :realm AND upload_bytes > 0"
            " ORDER BY upload_bytes DESC, id LIMIT :limit",
            limit=MAX_PEOPLE,
        )
    )


def _seen_since(tx: Tx, moment: float) -> int:
    return tx.number(
        "SELECT count(*) AS value FROM presence p JOIN account a ON a.id = p.user_id"
        f" WHERE p.realm_id = :realm AND p.idle_at >= :moment AND {_HUMAN}",
        moment=moment,
    )
