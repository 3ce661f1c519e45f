"""Lines for the log, from any layer: `log.warning("a store cannot be reached", place="s3")`.

How they look and where they go is said in `logs`. The library behind them is loaded with the first
line: most commands write none, and it would be a third of all that they load.
"""

import sys
from typing import Any

from tertulia.lazy import LazyModule

structlog = LazyModule("structlog")


class Log:
    """Has a method for each level, and `exception`; the words first, then what they are about."""

    def __getattr__(self, level: str) -> Any:
        if not structlog.is_configured():  # a command, whose results are on stdout
            structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
        return getattr(structlog.get_logger(), level)


log = Log()
