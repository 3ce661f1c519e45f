"""Times of exports as UNIX seconds."""

from datetime import UTC, datetime, tzinfo
from typing import Any

import msgspec


class Zone(msgspec.Struct, frozen=True):
    """The time zone of times that have none; UTC unless it is given."""

    tzinfo: tzinfo = UTC
    is_given: bool = False


UNKNOWN_ZONE = Zone()


def from_iso(text: Any, zone: Zone = UNKNOWN_ZONE) -> float | None:
    """An ISO 8601 time. None for no time."""
    if not isinstance(text, str) or not text:
        return None
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone.tzinfo)).timestamp()
