"""The appender of SQLite: plain sends, gathered and written by the loop, committed by the writer.

A thread that writes while the loop is busy waits for Python's lock after every statement, and the
loop waits for it in turn. So the loop writes the rows by itself, where nobody else is writing, and
the writer's thread is left with what takes long and needs no Python: the commit. What comes
meanwhile is gathered for the next one.

Where the writer is at work on actions, plain sends go to it with them.
"""

from tertulia.errors.http import ServiceUnavailable
from tertulia.modules import asyncio
from tertulia.storage.database.writer import MOST_AT_ONCE, MOST_WAITING, PendingWrite, Writer


class LocalAppender:
    busy_seconds = 0.0  # the commits are the writer's

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._waiting: list[PendingWrite] = []
        self._starting: asyncio.Handle | None = None

    def submit(self, job: PendingWrite) -> None:
        """It is begun after this round of the loop, so that those who come in it go together."""
        if len(self._waiting) > MOST_WAITING:
            raise ServiceUnavailable()
        self._waiting.append(job)
        if self._starting is None and not self._writer.is_only_committing:
            self._starting = self._loop.call_soon(self.go_on)

    async def stop(self) -> None:
        """Leave what is waiting to the writer, which finishes it."""
        self._leave_to_writer()

    def go_on(self) -> None:
        """To be called when the writer has committed something, too."""
        self._starting = None
        if self._writer.is_idle and self._waiting:
            jobs = self._waiting[:MOST_AT_ONCE]
            if self._writer.append_elsewhere(jobs):
                del self._waiting[: len(jobs)]
        if not self._writer.is_only_committing:
            self._leave_to_writer()

    def _leave_to_writer(self) -> None:
        jobs, self._waiting = self._waiting, []
        for job in jobs:
            try:
                self._writer.submit(job)
            except ServiceUnavailable as error:
                job.error = error
                job.done(job)
