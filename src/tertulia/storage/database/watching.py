"""Noticing what others write: the command line beside us, or another server.

How it is noticed is told by each database in its own way; see `Dialect.watch`.
"""

from collections.abc import Awaitable, Callable

import structlog

from tertulia.errors.http import ServiceUnavailable

log = structlog.get_logger()

Changed = Callable[[], Awaitable[None]]
Overheard = Callable[[str], None]


def tell(error: Exception, is_outage: bool) -> None:
    """Whatever went wrong, we go on watching: a server that does not notice is of no use."""
    if is_outage or isinstance(error, ServiceUnavailable):
        log.warning("the database cannot be read", reason=type(error).__name__)
    else:
        log.error("what others wrote could not be taken in", exc_info=error)
