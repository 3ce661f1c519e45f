"""What is measured, each as one function of a running server."""

import asyncio
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.process import Process
from bench.town import Queue, Town
from bench.wire import Login, Wire

WARM_UP = 50


@dataclass(frozen=True, slots=True)
class Rate:
    per_second: float
    cpu_seconds: float  # of the server, for each one
    median_seconds: float  # until the answer
    written_bytes: float = 0.0  # to the disk, for each one


@dataclass(frozen=True, slots=True)
class Delivery:
    median_seconds: float
    p99_seconds: float
    cpu_per_listener: float  # from the send until the last one has heard of it


async def repeat(
    process: Process,
    request: Callable[[int], bytes],
    connections: int,
    seconds: float,
    ink: Callable[[], int] = lambda: 0,
) -> Rate:
    """Ask as fast as the server answers, on several connections at once.

    `ink` says how many bytes have been written so far.
    """
    wires = [await Wire.to(process.port) for _ in range(connections)]
    for number in range(WARM_UP):
        await wires[number % connections].ask(request(-number))

    latencies: list[float] = []
    numbers = iter(range(10**9))
    end = time.perf_counter() + seconds

    async def go_on(wire: Wire) -> None:
        while (begun := time.perf_counter()) < end:
            await wire.ask(request(next(numbers)))
            latencies.append(time.perf_counter() - begun)

    cpu, written, begun = process.cpu_seconds(), ink(), time.perf_counter()
    await asyncio.gather(*(go_on(wire) for wire in wires))
    elapsed, cpu = time.perf_counter() - begun, process.cpu_seconds() - cpu
    written = ink() - written
    for wire in wires:
        wire.close()
    count = len(latencies)
    return Rate(count / elapsed, cpu / count, statistics.median(latencies), written / count)


async def sends(
    process: Process,
    login: Login,
    channel: str,
    senders: int,
    seconds: float,
    ink: Callable[[], int] = lambda: 0,
) -> Rate:
    def request(number: int) -> bytes:
        return login.post(
            "/messages", type="channel", to=channel, topic="bench", content=f"Message {number}"
        )

    return await repeat(process, request, senders, seconds, ink)


async def registers(process: Process, login: Login, seconds: float) -> Rate:
    request = login.post("/register")
    return await repeat(process, lambda _: request, 1, seconds)


async def delivery(process: Process, town: Town, queues: range, rounds: int) -> Delivery:
    """From the moment somebody sends until those who wait have it in their hands."""
    sender = await Wire.to(process.port)
    ears = [await Ear.open(process, town.queues[index]) for index in queues]
    for ear in ears:
        await ear.hear_all()
    latencies: list[float] = []
    cpu = 0.0
    for number in range(rounds):
        polls = [ear.poll() for ear in ears]
        await asyncio.sleep(0.01 + len(ears) / 5000)  # until all of them are parked
        cpu -= process.cpu_seconds()
        begun = time.perf_counter()
        await sender.ask(
            town.ana.post(
                "/messages", type="channel", to="square", topic="bench", content=f"Round {number}"
            )
        )
        await asyncio.gather(*polls)
        cpu += process.cpu_seconds()
        latencies += [ear.heard_at - begun for ear in ears]
    for wire in (sender, *(ear.wire for ear in ears)):
        wire.close()
    ordered = sorted(latencies)
    return Delivery(
        statistics.median(ordered), ordered[int(len(ordered) * 0.99)], cpu / rounds / len(ears)
    )


async def presence_minute(process: Process, crowd: list[Login]) -> float:
    """Processor time of a minute in which each of a crowd pings once and is told of all others."""
    wire = await Wire.to(process.port)
    cpu = process.cpu_seconds()
    for login in crowd:
        answer = await wire.ask(
            login.post("/users/me/presence", status="active", last_update_id=-1)
        )
        assert answer.count(b"idle_timestamp") == len(crowd), "somebody was not told of"
    await asyncio.sleep(3)  # until the last of it is written down
    wire.close()
    return process.cpu_seconds() - cpu


async def parked_polls(process: Process, town: Town) -> tuple[float, float]:
    """Memory that each waiting poll costs, its connection included, and how long all take to end.

    It ends the server: everybody who waits is answered first.
    """
    before, _ = process.memory()
    ears = [await Ear.open(process, queue) for queue in town.queues]
    polls = [ear.poll() for ear in ears]
    await asyncio.sleep(1 + len(ears) / 1000)
    assert not any(poll.done() for poll in polls), "a poll did not wait"
    after, _ = process.memory()
    seconds = await asyncio.to_thread(process.stop)
    await asyncio.gather(*polls, return_exceptions=True)
    for ear in ears:
        ear.wire.close()
    return (after - before) / len(ears), seconds


class Ear:
    """One queue and the connection it is polled on."""

    def __init__(self, wire: Wire, queue: Queue) -> None:
        self.wire = wire
        self.heard_at = 0.0
        self._queue = queue
        self._last_event_id = -1

    @classmethod
    async def open(cls, process: Process, queue: Queue) -> "Ear":
        return cls(await Wire.to(process.port), queue)

    def poll(self) -> "asyncio.Task[int]":
        return asyncio.create_task(self._poll(dont_block=False))

    async def hear_all(self) -> None:
        while await self._poll(dont_block=True):
            pass

    async def _poll(self, *, dont_block: bool) -> int:
        """Gives how many events there were."""
        answer = await self.wire.ask(
            self._queue.owner.get(
                "/events",
                queue_id=self._queue.id,
                last_event_id=self._last_event_id,
                dont_block=dont_block,
            )
        )
        self.heard_at = time.perf_counter()
        events = json.loads(answer)["events"]
        if events:
            self._last_event_id = events[-1]["id"]
        return len(events)
