"""Counting what there is, now and then: to count a million messages takes too long for a glance."""

from tertulia import storage
from tertulia.database import Database


class Counting:
    def __init__(self, database: Database) -> None:
        self._database = database
        self.numbers: dict[str, int] = dict.fromkeys(storage.table_counts.NAMES, 0)

    async def look(self) -> None:
        self.numbers = await self._database.read_aside_in(0, storage.table_counts.count)
