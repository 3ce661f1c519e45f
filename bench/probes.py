"""Measurements through the API alone, so that they run against any server that speaks it.

Everything happens in its own channel, as one user; if the server process is ours, its CPU time is
counted, too.
"""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bench.http_client import HttpConnection, Login

CHANNEL = "speed-of-this-server"
WORDS = (
    "twenty plain words that nobody has to read twice because they only stand here to be sent"
    " and counted again"
)
WARM_UP = 30
SAMPLE_SECONDS = 1.5  # background work of a server may start this late
MAX_POLLS = 40


def no_cpu() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Target:
    """A server, and an account there."""

    host: str
    port: int
    login: Login
    tls: bool = False
    cpu_seconds: Callable[[], float] = no_cpu  # CPU time of the server so far, if known

    @classmethod
    def at(cls, url: str, email: str, key: str) -> "Target":
        parsed = urlsplit(url)
        tls = parsed.scheme == "https"
        login = Login(email, key, parsed.netloc)
        return cls(parsed.hostname or "localhost", parsed.port or (443 if tls else 80), login, tls)

    async def connect(self) -> HttpConnection:
        return await HttpConnection.to(self.port, self.host, tls=self.tls)

    async def fetch(self, request: bytes) -> Any:
        connection = await self.connect()
        answer = json.loads(await connection.fetch(request))
        connection.close()
        return answer


@dataclass(frozen=True, slots=True)
class Measured:
    """Rate, latencies and cost for the server."""

    per_second: float
    seconds: list[float]  # sorted
    cpu_seconds: float

    def within(self, share: float) -> float:
        """The latency within which this percentage is done."""
        return self.seconds[min(int(len(self.seconds) * share / 100), len(self.seconds) - 1)]


async def subscribe(target: Target) -> None:
    wanted = [{"name": CHANNEL}]
    await target.fetch(target.login.post("/users/me/subscriptions", subscriptions=wanted))


async def wait_until_idle(target: Target) -> float:
    """Wait until the server has finished background work such as indexing; returns the CPU time
    of that."""
    begun = now = target.cpu_seconds()
    for _ in range(MAX_POLLS):
        before = now
        await asyncio.sleep(SAMPLE_SECONDS)
        now = target.cpu_seconds()
        if now - before < SAMPLE_SECONDS / 20:
            break
    return now - begun


async def repeated(
    target: Target, request: Callable[[int], bytes], connections: int, seconds: float
) -> Measured:
    """Send requests as fast as the server answers, on several connections."""
    opened = [await target.connect() for _ in range(connections)]
    for number in range(WARM_UP):
        await opened[number % connections].fetch(request(-number))
    latencies: list[float] = []
    numbers = iter(range(10**9))
    end = time.perf_counter() + seconds

    async def send_requests(connection: HttpConnection) -> None:
        while (begun := time.perf_counter()) < end:
            await connection.fetch(request(next(numbers)))
            latencies.append(time.perf_counter() - begun)

    cpu, begun = target.cpu_seconds(), time.perf_counter()
    await asyncio.gather(*(send_requests(connection) for connection in opened))
    elapsed, cpu = time.perf_counter() - begun, target.cpu_seconds() - cpu
    for connection in opened:
        connection.close()
    return Measured(len(latencies) / elapsed, sorted(latencies), cpu / len(latencies))


async def sends(
    target: Target, senders: int, seconds: float, to: str = CHANNEL, words: str = WORDS
) -> Measured:
    def request(number: int) -> bytes:
        content = f"{words} {number}"
        return target.login.post("/messages", type="channel", to=to, topic="speed", content=content)

    return await repeated(target, request, senders, seconds)


async def history(
    target: Target, clients: int, seconds: float, narrow: list[dict[str, Any]] | None = None
) -> Measured:
    """A hundred messages: of the channel, or of everything."""
    request = target.login.get(
        "/messages", anchor="newest", num_before=100, num_after=0, narrow=narrow or []
    )
    return await repeated(target, lambda _: request, clients, seconds)


async def registers(target: Target, seconds: float) -> Measured:
    request = target.login.post("/register")
    return await repeated(target, lambda _: request, 1, seconds)


async def deliveries(
    target: Target, listeners: int, rounds: int, others: Sequence[Target] = ()
) -> Measured:
    """From a send until each listener has it; the cost is that of one listener's cycle: event,
    answer, next poll. The listeners may be other users."""
    whose = others or [target]
    clients = [await QueueClient.open(whose[number % len(whose)]) for number in range(listeners)]
    sender = await target.connect()
    latencies: list[float] = []
    lasts = []
    await _round(target, sender, clients)
    cpu = target.cpu_seconds()
    for _ in range(rounds):
        delays = await _round(target, sender, clients)
        latencies += delays
        lasts.append(max(delays))
    cpu = target.cpu_seconds() - cpu
    sender.close()
    for client in clients:
        await client.close()
    return Measured(rounds / sum(lasts), sorted(latencies), cpu / rounds / listeners)


async def _round(
    target: Target, sender: HttpConnection, clients: list["QueueClient"]
) -> list[float]:
    polls = [client.poll() for client in clients]
    await asyncio.sleep(0.02 + len(clients) / 2000)  # until all of them are parked
    begun = time.perf_counter()
    message = {"type": "channel", "to": CHANNEL, "topic": "speed", "content": WORDS}
    await sender.fetch(target.login.post("/messages", **message))
    return [moment - begun for moment in await asyncio.gather(*polls)]


class QueueClient:
    """One queue and its connection."""

    def __init__(
        self, target: Target, connection: HttpConnection, queue_id: str, last_event_id: int
    ) -> None:
        self._target = target
        self._connection = connection
        self._queue_id = queue_id
        self._last_event_id = last_event_id

    @classmethod
    async def open(cls, target: Target) -> "QueueClient":
        connection = await target.connect()
        register = target.login.post("/register", event_types=["message"], fetch_event_types=[])
        made = json.loads(await connection.fetch(register))
        return cls(target, connection, made["queue_id"], made["last_event_id"])

    def poll(self) -> "asyncio.Task[float]":
        return asyncio.create_task(self._poll())

    async def _poll(self) -> float:
        """Returns when a message arrived."""
        while True:
            where = {"queue_id": self._queue_id, "last_event_id": self._last_event_id}
            answer = await self._connection.fetch(self._target.login.get("/events", **where))
            received_at = time.perf_counter()
            events = json.loads(answer)["events"]
            self._last_event_id = max(each["id"] for each in events)
            if any(each["type"] == "message" for each in events):
                return received_at

    async def close(self) -> None:
        await self._connection.fetch(
            self._target.login.request("DELETE", "/events", queue_id=self._queue_id)
        )
        self._connection.close()
