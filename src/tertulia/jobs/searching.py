"""Indexing in the background what was sent or changed a moment ago."""

import asyncio

from tertulia.actions import searching
from tertulia.events.delivery import Delivery
from tertulia.storage import search
from tertulia.storage.database import Database

BREATH_SECONDS = 0.02  # between two batches, for those who send


class Indexing:
    """Keeps the search index of every organization up to date, and knows how far it is behind."""

    def __init__(self, database: Database, delivery: Delivery) -> None:
        self._database = database
        self._delivery = delivery
        self.behind = 0  # messages that were waiting when we last looked

    async def catch_up(self) -> None:
        """Index all that is to be indexed; each organization gets its turn."""
        waiting = await self._database.read_in(0, search.realms_behind)
        waiting = [each for each in waiting if each in self._delivery.organizations]
        counts = [await self._database.read_in(each, searching.count_behind) for each in waiting]
        self.behind = sum(counts)
        while waiting:
            waiting = [each for each in waiting if await self._index_some(each)]

    async def _index_some(self, realm_id: int) -> bool:
        """Index a batch; says whether there may be more."""
        done = await self._database.write_in(realm_id, searching.index_some)
        self.behind = max(0, self.behind - done)
        if done < searching.AT_ONCE:
            return False
        await asyncio.sleep(BREATH_SECONDS)
        return True
