"""Indexing in the background what was sent or changed a while ago.

A search reads by itself what is not indexed yet, so there is no hurry. While people are talking it
waits for a pause, or until much has come together: many messages at once cost half as much each,
and while they talk on, it leaves them most of the time. But what is long is indexed at once, or
every search would have to read it.
"""

import asyncio
from collections.abc import Iterable

from tertulia import actions, storage
from tertulia.database import Database
from tertulia.events.delivery.dispatch import Delivery
from tertulia.jobs.for_each import each

MUCH = 500
BREATH_SECONDS = 0.02  # between two batches, for those who send
LONG_BREATH_SECONDS = 0.05  # while somebody does


class Indexing:
    """Keeps the search index of every organization up to date, and knows how far it is behind."""

    def __init__(self, database: Database, delivery: Delivery) -> None:
        self._database = database
        self._stirred = delivery.follower.activity.reader()
        self._talking = delivery.follower.activity.reader()
        self._waiting: dict[int, int] = {}  # how many of which organization, as we last looked
        self._has_begun = False

    @property
    def behind(self) -> int:
        return sum(self._waiting.values())

    async def look(self) -> None:
        """Index what has come together, unless it is little and more is coming."""
        stirred = self._stirred.taken()
        if stirred is None:
            stirred = await self._database.query(0, storage.search.index.realms_behind)
        before, self._waiting = self._waiting, await self._count({*stirred, *self._waiting})
        ready = [
            realm_id
            for realm_id, count in self._waiting.items()
            if count >= MUCH or count == before.get(realm_id) or await self._is_long(realm_id)
        ]
        await each(ready, self._index_all)
        if not self._has_begun:  # what an older server has indexed has no joints
            self._has_begun = True
            pending_joints = await self._database.query(
                0, storage.search.phrase_filter.realms_without
            )
            await each(pending_joints, self._join_all)

    async def catch_up(self) -> None:
        """Index all there is."""
        behind = await self._database.query(0, storage.search.index.realms_behind)
        self._waiting = await self._count(behind)
        await each(list(self._waiting), self._index_all)

    async def _count(self, realms: Iterable[int]) -> dict[int, int]:
        counted = {
            realm_id: await self._database.read_in(
                realm_id, actions.messages.search_index.count_behind
            )
            for realm_id in realms
        }
        return {realm_id: count for realm_id, count in counted.items() if count}

    async def _is_long(self, realm_id: int) -> bool:
        return await self._database.read_in(realm_id, storage.search.index.is_something_long)

    async def _index_all(self, realm_id: int) -> None:
        indexing, done = actions.messages.search_index, actions.messages.search_index.AT_ONCE
        while done == indexing.AT_ONCE or self._waiting.get(realm_id):
            batch = await self._database.read_aside_in(realm_id, indexing.prepare)
            if batch.is_empty:
                break
            done = await self._database.write_in(realm_id, indexing.write_batch, batch)
            self._waiting[realm_id] = max(0, self._waiting.get(realm_id, 0) - done)
            await self._pause(realm_id)
        self._waiting.pop(realm_id, None)
        await self._join_all(realm_id)

    async def _join_all(self, realm_id: int) -> None:
        write, joints = self._database.write_in, storage.search.phrase_filter
        pending_joints = actions.messages.search_index.pending_joints
        while (some := await self._database.read_aside_in(realm_id, pending_joints)).joints:
            for part in range(joints.PARTS):
                await write(realm_id, joints.join_part, some, part)
                await self._pause(realm_id)
            await write(realm_id, joints.finish_joining, some)
            await self._pause(realm_id)

    async def _pause(self, realm_id: int) -> None:
        talking = self._talking.taken()
        is_quiet = talking is not None and realm_id not in talking
        await asyncio.sleep(BREATH_SECONDS if is_quiet else LONG_BREATH_SECONDS)
