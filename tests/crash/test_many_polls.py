"""Thousands of polls are parked while the server restarts: all continue with their queue."""

import asyncio
import base64
import json
import os
import resource
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.crash.conftest import NewServer
from tests.crash.people import Person, create_organization
from tests.support.databases import Databases, Kind

POLLS = int(os.environ.get("TERTULIA_TEST_POLLS", "5000"))
QUEUES_EACH = 100
BACK_WITHIN_SECONDS = 5.0  # on its own core: the CPU time of the server is measured
PAUSE_SECONDS = 0.05


class Poller:
    """A client with one queue, which it never drops."""

    def __init__(self, port: int, person: Person) -> None:
        credentials = base64.b64encode(f"{person.email}:{person.key}".encode()).decode()
        self._head = f"Host: localhost\r\nAuthorization: Basic {credentials}\r\n"
        self._port = port
        self.received: list[int] = []
        self.refused: list[Any] = []
        self._queue_id, self._last = "", -1

    async def register(self) -> None:
        form = urlencode({"event_types": '["message"]', "fetch_event_types": "[]"})
        response = await self._once("POST", "/api/v1/register", form)
        self._queue_id, self._last = response["queue_id"], response["last_event_id"]

    async def poll_on(self) -> None:
        while not self.received and not self.refused:
            requested = urlencode({"queue_id": self._queue_id, "last_event_id": self._last})
            try:
                response = await self._once("GET", f"/api/v1/events?{requested}")
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(PAUSE_SECONDS)
                continue
            if response["result"] != "success":
                self.refused.append(response)
            for event in response.get("events", []):
                self._last = event["id"]
                if event["type"] == "message":
                    self.received.append(event["message"]["id"])

    async def _once(self, method: str, target: str, form: str = "") -> dict[str, Any]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            kind = "Content-Type: application/x-www-form-urlencoded\r\n" if form else ""
            length = f"Content-Length: {len(form)}\r\n" if form else ""
            head = f"{method} {target} HTTP/1.1\r\n{self._head}{kind}{length}\r\n"
            writer.write((head + form).encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            size = int(head.partition("content-length:")[2].partition("\r\n")[0])
            response: dict[str, Any] = json.loads(await reader.readexactly(size))
            return response
        finally:
            writer.close()


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_all_polls_continue_within_seconds_without_registering(
    databases: Databases, new_server: NewServer, kind: Kind
):
    raise_file_limit()
    url, folder = databases.ready(kind)
    people = create_organization(
        url, " ".join(f"p{number}" for number in range(-(-POLLS // QUEUES_EACH)))
    )
    server = new_server(url, folder)
    server.flags += ["--trusted-proxies", "127.0.0.1"]  # this address has no connection limit
    server.start()
    for person in people.values():
        person.at(server.port).joins("kitchen")
    pollers = [
        Poller(server.port, list(people.values())[number // QUEUES_EACH]) for number in range(POLLS)
    ]

    async def live() -> float:
        for start in range(0, POLLS, 50):
            await asyncio.gather(*(each.register() for each in pollers[start : start + 50]))
        polling = [asyncio.create_task(each.poll_on()) for each in pollers]
        await asyncio.to_thread(server.wait_for_parked_polls, POLLS)

        server.terminate()
        await asyncio.to_thread(server.process.wait, 60)
        await asyncio.to_thread(server.start)
        await asyncio.to_thread(server.wait_for_parked_polls, POLLS)
        took = server.cpu_seconds()

        await asyncio.to_thread(people["p0"].at(server.port).says, "Here we are", "kitchen")
        await asyncio.gather(*polling)
        return took

    took = asyncio.run(live())

    assert not [each.refused for each in pollers if each.refused]
    assert {tuple(each.received) for each in pollers} == {tuple(pollers[0].received)}
    assert took < BACK_WITHIN_SECONDS


def raise_file_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
