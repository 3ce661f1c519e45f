"""Jobs with long intervals. The time of the last run is stored, so that a server that is restarted
often does not begin the interval again and again."""

from tertulia import storage
from tertulia.database import Database
from tertulia.jobs.runner import Job


class LongInterval:
    def __init__(self, database: Database, job: Job) -> None:
        self._database = database
        self._name = f"{storage.server_values.LAST_RUN}{job.name}"
        self._every_seconds = job.every_seconds
        self._work = job.work
        self._due_at = 0.0  # as far as this server knows

    async def __call__(self) -> None:
        """Run the job if it is due. One that failed is tried again after the interval."""
        now = self._database.clock()
        if now < self._due_at:
            return
        last = await self._database.of(0).query(storage.server_values.find, self._name)
        if last is None:
            await self._record(now)  # the first interval begins
            return
        # A clock that was set back must not postpone the job.
        self._due_at = min(float(last), now) + self._every_seconds
        if now >= self._due_at:
            self._due_at = now + self._every_seconds
            await self._work()
            await self._record(now)

    async def _record(self, now: float) -> None:
        await self._database.of(0).write(storage.server_values.store, self._name, str(now))
        self._due_at = now + self._every_seconds
