"""How much an organization is used: messages, people who write, and storage.

Counted from stored messages and files; nothing is recorded for it. Of a single person it has only
the size of their files.
"""

from collections import Counter

import msgspec

SECONDS_PER_DAY = 86400
DAYS_PER_WEEK = 7
MONDAY_SHIFT = 3  # day 0, 1 January 1970, was a Thursday
MAX_CHANNELS = 100
MAX_PEOPLE = 100


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
    starts_at: int
    messages: int
    writers: int


class UsageWeek(msgspec.Struct, frozen=True):
    starts_at: int
    writers: int


class ChannelUsage(msgspec.Struct, frozen=True):
    stream_id: int | None  # None: direct messages
    messages: int
    by_day: list[int]
    size: int


class PersonStorage(msgspec.Struct, frozen=True):
    user_id: int
    size: int


class Usage(msgspec.Struct, frozen=True):
    as_of: int
    days: list[UsageDay]
    weeks: list[UsageWeek]
    channels: list[ChannelUsage]
    other_channels: int  # how many are not in the list
    storage_by_person: list[PersonStorage]
    storage_size: int
    people: int
    seen_last_day: int
    seen_last_week: int


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


def summarize(counted: Counted, now: float, days: int) -> Usage:
    first = first_day(now, days)
    span = range(first, first + days)
    weeks = range(week_of(span[0]), week_of(span[-1]) + 1)
    by_day: Counter[int] = Counter()
    for (day, _), count in counted.messages.items():
        by_day[day] += count
    channels = _channels(counted, span)
    shown = channels[:MAX_CHANNELS]
    people = sorted(counted.bytes_by_person.items(), key=lambda each: (-each[1], each[0]))
    return Usage(
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
