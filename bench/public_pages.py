"""Public pages: their cost, and how much a crawler slows down other clients.

Fair queues tell strangers apart by network address, so the crawler has its own loopback address.
"""

import asyncio
import itertools
import re
import time
from dataclasses import dataclass

from bench.fixture import BenchOrganization
from bench.http_client import HttpConnection
from bench.probes import WORDS, Measured, Target, repeated

CHANNEL = "public-square"
TOPIC = "oven"
MESSAGES = 100
SENDERS = 4  # beside the owner
CRAWLER_ADDRESS = "127.0.0.2"
CONNECTIONS = 16
CRAWLER_CONNECTIONS = 4
REQUESTS_PER_SECOND = 100
PRIVATE_CHANNEL = "hall"
TEXTS = (
    WORDS,
    "Has anyone tried the **new oven**? It takes `240` degrees: https://example.com/oven",
    "> It takes 240 degrees\n\nYes, and *twenty* minutes :bread:",
    "Three steps:\n\n* knead\n* wait\n* bake",
    "Thanks!",
)
SETTINGS = {"TERTULIA_WEB_PUBLIC_STREAMS_ENABLED": "true"}


@dataclass(frozen=True, slots=True)
class PublicTopic:
    target: Target
    path: str
    etag: str
    size_bytes: int

    def request(self, *headers: str) -> bytes:
        return _request(self.path, *headers)

    def unread(self, number: int) -> bytes:
        """The page at an address that has not been used."""
        return _request(f"{self.path}?n={number}")


async def create_topic(target: Target, people: BenchOrganization) -> PublicTopic:
    """A topic of a hundred messages by several users, in a channel that strangers can read."""
    owner = target.login
    await target.ask(owner.request("PATCH", "/realm", enable_spectator_access=True))
    wish = {"subscriptions": [{"name": CHANNEL}], "is_web_public": True}
    await target.ask(owner.post("/users/me/subscriptions", **wish))
    senders = [owner, *dict.fromkeys(queue.owner for queue in people.queues)]
    for sender in senders[1:]:
        await target.ask(sender.post("/users/me/subscriptions", subscriptions=[{"name": CHANNEL}]))
    texts, turns = itertools.cycle(TEXTS), itertools.cycle(senders)
    for _ in range(MESSAGES):
        message = {"to": CHANNEL, "topic": TOPIC, "content": next(texts)}
        await target.ask(next(turns).post("/messages", type="channel", **message))
    connection = await target.connect()
    index = (await connection.ask(_request("/public/"))).decode()
    path = re.findall(rf'"(/public/[0-9]+-{CHANNEL}/{TOPIC}/)"', index)[0]
    body = await connection.ask(_request(path))
    assert body.count(b"<article") == MESSAGES
    etag = connection.header("etag")
    connection.close()
    return PublicTopic(target, path, etag, len(body))


async def first_reads(topic: PublicTopic, seconds: float) -> Measured:
    """A page that is rendered each time, because no other request had the same address."""
    return await repeated(topic.target, topic.unread, CONNECTIONS, seconds)


async def repeated_reads(topic: PublicTopic, seconds: float) -> Measured:
    request = topic.request()
    return await repeated(topic.target, lambda _: request, CONNECTIONS, seconds)


async def unchanged(topic: PublicTopic, seconds: float) -> Measured:
    request = topic.request(f"If-None-Match: {topic.etag}")
    return await repeated(topic.target, lambda _: request, CONNECTIONS, seconds)


@dataclass(frozen=True, slots=True)
class CrawlerCost:
    """Latencies of other clients without and with a crawler, sorted."""

    alone: list[float]
    beside: list[float]
    pages_per_second: float

    def ratio(self, share: float) -> float:
        return _within(self.beside, share) / _within(self.alone, share)

    def milliseconds(self, share: float) -> tuple[float, float]:
        return _within(self.alone, share) * 1000, _within(self.beside, share) * 1000


async def crawler(topic: PublicTopic, seconds: float, turns: int) -> CrawlerCost:
    """A user reads and sends at a steady rate; in every second round a crawler reads pages.

    The rounds alternate, so that a busy moment of the machine affects both.
    """
    alone: list[float] = []
    beside: list[float] = []
    read = 0
    for number in range(turns):
        alone += await _steady_requests(topic, seconds)
        crawlers = [
            asyncio.create_task(_crawl(topic, number * CRAWLER_CONNECTIONS + each))
            for each in range(CRAWLER_CONNECTIONS)
        ]
        try:
            beside += await _steady_requests(topic, seconds)
        finally:
            for each in crawlers:
                each.cancel()
            read += sum(await asyncio.gather(*crawlers))
    return CrawlerCost(sorted(alone), sorted(beside), read / (turns * seconds))


async def _crawl(topic: PublicTopic, number: int) -> int:
    """Read pages until cancelled; returns how many."""
    connection = await HttpConnection.to(topic.target.port, source=CRAWLER_ADDRESS)
    read = 0
    try:
        while True:
            await connection.ask(topic.unread(number * 1_000_000 + read))
            read += 1
    except asyncio.CancelledError:
        return read
    finally:
        connection.close()


async def _steady_requests(topic: PublicTopic, seconds: float) -> list[float]:
    target, connection = topic.target, await topic.target.connect()
    narrow = [{"operator": "channel", "operand": CHANNEL}]
    history = target.login.get(
        "/messages", anchor="newest", num_before=100, num_after=0, narrow=narrow
    )
    message = {"type": "channel", "to": PRIVATE_CHANNEL, "topic": TOPIC, "content": WORDS}
    requests = itertools.cycle([history, target.login.post("/messages", **message)])
    latencies = []
    begin = time.perf_counter()
    for number in range(int(seconds * REQUESTS_PER_SECOND)):
        due = begin + number / REQUESTS_PER_SECOND
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        started = time.perf_counter()
        await connection.ask(next(requests))
        latencies.append(time.perf_counter() - started)
    connection.close()
    return latencies


def _within(latencies: list[float], share: float) -> float:
    return latencies[min(int(len(latencies) * share / 100), len(latencies) - 1)]


def _request(path: str, *headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
