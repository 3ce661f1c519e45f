"""The appender of SQLite: plain sends, gathered and written by the loop, committed by the writer.

A thread that writes while the loop is busy waits for Python's lock after every statement, and the
loop waits for it in turn. So the loop writes the rows by itself, where nobody else is writing, and
the writer's thread is left with what takes long and needs no Python: the commit. What comes
meanwhile is gathered for the next one, with what comes while those who were waiting are answered:
every commit costs the loop as much as two sends, so a few large ones are better than many small.

Nobody waits longer for that: where actions wait for the writer, plain sends go with them.
"""

import time

from tertulia.errors.http import ServiceUnavailable
from tertulia.modules import asyncio
from tertulia.storage.database.writer import MOST_WAITING, PendingWrite, Writer

MOST_HERE = 64  # at once: everybody waits for the loop
LIGHT = 4096  # signs of HTML; what is heavier is left to the writer
QUIET_ROUNDS = 3  # of the loop without a plain send: whoever was answered has had time to go on
LONGEST_SECONDS = 0.005  # to wait for that


class LocalAppender:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._waiting: list[PendingWrite] = []
        self._last = 0  # how many were begun together
        self._starting: asyncio.Handle | None = None
        self._is_calm = True  # the last one came alone

    def submit(self, job: PendingWrite) -> None:
        if job.plain is None or len(job.plain.row["rendered"]) > LIGHT:
            self._leave_to_writer()
            self._writer.submit(job)
        elif self._writer.has_actions_waiting:
            self._writer.submit(job)
        elif len(self._waiting) > MOST_WAITING:
            raise ServiceUnavailable()
        else:
            self._waiting.append(job)
            self.go_on()

    def stop(self) -> None:
        """Leave what is waiting to the writer, which finishes it."""
        self._leave_to_writer()

    def go_on(self) -> None:
        """Begin what is waiting, if the writer is idle; to be called when it has answered, too.

        Plain sends of one round of the loop go together, and where they did not come alone, those
        of some more.
        """
        if self._waiting and self._starting is None and self._writer.is_idle:
            rounds = 1 if self._is_calm and len(self._waiting) == 1 else QUIET_ROUNDS
            self._gather(len(self._waiting), rounds, time.monotonic() + LONGEST_SECONDS)

    def _gather(self, count: int, rounds: int, end: float) -> None:
        """Begin after so many rounds of the loop in which no more came."""
        if len(self._waiting) > count:
            count, rounds = len(self._waiting), QUIET_ROUNDS
        if rounds == 0 or count >= MOST_HERE or time.monotonic() > end:
            self._begin()
        else:
            self._starting = self._loop.call_soon(self._gather, count, rounds - 1, end)

    def _begin(self) -> None:
        self._starting = None
        if self._waiting and self._writer.is_idle:
            jobs = self._waiting[:MOST_HERE]
            self._is_calm = len(jobs) == 1
            if self._writer.append_elsewhere(jobs):
                del self._waiting[: len(jobs)]
            else:
                self._leave_to_writer()

    def _leave_to_writer(self) -> None:
        jobs, self._waiting = self._waiting, []
        for job in jobs:
            try:
                self._writer.submit(job)
            except ServiceUnavailable as error:
                job.error = error
                job.done(job)
