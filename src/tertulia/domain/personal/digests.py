"""Digests: a weekly mail to users who have been away for days."""

from datetime import UTC, datetime

import msgspec

from tertulia.domain.people.user import User

INACTIVE_SECONDS = 5 * 86400.0
APART_SECONDS = 3 * 86400.0  # at least between two digests of a user
PERIOD_SECONDS = 7 * 86400.0
MAX_MESSAGES = 50_000  # of the last days that are counted
BY_WRITERS = 2  # topics with the most senders
MAX_TOPICS = 4  # in all; the others have the most messages
SAMPLES = 2  # messages of each topic
MAX_CHANNELS = 10  # new ones that are listed


class ActiveTopic(msgspec.Struct, frozen=True):
    channel_id: int
    topic: str
    messages: int
    writers: int
    first_ids: tuple[int, ...]  # its first messages
    only_writer: int | None = None  # if one person wrote all of it


def is_day(weekday: int, now: float) -> bool:
    """Whether it is the weekday of digests, from Monday (0) on, in UTC."""
    return datetime.fromtimestamp(now, UTC).weekday() == weekday


def wants(user: User) -> bool:
    return user.is_active and not user.is_bot and bool(user.prefers("enable_digest_emails"))


def chosen(topics: list[ActiveTopic]) -> list[ActiveTopic]:
    """Topics with the most senders, then those with the most messages."""
    by_writers = sorted(topics, key=lambda each: (-each.writers, -each.messages))[:BY_WRITERS]
    others = [each for each in topics if each not in by_writers]
    by_messages = sorted(others, key=lambda each: (-each.messages, -each.writers))
    return [*by_writers, *by_messages][:MAX_TOPICS]
