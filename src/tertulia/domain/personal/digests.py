"""Digests: once a week, what those have missed who have not been here for days."""

from datetime import UTC, datetime

import msgspec

from tertulia.domain.people.user import User

AWAY_SECONDS = 5 * 86400.0
APART_SECONDS = 3 * 86400.0  # a day for digests is 24 hours long, and one of them is enough
LOOKS_BACK_SECONDS = 7 * 86400.0
MAX_MESSAGES = 50_000  # of the last days that are looked at
BY_WRITERS = 2  # topics in which most people wrote, and then
MAX_TOPICS = 4  # those with most messages
SAMPLES = 2  # messages of each
MAX_CHANNELS = 10  # new ones that are named


class LivelyTopic(msgspec.Struct, frozen=True):
    channel_id: int
    topic: str
    messages: int
    writers: int
    first_ids: tuple[int, ...]  # the first of its messages


def is_day(weekday: int, now: float) -> bool:
    """Whether it is the day for digests, from Monday (0) on; everywhere as in Greenwich."""
    return datetime.fromtimestamp(now, UTC).weekday() == weekday


def wants(user: User) -> bool:
    return user.is_active and not user.is_bot and bool(user.prefers("enable_digest_emails"))


def chosen(topics: list[LivelyTopic]) -> list[LivelyTopic]:
    """Where most people wrote, then where most was written."""
    by_writers = sorted(topics, key=lambda each: (-each.writers, -each.messages))[:BY_WRITERS]
    others = [each for each in topics if each not in by_writers]
    by_messages = sorted(others, key=lambda each: (-each.messages, -each.writers))
    return [*by_writers, *by_messages][:MAX_TOPICS]
