"""How much an organization is used: messages, people who write, and storage.

Counted from stored messages and files; nothing is recorded for it. Of a single person it has only
the size of their files. `caches/all_caches.py` keeps a count for ten minutes.
"""

from collections import Counter
from typing import Annotated, Any

import msgspec

from tertulia import storage
from tertulia.api.call import Call
from tertulia.database.tx import Tx
from tertulia.http.parameter_rules import AtLeast, AtMost
from tertulia.http.replies import Reply
from tertulia.wire import Doc
from tertulia.wire_fields import ChannelId, MessageCount, UserId

SECONDS_PER_DAY = 86400
DAYS_PER_WEEK = 7
MONDAY_SHIFT = 3  # day 0, 1 January 1970, was a Thursday
MAX_CHANNELS = 100
MAX_PEOPLE = 100
MIN_DAYS = 7
MAX_DAYS = 90
DEFAULT_DAYS = 28
Writers = Annotated[int, Doc("The number of people who sent a message.")]
TotalSize = Annotated[int, Doc("The size of all files, in bytes.")]
StartsAt = Annotated[int, Doc("When it begins, in UNIX seconds.")]


class Counted(msgspec.Struct, frozen=True):
    """What storage counts. Days and weeks are numbered since 1970, in UTC."""

    messages: dict[tuple[int, int | None], int]  # by day and channel; None: direct messages
    writers_by_day: dict[int, int]
    writers_by_week: dict[int, int]
    bytes_by_channel: dict[int | None, int]
    bytes_by_person: dict[int, int]
    total_bytes: int
    people: int
    seen_last_day: int
    seen_last_week: int


class UsageDay(msgspec.Struct, frozen=True):
    starts_at: StartsAt
    messages: MessageCount
    writers: Writers


class UsageWeek(msgspec.Struct, frozen=True):
    starts_at: StartsAt
    writers: Writers


class ChannelUsage(msgspec.Struct, frozen=True):
    stream_id: ChannelId | None  # None: direct messages
    messages: MessageCount
    by_day: Annotated[list[int], Doc("The number of messages of each day.")]
    size: TotalSize


class PersonStorage(msgspec.Struct, frozen=True):
    user_id: UserId
    size: TotalSize


class UsageReport(Reply):
    as_of: Annotated[int, Doc("When it was counted, in UNIX seconds.")]
    days: Annotated[list[UsageDay], Doc("The days, in UTC, oldest first.")]
    weeks: Annotated[list[UsageWeek], Doc("The weeks, from Monday, in UTC, oldest first.")]
    channels: Annotated[list[ChannelUsage], Doc("The channels, those with most messages first.")]
    other_channels: Annotated[int, Doc("The number of channels that are not in the list.")]
    storage_by_person: Annotated[
        list[PersonStorage], Doc("The people with the largest files, by all their files together.")
    ]
    storage_size: TotalSize
    people: Annotated[int, Doc("The number of active accounts of people.")]
    seen_last_day: Annotated[int, Doc("The number of people who were connected within 24 hours.")]
    seen_last_week: Annotated[
        int, Doc("The number of people who were connected within seven days.")
    ]


def first_day(now: float, days: int) -> int:
    """The first of the last days, today included."""
    return int(now // SECONDS_PER_DAY) - days + 1


def week_of(day: int) -> int:
    return (day + MONDAY_SHIFT) // DAYS_PER_WEEK


def counted_from(now: float, days: int) -> int:
    """When counting begins: on the Monday of the first day, so that each week is whole."""
    return monday(week_of(first_day(now, days)))


def monday(week: int) -> int:
    return (week * DAYS_PER_WEEK - MONDAY_SHIFT) * SECONDS_PER_DAY


def summarize(counted: Counted, now: float, days: int) -> UsageReport:
    first = first_day(now, days)
    span = range(first, first + days)
    weeks = range(week_of(span[0]), week_of(span[-1]) + 1)
    by_day: Counter[int] = Counter()
    for (day, _), count in counted.messages.items():
        by_day[day] += count
    channels = _channels(counted, span)
    shown = channels[:MAX_CHANNELS]
    people = sorted(counted.bytes_by_person.items(), key=lambda each: (-each[1], each[0]))
    return UsageReport(
        as_of=int(now),
        days=[
            UsageDay(day * SECONDS_PER_DAY, by_day[day], counted.writers_by_day.get(day, 0))
            for day in span
        ],
        weeks=[UsageWeek(monday(week), counted.writers_by_week.get(week, 0)) for week in weeks],
        channels=shown,
        other_channels=len(channels) - len(shown),
        storage_by_person=[PersonStorage(*each) for each in people[:MAX_PEOPLE]],
        storage_size=counted.total_bytes,
        people=counted.people,
        seen_last_day=counted.seen_last_day,
        seen_last_week=counted.seen_last_week,
    )


def _channels(counted: Counted, span: range) -> list[ChannelUsage]:
    """Every channel with messages or files, those with most messages first."""
    rows: dict[int | None, list[int]] = {each: [0] * len(span) for each in counted.bytes_by_channel}
    for (day, channel_id), count in counted.messages.items():
        if day in span:
            rows.setdefault(channel_id, [0] * len(span))[day - span[0]] += count
    found = [
        ChannelUsage(channel_id, sum(row), row, counted.bytes_by_channel.get(channel_id, 0))
        for channel_id, row in rows.items()
    ]
    return sorted(found, key=lambda each: (-each.messages, -each.size, each.stream_id or 0))


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
    first = counted_from(tx.now, days)
    day = tx.dialect.sql.floor(f"m.sent_at / {SECONDS_PER_DAY}")
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
        last=storage.messages.table.last_before(tx, first),
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


async def fetch(
    call: Call,
    *,
    days: Annotated[
        int,
        AtLeast(MIN_DAYS),
        AtMost(MAX_DAYS),
        Doc("The number of days to count, today included."),
    ] = DEFAULT_DAYS,
) -> UsageReport:
    """Count messages by day and channel, people who wrote by day and week, and stored files."""
    cache, key = call.services.caches.usage, (call.org.realm.id, days)
    found = cache.recent(key, call.now)
    if not isinstance(found, UsageReport):
        counted = await call.db.read(count, days)
        found = summarize(counted, call.now, days)
        cache.put(key, found)
    return found
