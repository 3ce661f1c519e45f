"""Public pages: their cost, and how much a crawler slows down other clients.

Fair queues tell strangers apart by network address, so the crawler has its own loopback address.
"""

import asyncio
import itertools
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from bench.fixture import BenchOrganization
from bench.http_client import HttpConnection, Login
from bench.probes import WORDS, Measured, Target, repeated, wait_until_idle

CHANNEL = "public-square"
TOPIC = "oven"
MESSAGES = 100  # of a page
PAGES = 80  # more than the server caches, so each page that is read in turn is rendered
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

    def page(self, number: int) -> bytes:
        """The pages in turn."""
        return _request(f"{self.path}?page={number % PAGES + 1}")


async def create_topic(target: Target, people: BenchOrganization) -> PublicTopic:
    """A topic of many pages by several users, in a channel that strangers can read."""
    owner = target.login
    await target.fetch(owner.request("PATCH", "/realm", enable_spectator_access=True))
    request = {"subscriptions": [{"name": CHANNEL}], "is_web_public": True}
    await target.fetch(owner.post("/users/me/subscriptions", **request))
    senders = [owner, *dict.fromkeys(queue.owner for queue in people.queues)]
    for sender in senders[1:]:
        await target.fetch(
            sender.post("/users/me/subscriptions", subscriptions=[{"name": CHANNEL}])
        )
    turns = itertools.cycle(senders)
    texts = itertools.islice(itertools.cycle(TEXTS), MESSAGES * PAGES)
    await asyncio.gather(*(_send_all(target, turns, texts) for _ in range(CONNECTIONS)))
    await wait_until_idle(target)
    connection = await target.connect()
    index = (await connection.fetch(_request("/public/"))).decode()
    path = re.findall(rf'"(/public/[0-9]+-{CHANNEL}/{TOPIC}/)"', index)[0]
    body = await connection.fetch(_request(path))
    assert body.count(b"<article") == MESSAGES
    etag = connection.header("etag")
    connection.close()
    return PublicTopic(target, path, etag, len(body))


async def _send_all(target: Target, senders: Iterator[Login], texts: Iterator[str]) -> None:
    connection = await target.connect()
    for text in texts:
        message = {"type": "channel", "to": CHANNEL, "topic": TOPIC, "content": text}
        await connection.fetch(next(senders).post("/messages", **message))
    connection.close()


async def first_reads(topic: PublicTopic, seconds: float) -> Measured:
    """Pages that are rendered each time: each is read again after more others than are cached."""
    turns = itertools.count()
    return await repeated(topic.target, lambda _: topic.page(next(turns)), CONNECTIONS, seconds)


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
    pages = itertools.count()
    for _ in range(turns):
        alone += await _steady_requests(topic, seconds)
        crawlers = [asyncio.create_task(_crawl(topic, pages)) for _ in range(CRAWLER_CONNECTIONS)]
        try:
            beside += await _steady_requests(topic, seconds)
        finally:
            for each in crawlers:
                each.cancel()
            read += sum(await asyncio.gather(*crawlers))
    return CrawlerCost(sorted(alone), sorted(beside), read / (turns * seconds))


async def _crawl(topic: PublicTopic, pages: Iterator[int]) -> int:
    """Read pages until cancelled; returns how many."""
    connection = await HttpConnection.to(topic.target.port, source=CRAWLER_ADDRESS)
    read = 0
    try:
        while True:
            await connection.fetch(topic.page(next(pages)))
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
        await connection.fetch(next(requests))
        latencies.append(time.perf_counter() - started)
    connection.close()
    return latencies


def _within(latencies: list[float], share: float) -> float:
    return latencies[min(int(len(latencies) * share / 100), len(latencies) - 1)]


def _request(path: str, *headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
