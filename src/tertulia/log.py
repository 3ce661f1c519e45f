"""The log, for any layer: `log.error("files.missing", upload_id=7)`.

`server.logging_config` defines the format. The first line imports the library: most commands write
none, and it would be a fifth of all their imports.
"""

import logging
import sys
import time
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

HOUR_SECONDS = 3600
KEPT_HOURS = 24
MAX_PLACES = 50


class EventCounts:
    """How often each event was logged as a warning or worse: by hour, for the last day.

    `totals` are since the start. Names of events are a fixed list, so the size is bounded. An event
    with the fields `place` and `times` is counted by place, for the first `MAX_PLACES`.
    """

    def __init__(self) -> None:
        self.totals: Counter[str] = Counter()
        self.hours: dict[str, Counter[int]] = {}
        self.last_at: dict[str, float] = {}

    def add(self, event: str, fields: Mapping[str, Any] = MappingProxyType({})) -> None:
        times = fields.get("times", 1)
        self.totals[event] += times
        if place := fields.get("place"):
            known = f"{event} {place}"
            is_new = known not in self.hours
            if not is_new or sum(" " in each for each in self.hours) < MAX_PLACES:
                event = known
        now = time.time()
        hour = int(now) // HOUR_SECONDS
        hours = self.hours.setdefault(event, Counter())
        if hour not in hours:
            for old in [each for each in hours if each <= hour - KEPT_HOURS]:
                del hours[old]
        hours[hour] += times
        self.last_at[event] = now


class Log:
    """A method takes the name of the event, then its fields. `counts` also counts warnings that
    `log_level` hides."""

    def __init__(self) -> None:
        self.counts = EventCounts()

    def debug(self, event: str, **fields: Any) -> None:
        _logger().debug(event, **fields)

    def info(self, event: str, **fields: Any) -> None:
        _logger().info(event, **fields)

    def warning(self, event: str, **fields: Any) -> None:
        self.counts.add(event, fields)
        _logger().warning(event, **fields)

    def error(self, event: str, **fields: Any) -> None:
        self.counts.add(event)
        _logger().error(event, **fields)

    def critical(self, event: str, **fields: Any) -> None:
        self.counts.add(event)
        _logger().critical(event, **fields)

    def log(self, level: int, event: str, **fields: Any) -> None:
        if level >= logging.WARNING:
            self.counts.add(event)
        _logger().log(level, event, **fields)

    def exception(self, event: str, **fields: Any) -> None:
        """An error with the traceback of the exception that is being handled."""
        self.counts.add(event)
        _logger().exception(event, **fields)


def _logger() -> Any:
    import structlog

    if not structlog.is_configured():  # a command; its results are on stdout
        structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    return structlog.get_logger()


log = Log()
