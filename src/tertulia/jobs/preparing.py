"""Making ready what a register tells, while nobody waits for it."""

import asyncio
import time

from tertulia import events
from tertulia.events.delivery import Delivery

AT_ONCE_SECONDS = 0.001  # then whoever came meanwhile is served first


class Preparation:
    """Remembers up to which event each organization is prepared."""

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery
        self._prepared: dict[int, int] = {}

    async def go_on(self) -> None:
        for realm_id, org in list(self._delivery.organizations.items()):
            begun_at = org.applied
            if self._prepared.get(realm_id) == begun_at:
                continue
            pause_at = time.perf_counter() + AT_ONCE_SECONDS
            for _ in events.snapshot.preparing.prepare(org):
                if time.perf_counter() >= pause_at:
                    await asyncio.sleep(0)
                    pause_at = time.perf_counter() + AT_ONCE_SECONDS
            self._prepared[realm_id] = begun_at
