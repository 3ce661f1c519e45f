"""Prepares the parts of the `/register` answer that users share, before a client asks for them."""

import asyncio
import time
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from tertulia import domain, events, storage
from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.events.delivery.dispatch import Delivery
from tertulia.events.directory.organization import Organization
from tertulia.storage.messages.unread import UnreadMessage


def prepare(org: Organization) -> Iterator[None]:
    """Yields after each step. The organization may change between two steps."""
    for user_id in list(org.users):
        user = org.users[user_id]
        events.snapshot.people.prepare_user(org, user)
        yield
    for channel_id in list(org.channels):
        events.types.channels.channel.opened_channel(org, org.channels[channel_id])
        events.types.channels.channel.encoded_subscribers(org, channel_id)
        yield


MESSAGES = 50_000
MESSAGES_PER_RUN = 250
MAX_RUN_SECONDS = 0.001  # then other requests get a turn


class CacheWarmup:
    """Remembers up to which event each organization is prepared."""

    def __init__(self, database: Database, delivery: Delivery) -> None:
        self._database = database
        self._delivery = delivery
        self._prepared: WeakKeyDictionary[Organization, tuple[object, int]] = WeakKeyDictionary()

    async def run_once(self) -> None:
        for org in self._delivery.organizations.values():
            load, begun_at = self._prepared.get(org, (None, 0))
            if (load, begun_at) == (org.load, org.applied):
                continue
            begun_at = org.applied
            if load is not org.load:
                await self._load_message_locations(org.realm.id)
            pause_at = time.perf_counter() + MAX_RUN_SECONDS
            for _ in prepare(org):
                if time.perf_counter() >= pause_at:
                    await asyncio.sleep(0)
                    pause_at = time.perf_counter() + MAX_RUN_SECONDS
            self._prepared[org] = org.load, begun_at

    async def _load_message_locations(self, realm_id: int) -> None:
        """Cache the locations of the newest messages, which most users have not read."""
        db, locations = self._database.of(realm_id), self._delivery.follower.caches.locations
        before = domain.limits.MAX_ID
        for _ in range(MESSAGES // MESSAGES_PER_RUN):
            seq, found = await db.read(_messages_before, before)
            locations.add_many(realm_id, seq, events.snapshot.unread_loader.locations_of(found))
            if len(found) < MESSAGES_PER_RUN:
                return
            before = found[-1].id
            await asyncio.sleep(0)


def _messages_before(tx: Tx, message_id: int) -> tuple[int, list[UnreadMessage]]:
    found = storage.messages.unread.newest_before(tx, message_id, MESSAGES_PER_RUN)
    return storage.log.head(tx), found
