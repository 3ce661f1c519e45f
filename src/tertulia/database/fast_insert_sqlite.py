"""The appender of SQLite: plain sends, gathered and written by the loop, committed by the writer.

A thread that writes while the loop is busy waits for Python's lock after every statement, and the
loop waits for it in turn. So the loop writes the rows by itself, where nobody else is writing, and
the writer's thread is left with what takes long and needs no Python: the commit. What comes
meanwhile is gathered for the next one.

What is heavy is left to the writer. Nobody waits longer for that: where actions wait for the
writer, plain sends go with them.
"""

from tertulia.database.batch_window import BatchWindow
from tertulia.database.writer import MAX_QUEUED, PendingWrite, Writer
from tertulia.errors.http import ServiceUnavailable

MAX_BATCH_ON_LOOP = 64  # at once: everybody waits for the loop


class LoopInsertBatcher:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._waiting: list[PendingWrite] = []
        self._pause = BatchWindow(lambda: len(self._waiting), MAX_BATCH_ON_LOOP, self._begin)

    def submit(self, job: PendingWrite) -> None:
        if job.plain is None or not job.plain.is_light:
            self._leave_to_writer()
            self._writer.submit(job)
        elif self._writer.has_actions_waiting:
            self._writer.submit(job)
        elif len(self._waiting) > MAX_QUEUED:
            raise ServiceUnavailable()
        else:
            self._waiting.append(job)
            self.go_on()

    def stop(self) -> None:
        """Leave what is waiting to the writer, which finishes it."""
        self._leave_to_writer()

    def go_on(self) -> None:
        """Begin with what is waiting, soon, if the writer is idle; to be called when those whose
        writes it has committed were answered, too."""
        if self._waiting and self._writer.is_idle:
            self._pause.schedule()

    def _begin(self) -> None:
        if self._waiting and self._writer.is_idle:
            jobs = self._waiting[:MAX_BATCH_ON_LOOP]
            if self._writer.insert_from_loop(jobs):
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
