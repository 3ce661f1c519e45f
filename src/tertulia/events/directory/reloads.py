"""Reloads: organizations whose directory must be read from the database again."""

import asyncio
from collections.abc import Awaitable, Callable

from tertulia import log, storage
from tertulia.database import Database
from tertulia.errors.http import ServiceUnavailable
from tertulia.events.directory.registry import Organizations

RETRY_SECONDS = 1


class Reloads:
    """The organizations that are out of step with the log, and the task that repairs them.

    The task repeats `catch_up`, which loads every organization in `pending`, until none is left.
    A log that lacks events this server has applied gets a new epoch first, so that clients register
    again.
    """

    def __init__(
        self,
        database: Database,
        organizations: Organizations,
        catch_up: Callable[[], Awaitable[None]],
    ) -> None:
        self.pending: set[int] = set()
        self._rewound: set[int] = set()  # organizations whose log still needs a new epoch
        self._database = database
        self._organizations = organizations
        self._catch_up = catch_up
        self._task: asyncio.Task[None] | None = None

    def schedule(self, realm_id: int) -> None:
        self.pending.add(realm_id)
        self._start()

    def schedule_new_epoch(self, realm_id: int) -> None:
        if realm_id not in self._rewound:
            log.log.error("events.log_truncated", realm_id=realm_id)
            self._rewound.add(realm_id)
            self._start()

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        while self.pending or self._rewound:
            self.pending &= {*self._organizations.positions()}
            try:
                for realm_id in list(self._rewound):
                    org = self._organizations.get(realm_id)
                    if org is not None:
                        await self._database.of(realm_id).write(
                            storage.log.replace_epoch, org.position.epoch
                        )
                    self._rewound.discard(realm_id)
                await self._catch_up()
            except ServiceUnavailable:
                await asyncio.sleep(RETRY_SECONDS)
