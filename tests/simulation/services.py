"""Services of others: the receiver of outgoing webhooks, and the law that each call reaches it.

The HTTP library of the server works as usual, on connections that end here. The receiver answers
slowly, fails, hangs or breaks the connection.
"""

import asyncio
import json
import random
import socket
from collections import Counter
from typing import TYPE_CHECKING, Any

import apsw
import httpcore
from tests.simulation.machine import CLOCK
from tests.simulation.people import Person, action, send_with_key

from tertulia.domain.outbox import POLICIES

if TYPE_CHECKING:
    from tests.simulation.world import World

ADDRESS = "198.41.0.4"  # of every name
BOT_NAME = "Courier"
FAILURE_SHARE = 0.3
MAX_FAILURES = POLICIES["webhook"].max_tries
MAX_WAIT_SECONDS = 600.0  # for calls that are tried again, or whose server died
MAX_REPLY_SECONDS = 15.0  # until the answer to a call is posted


class Receiver:
    """Counts calls by the first word of the message. `is_well`: it fails no more."""

    def __init__(self, rng: random.Random) -> None:
        self.answered: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.is_well = False
        self.rng = rng

    def expects(self, mark: str) -> bool:
        return not self.answered[mark] and self.failed[mark] < MAX_FAILURES

    async def receive(self, request: bytes) -> bytes:
        mark = json.loads(request.partition(b"\r\n\r\n")[2])["data"].split()[0]
        try:
            await asyncio.sleep(self.rng.expovariate(5.0))
        except asyncio.CancelledError:
            self.failed[mark] += 1  # a day has passed meanwhile
            raise
        if not self.is_well and self.rng.random() < FAILURE_SHARE:
            self.failed[mark] += 1
            return await self._fail()
        self.answered[mark] += 1
        content = json.dumps({"content": f"re-{mark}"}).encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)

    async def _fail(self) -> bytes:
        how = self.rng.choice(["refuses", "breaks", "hangs"])
        if how == "breaks":
            raise httpcore.ReadError
        if how == "hangs":
            await asyncio.sleep(3600.0)
        return b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n"


class Stream(httpcore.AsyncNetworkStream):
    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._request = b""
        self._answer: bytes | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        if self._answer is None:
            self._answer = await self._receiver.receive(self._request)
        read, self._answer = self._answer[:max_bytes], self._answer[max_bytes:]
        return read

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self._request += buffer

    async def aclose(self) -> None:
        """Nothing to do."""

    def get_extra_info(self, info: str) -> Any:
        return None


def open_to_servers(receiver: Receiver) -> None:
    """All connections that servers make end at the receiver."""

    class Backend(httpcore.AsyncNetworkBackend):
        async def connect_tcp(self, *_: Any, **__: Any) -> Stream:
            return Stream(receiver)

    def find(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ADDRESS, port))]

    httpcore.AnyIOBackend = Backend  # type: ignore[assignment, misc]
    socket.getaddrinfo = find  # type: ignore[assignment]


@action(0.5)
async def ask_webhook(person: Person) -> None:
    general = person.place.channels["general"]
    call = f"@**{BOT_NAME}**"
    await send_with_key(person, call, "ask", type="channel", to=general, topic="questions")


async def until_all_are_called(world: "World") -> None:
    """A call whose server died is repeated after a minute, and one that failed a little later. The
    server does not count the failures of a server that died, so it may try once more."""
    world.receiver.is_well = True
    end = CLOCK.monotonic + MAX_WAIT_SECONDS
    asks = [each for each in world.model.things.values() if each.kind == "ask" and each.is_certain]
    while CLOCK.monotonic < end and not all(world.receiver.answered[each.mark] for each in asks):  # noqa: ASYNC110
        await asyncio.sleep(10.0)
    await asyncio.sleep(MAX_REPLY_SECONDS)


def broken_laws(world: "World", connection: apsw.Connection) -> list[str]:
    """Each call is answered, and its answer posted once, unless too many tries have failed."""
    rows = connection.execute("SELECT content FROM message WHERE content LIKE 're-%'").fetchall()
    replies = Counter(str(content) for (content,) in rows)
    problems = []
    for thing in world.model.things.values():
        if thing.kind != "ask":
            continue
        count = replies[f"re-{thing.mark}"]
        if count > 1:
            problems.append(f"the webhook's answer to {thing.mark} is stored {count} times")
        if thing.is_certain and world.receiver.expects(thing.mark):
            problems.append(f"the webhook was not called for {thing.mark}")
        calls, failures = world.receiver.answered[thing.mark], world.receiver.failed[thing.mark]
        if calls and not failures and not count:
            problems.append(f"the webhook's answer to {thing.mark} is not stored")
    return problems
