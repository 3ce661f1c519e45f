"""Indexing in the background what was sent or changed a while ago.

A search reads by itself what is not indexed yet, so there is no hurry. While people are talking it
waits for a pause, or until much has come together: many messages at once cost half as much each.
"""

import asyncio

from tertulia import actions, storage
from tertulia.events.delivery import Delivery
from tertulia.jobs.each import each
from tertulia.storage.database import Database

MUCH = 500
BREATH_SECONDS = 0.02  # between two batches, for those who send


class Indexing:
    """Keeps the search index of every organization up to date, and knows how far it is behind."""

    def __init__(self, database: Database, delivery: Delivery) -> None:
        self._database = database
        self._delivery = delivery
        self._waiting: dict[int, int] = {}  # how many of which organization, as we last looked

    @property
    def behind(self) -> int:
        return sum(self._waiting.values())

    async def look(self) -> None:
        """Index what has come together, unless it is little and more is coming."""
        before, self._waiting = self._waiting, await self._count()
        ready = [
            realm_id
            for realm_id, count in self._waiting.items()
            if count >= MUCH or count == before.get(realm_id)
        ]
        await each(ready, self._index_all)

    async def catch_up(self) -> None:
        """Index all there is."""
        self._waiting = await self._count()
        await each(self._waiting, self._index_all)

    async def _count(self) -> dict[int, int]:
        behind = await self._database.read_in(0, storage.search.index.realms_behind)
        return {
            realm_id: await self._database.read_in(realm_id, actions.messages.indexing.count_behind)
            for realm_id in behind
            if realm_id in self._delivery.organizations
        }

    async def _index_all(self, realm_id: int) -> None:
        done = actions.messages.indexing.AT_ONCE
        while done == actions.messages.indexing.AT_ONCE:
            done = await self._database.write_in(realm_id, actions.messages.indexing.index_some)
            self._waiting[realm_id] = max(0, self._waiting.get(realm_id, 0) - done)
            await asyncio.sleep(BREATH_SECONDS)
        self._waiting.pop(realm_id, None)
