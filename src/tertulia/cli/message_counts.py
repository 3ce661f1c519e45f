"""A number of messages, and when they were sent, for the questions of commands that delete."""

from datetime import UTC, datetime


def described(count: int, oldest_at: float | None = None, newest_at: float | None = None) -> str:
    """ "1,234 messages, sent from 2025-01-02 to 2026-03-04"."""
    noun = "message" if count == 1 else "messages"
    if oldest_at is None or newest_at is None:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}, sent from {day(oldest_at)} to {day(newest_at)}"


def day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()
