"""Free disk space: warns before a disk is full, and probes it after it refused a write.

Each server watches the disks of its own data folder and of its folder for files. It cannot see the
disk of a PostgreSQL server; it only sees writes that fail there.
"""

import contextlib
import shutil
from pathlib import Path
from typing import NamedTuple

from tertulia import actions, storage
from tertulia.config import Config
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.errors.http import ServiceUnavailable
from tertulia.log import log

MIN_FREE_PERCENT = 10
LOG_INTERVAL_SECONDS = 86400.0


class DiskSpace(NamedTuple):
    folder: Path
    free_bytes: int
    total_bytes: int

    def has_less_than(self, percent: float) -> bool:
        return self.free_bytes * 100 < self.total_bytes * percent


class DiskWatch:
    def __init__(self, config: Config, database: Database) -> None:
        self.min_free_percent = MIN_FREE_PERCENT
        self._folders = [config.data]
        if config.files == "folder" and config.files_folder is not None:
            self._folders.append(config.files_folder)
        self._database = database
        self._logged_at: float | None = None

    def free_bytes(self) -> float:
        """Free bytes on the fullest disk; NaN if no disk can be read."""
        return min((space.free_bytes for space in self._spaces()), default=float("nan"))

    def total_bytes(self) -> float:
        """The size of the fullest disk; NaN if no disk can be read."""
        space = self.fullest()
        return float("nan") if space is None else space.total_bytes

    def fullest(self) -> DiskSpace | None:
        """The disk with the smallest share of free space."""
        return min(
            self._spaces(), key=lambda each: each.free_bytes / (each.total_bytes or 1), default=None
        )

    async def run_once(self) -> None:
        if self._database.health.failure is not None:
            with contextlib.suppress(ServiceUnavailable):
                await self._database.of(0).write(_probe)
        full = [space for space in self._spaces() if space.has_less_than(self.min_free_percent)]
        if full:
            await self._warn(min(full, key=lambda space: space.free_bytes))
        else:
            self._logged_at = None

    async def _warn(self, space: DiskSpace) -> None:
        now = self._database.clock()
        if self._logged_at is None or now - self._logged_at >= LOG_INTERVAL_SECONDS:
            self._logged_at = now
            log.warning(
                "disk.nearly_full",
                folder=str(space.folder),
                free_bytes=space.free_bytes,
                total_bytes=space.total_bytes,
            )
        if not await self._database.of(0).write(actions.server_status.claim_disk_warning):
            return
        facts = (str(space.folder), space.free_bytes, space.total_bytes)
        for realm in await self._database.of(0).read(storage.organization.realms.list_all):
            await self._database.of(realm.id).write(actions.server_status.warn_owners, *facts)

    def _spaces(self) -> list[DiskSpace]:
        found = []
        for folder in self._folders:
            with contextlib.suppress(OSError):
                usage = shutil.disk_usage(folder)
                found.append(DiskSpace(folder, usage.free, usage.total))
        return found


def _probe(tx: Tx) -> None:
    storage.server_values.store(tx, storage.server_values.WRITE_PROBE, str(tx.now))
