"""Logging: one line on stderr per event, as text or JSON.

No line may contain what a user wrote. Our own lines are fixed texts with chosen fields. The text of
a library or an exception may quote data, so an exception is logged by its type and stack frames.
"""

import asyncio
import logging
import os
import sys
import threading
import traceback
from types import TracebackType
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from tertulia.config import Config
from tertulia.log import log

FRAMES = 10  # of a traceback, from its innermost end
STDERR = 2

_process: dict[str, Any] = {}  # fields of every line


def configure(config: Config) -> None:
    """Log everything that this process logs, or dies of, to stderr in one format."""
    level = logging.getLevelNamesMapping()[config.log_level.upper()]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            _add_process,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            format_error,
            renderer(config.log_format),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: Lines(),
        cache_logger_on_first_use=True,
    )
    logging.root.handlers = [FromLibraries()]
    logging.root.setLevel(level)
    # uvicorn's info lines help only to debug uvicorn.
    logging.getLogger("uvicorn").setLevel(level if level < logging.INFO else logging.WARNING)
    # These log every request with its URL at info level.
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    sys.excepthook = _log_death
    threading.excepthook = _log_thread_death


def set_worker(number: int) -> None:
    """Add the number of the worker to every line from now on."""
    _process["worker"] = number


def worker() -> int | None:
    """The number of this worker, if there are several."""
    number: int | None = _process.get("worker")
    return number


def _add_process(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    return {**_process, **line}


def renderer(log_format: str) -> Processor:
    if log_format == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), pad_event_to=0, pad_level=False
    )


def format_error(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    """Replace an exception by its type and stack frames."""
    given = line.pop("exc_info", None)
    line.pop("stack_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        line["error"] = f"{type(error).__module__}.{type(error).__qualname__}"
        line["trace"] = [
            f"{frame.filename}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__, limit=-FRAMES)
        ]
    return line


def log_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For `set_exception_handler`: asyncio's own handler would log the arguments of callbacks."""
    log.error("server.callback_failed", exc_info=context.get("exception"))


class Lines:
    """Writes lines. A log that cannot be written, for example on a full disk, stops nothing."""

    def write(self, line: str) -> None:
        try:
            os.write(STDERR, f"{line}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            pass

    debug = info = warning = error = critical = write


class FromLibraries(logging.Handler):
    """Lines of libraries. All but uvicorn's are logged without their arguments."""

    def emit(self, record: logging.LogRecord) -> None:
        is_known = record.name.startswith("uvicorn")
        words = record.getMessage() if is_known else str(record.msg)
        log.log(
            record.levelno,
            "server.library_message",
            logger=record.name,
            text=words.strip().partition("\n")[0],
            exc_info=record.exc_info,
        )


def _log_death(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    log.critical("server.crashed", exc_info=error)


def _log_thread_death(args: threading.ExceptHookArgs) -> None:
    log.critical("server.thread_failed", exc_info=args.exc_value)
