"""Fast inserts on SQLite: the event loop writes the rows, the writer's thread commits them.

A thread that writes while the loop is busy waits for the interpreter lock after every statement,
and the loop waits for the thread. So the loop writes the rows itself while the writer is idle. The
thread only commits, which takes long and needs no interpreter. Sends that arrive meanwhile form the
next batch.

Large messages are left to the writer. If actions are queued there, sends join their batch.
"""

from tertulia.database.fast_send import BatchWindow
from tertulia.database.write_queue import MAX_QUEUED, PendingWrite
from tertulia.database.writer import Writer
from tertulia.errors.http import ServiceUnavailable

MAX_BATCH_ON_LOOP = 64  # rows that the loop writes at once


class LoopInsertBatcher:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._waiting: list[PendingWrite] = []
        self._window = BatchWindow(lambda: len(self._waiting), MAX_BATCH_ON_LOOP, self._begin)

    def submit(self, job: PendingWrite) -> None:
        if job.fast_send is None or not job.fast_send.is_small:
            self._leave_to_writer()
            self._writer.submit(job)
        elif self._writer.has_actions_waiting:
            self._writer.submit(job)
        elif len(self._waiting) > MAX_QUEUED:
            raise ServiceUnavailable()
        else:
            self._waiting.append(job)
            self.start_next()

    def stop(self) -> None:
        """Leave the queued sends to the writer, which finishes them."""
        self._leave_to_writer()

    def start_next(self) -> None:
        """Start the next batch soon, if the writer is idle. Also called after the writer's callers
        were answered."""
        if self._waiting and self._writer.is_idle:
            self._window.schedule()

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
