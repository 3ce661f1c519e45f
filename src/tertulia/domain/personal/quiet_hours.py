"""Quiet hours: the part of each day in which a user gets no notifications. They come afterwards, if
the messages are still unread."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from tertulia.domain.people.user import User

RECHECK_SECONDS = 300.0


def held_until(user: User, now: float) -> float:
    """When to look again whether a notification may be sent; 0 for now. The user may switch the
    quiet hours off before they end."""
    return min(quiet_until(user, now), now + RECHECK_SECONDS)


def quiet_until(user: User, now: float) -> float:
    """When the user's quiet hours end, in UNIX seconds; 0 if they are not on. Without a time zone
    of the user they are in UTC."""
    hours = user.prefers("quiet_hours")
    if not hours:
        return 0.0
    start, end = map(time.fromisoformat, hours.split("-"))
    here = datetime.fromtimestamp(now, ZoneInfo(user.timezone or "UTC"))
    clock = here.time()
    is_quiet = start <= clock < end if start < end else clock >= start or clock < end
    if not is_quiet:
        return 0.0
    last_day = here.date() + timedelta(days=end <= clock)
    return datetime.combine(last_day, end, here.tzinfo).timestamp()
