"""The log, for any layer: `log.error("files.missing", upload_id=7)`.

`server.logging_config` defines the format. The first line imports the library: most commands write
none, and it would be a fifth of all their imports.
"""

import sys
from typing import Any


class Log:
    """A method takes the name of the event, then its fields."""

    def debug(self, event: str, **fields: Any) -> None:
        _logger().debug(event, **fields)

    def info(self, event: str, **fields: Any) -> None:
        _logger().info(event, **fields)

    def warning(self, event: str, **fields: Any) -> None:
        _logger().warning(event, **fields)

    def error(self, event: str, **fields: Any) -> None:
        _logger().error(event, **fields)

    def critical(self, event: str, **fields: Any) -> None:
        _logger().critical(event, **fields)

    def log(self, level: int, event: str, **fields: Any) -> None:
        _logger().log(level, event, **fields)

    def exception(self, event: str, **fields: Any) -> None:
        """An error with the traceback of the exception that is being handled."""
        _logger().exception(event, **fields)


def _logger() -> Any:
    import structlog

    if not structlog.is_configured():  # a command; its results are on stdout
        structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    return structlog.get_logger()


log = Log()
