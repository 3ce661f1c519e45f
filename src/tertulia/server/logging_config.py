"""Logs: one line on stderr for each thing worth knowing, written for people or for programs.

Nothing that somebody wrote may get into a line. Our own lines are chosen word by word; what a
library says, and the words of any exception, may quote what was sent or stored, so an exception
is told by its type and the places it went through.
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

FRAMES = 10  # of a traceback, counted from where it went wrong
STDERR = 2

_process: dict[str, Any] = {}  # what every line says


def configure(config: Config) -> None:
    """Send everything that this process logs, or dies of, to stderr in one form."""
    level = logging.getLevelNamesMapping()[config.log_level.upper()]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            _tell_process,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            tell_error,
            renderer(config.log_format),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: Lines(),
        cache_logger_on_first_use=True,
    )
    logging.root.handlers = [FromLibraries()]
    logging.root.setLevel(level)
    # Its comings and goings are for somebody who looks for a fault in it.
    logging.getLogger("uvicorn").setLevel(level if level < logging.INFO else logging.WARNING)
    # They would log every request, with its address, at the level of ours.
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    sys.excepthook = _tell_of_death
    threading.excepthook = _tell_of_thread


def tell_worker(number: int) -> None:
    """From now on every line says which of several workers wrote it."""
    _process["worker"] = number


def _tell_process(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    return {**_process, **line}


def renderer(log_format: str) -> Processor:
    if log_format == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), pad_event_to=0, pad_level=False
    )


def tell_error(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    """Put the type of an exception and its way into the line, in place of the exception."""
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


def tell_of_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """For `set_exception_handler`: asyncio itself would quote what a callback was called with."""
    log.error("server.callback_failed", exc_info=context.get("exception"))


class Lines:
    """Where lines go. A log that cannot be written, on a full disk perhaps, stops nobody."""

    def write(self, line: str) -> None:
        try:
            os.write(STDERR, f"{line}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            pass

    debug = info = warning = error = critical = write


class FromLibraries(logging.Handler):
    """What libraries log. But for uvicorn, whose words are known, without what they fill in."""

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


def _tell_of_death(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    log.critical("server.crashed", exc_info=error)


def _tell_of_thread(args: threading.ExceptHookArgs) -> None:
    log.critical("server.thread_failed", exc_info=args.exc_value)
