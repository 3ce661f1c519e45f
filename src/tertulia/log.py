"""The log, for any layer: `log.warning("store.unavailable", store="s3")`.

`server.logging_config` defines the format. The library is imported by the first line: most commands
write none, and it would be a third of all their imports.
"""

import sys
from typing import Any

from tertulia.lazy import LazyModule

structlog = LazyModule("structlog")


class Log:
    """Has a method for each level, and `exception`. The event name comes first, then its fields."""

    def __getattr__(self, level: str) -> Any:
        if not structlog.is_configured():  # a command; its results are on stdout
            structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
        return getattr(structlog.get_logger(), level)


log = Log()
