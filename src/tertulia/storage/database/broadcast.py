"""The broadcast: hands notices to the other servers on a database, soon and without promise.

It has a thread and a connection of its own, so that nobody waits for it. What cannot be handed
over is let go: a notice is about something that nobody needs after a minute.
"""

import queue
import threading
from typing import Any

import structlog

from tertulia.storage.database.tx import Dialect

log = structlog.get_logger()

MOST_WAITING = 1000


class Broadcast:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._connection: Any = None
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="broadcast", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def tell(self, notice: str) -> None:
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
                notice = self._waiting.get()
        if self._connection is not None:
            self._connection.close()

    def _hand_over(self, notices: list[str]) -> None:
        try:
            if self._connection is None:
                self._connection = self._dialect.connect(to_serve=True)
            self._dialect.spread(self._connection, notices)
        except Exception as error:
            log.warning("notices to other servers were lost", reason=type(error).__name__)
            self._connection = None
