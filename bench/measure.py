"""Measurements, each as one function of a running server."""

import asyncio
import json
import time

from bench.fixture import BenchOrganization, Queue
from bench.http_client import HttpConnection, Login
from bench.process import Process


async def presence_minute(process: Process, crowd: list[Login]) -> float:
    """CPU time of a minute in which each user pings once and gets the presence of all others."""
    connection = await HttpConnection.to(process.port)
    cpu = process.cpu_seconds()
    for login in crowd:
        answer = await connection.fetch(
            login.post("/users/me/presence", status="active", last_update_id=-1)
        )
        assert answer.count(b"idle_timestamp") == len(crowd), "the presence of a user is missing"
    await asyncio.sleep(3)  # until the last of it is stored
    connection.close()
    return process.cpu_seconds() - cpu


async def parked_polls(process: Process, organization: BenchOrganization) -> tuple[float, float]:
    """Memory of each parked poll with its connection, and how long all of them take to end.

    It stops the server, which answers all parked polls first.
    """
    before, _ = process.memory()
    clients = [await QueueClient.open(process, queue) for queue in organization.queues]
    polls = [client.poll() for client in clients]
    await asyncio.sleep(1 + len(clients) / 1000)
    assert not any(poll.done() for poll in polls), "a poll did not wait"
    after, _ = process.memory()
    seconds = await asyncio.to_thread(process.stop)
    await asyncio.gather(*polls, return_exceptions=True)
    for client in clients:
        client.connect.close()
    return (after - before) / len(clients), seconds


class QueueClient:
    """One queue and its connection."""

    def __init__(self, connection: HttpConnection, queue: Queue) -> None:
        self.connect = connection
        self.received_at = 0.0
        self._queue = queue
        self._last_event_id = -1

    @classmethod
    async def open(cls, process: Process, queue: Queue) -> "QueueClient":
        return cls(await HttpConnection.to(process.port), queue)

    def poll(self) -> "asyncio.Task[None]":
        return asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        where = {"queue_id": self._queue.id, "last_event_id": self._last_event_id}
        answer = await self.connect.fetch(self._queue.owner.get("/events", **where))
        self.received_at = time.perf_counter()
        events = json.loads(answer)["events"]
        if events:
            self._last_event_id = events[-1]["id"]
