"""The search indexer: adds messages to the search index some time after they were sent or edited.

A search scans what is not indexed yet, so there is no hurry. While users are sending, the indexer
waits for a pause or for a large batch: in large batches a message costs half as much. Between
batches it pauses, so that senders get most of the time. Long messages are indexed at once, because
every search would have to scan them.
"""

import asyncio
from collections.abc import Iterable

from tertulia import actions, storage
from tertulia.database import Database
from tertulia.events.delivery.dispatch import Delivery
from tertulia.jobs.runner import for_each

MIN_MESSAGES = 500
PAUSE_SECONDS = 0.02  # between two batches
LONG_PAUSE_SECONDS = 0.05  # the same while users are sending


class SearchIndexer:
    """Keeps the search index of every organization up to date, and knows how many messages it is
    behind."""

    def __init__(self, database: Database, delivery: Delivery) -> None:
        self._database = database
        self._dirty_logs = delivery.follower.activity.reader()
        self._recently_active = delivery.follower.activity.reader()
        self._waiting: dict[int, int] = {}  # unindexed messages by organization, as of the last run
        self._has_begun = False

    @property
    def behind(self) -> int:
        return sum(self._waiting.values())

    async def run_once(self) -> None:
        """Index new messages, unless they are few and more are arriving."""
        dirty = self._dirty_logs.take_all()
        if dirty is None:
            dirty = await self._database.of(0).query(storage.search.index.realms_behind)
        before, self._waiting = self._waiting, await self._count({*dirty, *self._waiting})
        ready = [
            realm_id
            for realm_id, count in self._waiting.items()
            if count >= MIN_MESSAGES
            or count == before.get(realm_id)
            or await self._is_long(realm_id)
        ]
        await for_each(ready, self._index_all)
        await for_each(dirty, self._follow_language)
        if not self._has_begun:  # an older version has indexed without joints
            self._has_begun = True
            pending_joints = await self._database.of(0).query(
                storage.search.phrase_filter.realms_without
            )
            await for_each(pending_joints, self._join_all)
            await self._follow_languages()

    async def catch_up(self) -> None:
        """Index everything."""
        behind = await self._database.of(0).query(storage.search.index.realms_behind)
        self._waiting = await self._count(behind)
        await for_each(list(self._waiting), self._index_all)
        await self._follow_languages()

    async def _count(self, realms: Iterable[int]) -> dict[int, int]:
        counted = {
            realm_id: await self._database.of(realm_id).read(
                actions.messages.search_index.count_behind
            )
            for realm_id in realms
        }
        return {realm_id: count for realm_id, count in counted.items() if count}

    async def _is_long(self, realm_id: int) -> bool:
        return await self._database.of(realm_id).read(storage.search.index.is_something_long)

    async def _index_all(self, realm_id: int) -> None:
        batches, done = storage.search.batch, storage.search.batch.MAX_MESSAGES
        while done == batches.MAX_MESSAGES or self._waiting.get(realm_id):
            batch = await self._database.of(realm_id).in_thread.read(batches.prepare)
            if batch.is_empty:
                break
            done = await self._database.of(realm_id).write(batches.write, batch)
            self._waiting[realm_id] = max(0, self._waiting.get(realm_id, 0) - done)
            await self._pause(realm_id)
        self._waiting.pop(realm_id, None)
        await self._join_all(realm_id)

    async def _join_all(self, realm_id: int) -> None:
        db, joints = self._database.of(realm_id), storage.search.phrase_filter
        while (some := await db.in_thread.read(joints.pending_joints)).joints:
            for part in range(joints.PARTS):
                await db.write(joints.join_part, some, part)
                await self._pause(realm_id)
            await db.write(joints.finish_joining, some)
            await self._pause(realm_id)

    async def _follow_languages(self) -> None:
        outdated = actions.messages.search_index.realms_with_outdated_language
        await for_each(await self._database.of(0).query(outdated), self._follow_language)

    async def _follow_language(self, realm_id: int) -> None:
        """Change the stems in the index if the organization has another language now."""
        indexing, languages = actions.messages.search_index, storage.search.languages
        if not await self._database.of(realm_id).read(indexing.is_language_outdated):
            return
        await self._database.of(realm_id).write(indexing.start_language_change)
        while await self._database.of(realm_id).write(languages.restem_some):
            await self._pause(realm_id)
        while await self._database.of(realm_id).write(languages.mark_some_signed):
            await self._index_all(realm_id)
        await self._database.of(realm_id).write(languages.finish_change)

    async def _pause(self, realm_id: int) -> None:
        active = self._recently_active.take_all()
        is_quiet = active is not None and realm_id not in active
        await asyncio.sleep(PAUSE_SECONDS if is_quiet else LONG_PAUSE_SECONDS)
