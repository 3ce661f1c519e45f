"""Row counts for `/metrics`, refreshed now and then: counting a million messages takes too long for
a request."""

from tertulia import storage
from tertulia.database import Database


class TableCounter:
    def __init__(self, database: Database) -> None:
        self._database = database
        self.numbers: dict[str, int] = dict.fromkeys(storage.table_counts.NAMES, 0)

    async def run_once(self) -> None:
        self.numbers = await self._database.of(0).in_thread.read(storage.table_counts.count)
