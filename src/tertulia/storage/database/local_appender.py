"""The appender of SQLite: plain sends, gathered and written by the loop, committed by the writer.

A thread that writes while the loop is busy waits for Python's lock after every statement, and the
loop waits for it in turn. So the loop writes the rows by itself, where nobody else is writing, and
the writer's thread is left with what takes long and needs no Python: the commit. What comes
meanwhile is gathered for the next one.

Nobody waits longer for that: where actions wait for the writer, plain sends go with them.
"""

from tertulia.errors.http import ServiceUnavailable
from tertulia.modules import asyncio
from tertulia.storage.database.writer import MOST_WAITING, PendingWrite, Writer

MOST_HERE = 64  # at once: everybody waits for the loop
LIGHT = 4096  # signs of HTML; what is heavier is left to the writer


class LocalAppender:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._waiting: list[PendingWrite] = []
        self._starting: asyncio.Handle | None = None

    def submit(self, job: PendingWrite) -> None:
        """Plain sends are begun after this round of the loop, so that those of it go together."""
        if job.plain is None or len(job.plain.row["rendered"]) > LIGHT:
            self._leave_to_writer()
            self._writer.submit(job)
        elif self._writer.has_actions_waiting:
            self._writer.submit(job)
        elif len(self._waiting) > MOST_WAITING:
            raise ServiceUnavailable()
        else:
            self._waiting.append(job)
            if self._starting is None and self._writer.is_idle:
                self._starting = self._loop.call_soon(self.go_on)

    def stop(self) -> None:
        """Leave what is waiting to the writer, which finishes it."""
        self._leave_to_writer()

    def go_on(self) -> None:
        """To be called whenever the writer has committed something, too."""
        self._starting = None
        if self._waiting and self._writer.is_idle:
            jobs = self._waiting[:MOST_HERE]
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
