"""Quiet hours around the present moment of a test's server."""

from datetime import UTC, datetime, timedelta

from tests.support.people import Chat, Person

HOUR = 3600


def has_quiet_hours_now(chat: Chat, person: Person) -> None:
    """From an hour ago to an hour from now on, in UTC."""
    now = datetime.fromtimestamp(chat.server.clock(), UTC)
    ends = [f"{now + timedelta(hours=each):%H:%M}" for each in (-1, 1)]
    person.patch("/settings", timezone="UTC", quiet_hours="-".join(ends)).succeeds()
