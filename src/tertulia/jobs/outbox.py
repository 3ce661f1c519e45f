"""Sends what is in the outbox: each item at least once, people in turn.

Due items are claimed from the database person by person. Items of one lane are sent one after the
other: the calls of a bot, the notifications of a user, all mails. What one person's receivers make
slow, delays only that person. How an item is sent is the business of the sender of its transport;
when it is tried again is said in `domain/outbox.py`.
"""

import asyncio
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Protocol

from tertulia import storage
from tertulia.database import Database
from tertulia.domain.outbox import OutboxItem, Transport
from tertulia.errors.http import ServiceUnavailable
from tertulia.jobs import runner
from tertulia.jobs.runner import Job, due_job


class Sender(Protocol):
    transport: Transport
    job_name: str
    every_seconds: float
    max_claimed: int  # items taken from the database that are sent or wait for a slot
    max_claimed_per_person: int

    def lane_of(self, item: OutboxItem) -> int | None:
        """Items of one lane are sent by one task. None if all items are in one."""

    async def send(self, items: Sequence[OutboxItem]) -> bool:
        """Send due items of a lane, and record their outcome. Returns whether more of the lane may
        be sent at once."""

    def log_failure(self, item: OutboxItem, error: Exception) -> None:
        """Log an error that is a bug here."""


class Outbox:
    """`sent`, `given_up` and `waiting` are counts by transport."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.senders: dict[Transport, Sender] = {}
        self.jobs: list[Job] = []
        self._busy: dict[Transport, dict[int | None, asyncio.Task[None]]] = {}
        self._claimed: Counter[Hashable] = Counter()  # by transport, person and slowness
        self.sent: Counter[Transport] = Counter()
        self.given_up: Counter[Transport] = Counter()
        self.waiting: Counter[Transport] = Counter()

    def add(self, sender: Sender, *further_jobs: Job) -> None:
        self.senders[sender.transport] = sender
        due, work = (
            storage.due_jobs.outbox(sender.transport),
            partial(self.run_once, sender.transport),
        )
        self.jobs += [due_job(sender.job_name, sender.every_seconds, work, due), *further_jobs]
        self._busy[sender.transport] = {}

    async def run_once(self, transport: Transport) -> None:
        """Start sending what is due, as far as there is room. Does not wait for the result."""
        sender, busy = self.senders[transport], self._busy[transport]
        if len(busy) >= sender.max_claimed:
            return
        for lane, items in (await self._due(sender, len(busy))).items():
            person = (transport, items[0].person, items[0].is_slow)
            is_free = lane not in busy and len(busy) < sender.max_claimed
            if is_free and self._claimed[person] < sender.max_claimed_per_person:
                self._claimed[person] += 1
                busy[lane] = asyncio.create_task(self._serve(sender, lane, items))

    async def finish(self, transport: Transport) -> None:
        """Send what is due, and wait for the results."""
        await self.run_once(transport)
        await asyncio.gather(*self._busy[transport].values())

    def lanes(self, transport: Transport) -> list[int | None]:
        """The lanes that are being sent."""
        return list(self._busy[transport])

    async def stop(self) -> None:
        """Cancel what is being sent; it stays in the database and is sent later."""
        await runner.cancel_all(task for busy in self._busy.values() for task in busy.values())

    async def _due(
        self, sender: Sender, busy: int, lane: int | None = None
    ) -> dict[int | None, list[OutboxItem]]:
        found = await self._database.of(0).read(
            storage.outbox.due,
            sender.transport,
            sender.max_claimed + busy,
            # All that may run, of both kinds of bots, and as many again.
            4 * sender.max_claimed_per_person,
            lane,
        )
        lanes: dict[int | None, list[OutboxItem]] = {}
        for item in found:
            lanes.setdefault(sender.lane_of(item), []).append(item)
        return lanes

    async def _serve(self, sender: Sender, lane: int | None, items: list[OutboxItem]) -> None:
        person = (sender.transport, items[0].person, items[0].is_slow)
        try:
            while items and await sender.send(items):
                items = (await self._due(sender, 0, lane)).get(lane, [])
            if len(self._busy[sender.transport]) == 1:
                self.waiting[sender.transport] = await self._database.of(0).read(
                    storage.outbox.count, sender.transport
                )
        except ServiceUnavailable:
            pass  # the items stay and are claimed again when the database is back
        except Exception as error:
            sender.log_failure(items[0], error)
        finally:
            self._busy[sender.transport].pop(lane, None)
            self._claimed[person] -= 1
            if not self._claimed[person]:
                del self._claimed[person]
