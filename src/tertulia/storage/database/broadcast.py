"""The broadcast: hands notices to the other servers on a database, soon and without promise.

It has a thread and a connection of its own, so that nobody waits for it. What cannot be handed
over is let go: a whisper is about something that nobody needs after a minute, and the end of a log
is found by looking, a moment later.
"""

import queue
import threading
import time
from typing import Any

import structlog

from tertulia.storage.database.tx import Dialect

log = structlog.get_logger()

MOST_WAITING = 1000
PAUSE_SECONDS = 0.002  # between two times that something is told, so that it is told together

# A whisper, or how far the logs of some organizations go.
Notice = str | dict[int, int]


class Broadcast:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._connection: Any = None
        self._waiting: queue.SimpleQueue[Notice | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="broadcast", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def tell(self, notice: Notice) -> None:
        if self._waiting.qsize() < MOST_WAITING:
            self._waiting.put(notice)

    def _run(self) -> None:
        notice = self._waiting.get()
        while notice is not None:
            notices = [notice]
            while not self._waiting.empty() and (notice := self._waiting.get()) is not None:
                notices.append(notice)
            self._hand_over(notices)
            if notice is not None:
                time.sleep(PAUSE_SECONDS)
                notice = self._waiting.get()
        if self._connection is not None:
            self._connection.close()

    def _hand_over(self, notices: list[Notice]) -> None:
        whispers = [each for each in notices if isinstance(each, str)]
        ends: dict[int, int] = {}
        for each in notices:
            if isinstance(each, dict):
                ends |= each
        try:
            if self._connection is None:
                self._connection = self._dialect.connect_to_tell()
            if ends:
                self._dialect.tell_of(self._connection, ends)
            if whispers:
                self._dialect.spread(self._connection, whispers)
        except Exception as error:
            log.warning("notices to other servers were lost", reason=type(error).__name__)
            self._connection = None
