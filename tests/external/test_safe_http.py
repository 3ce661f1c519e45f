"""Where a name leads is looked up once, and all of it must be open to us."""

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest
import uvloop
from tests.support.fake_webhooks import Receiver
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.external import safe_http
from tertulia.external.safe_http import AddressNotAllowed, HttpResponse

HOME = (ipaddress.ip_network("127.0.0.0/8"),)


class LyingNames:
    """Names lead somewhere else each time they are looked up."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    def __call__(self, host: Any, port: Any, **_: Any) -> Any:
        return [(0, 0, 0, "", (each, port)) for each in self.answers.pop(0)]


@pytest.fixture
def names(monkeypatch) -> Callable[..., LyingNames]:
    def lead_to(*answers: list[str]) -> LyingNames:
        found = LyingNames(*answers)
        monkeypatch.setattr(socket, "getaddrinfo", found)
        return found

    return lead_to


def asked(port: int) -> HttpResponse:
    address = f"http://tides.example:{port}/now?here=1"
    return asyncio.run(safe_http.post(address, b"{}", {}, seconds=30, max_bytes=100, allowed=HOME))


def test_a_host_name_is_resolved_once(names):
    receiver = Receiver({"content": "High"})
    port = int(receiver.url.partition("127.0.0.1:")[2].partition("/")[0])
    tides = names(["127.0.0.1"], ["10.0.0.1"])

    response = asked(port)

    assert response.body == b'{"content": "High"}'
    assert tides.answers == [["10.0.0.1"]]
    (request,) = receiver.requests
    assert (request.path, request.headers["host"]) == ("/now?here=1", f"tides.example:{port}")
    receiver.close()


def test_a_name_that_later_resolves_to_an_internal_address_is_refused(names):
    receiver = Receiver((500, b""))
    port = int(receiver.url.partition("127.0.0.1:")[2].partition("/")[0])
    names(["127.0.0.1"], ["10.0.0.1"])

    assert asked(port).status == 500
    with pytest.raises(AddressNotAllowed):
        asked(port)

    assert len(receiver.requests) == 1
    receiver.close()


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["93.184.215.14", "::1"]])
def test_a_name_that_also_resolves_to_an_internal_address_is_refused(names, addresses):
    names(addresses)

    with pytest.raises(AddressNotAllowed):
        asked(80)


@pytest.mark.parametrize("make_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_slow_name_resolution_of_one_user_does_not_delay_another(monkeypatch, make_loop):
    goes_on = threading.Event()
    answers = socket.getaddrinfo

    def look_up(host: Any, *args: Any, **about: Any) -> Any:
        if str(host).startswith("slow"):
            goes_on.wait(TIMEOUT_SECONDS)
        return answers("127.0.0.1", *args, **about)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    receiver = Receiver({"content": "High"})

    async def ask(name: str, person: int) -> HttpResponse:
        there = receiver.url.replace("127.0.0.1", name)
        return await safe_http.post(
            there, b"", {}, seconds=30, max_bytes=100, allowed=HOME, person=person
        )

    async def scene() -> int:
        slow = [asyncio.create_task(ask(f"slow{each}.example", 1)) for each in range(100)]
        await asyncio.sleep(0.1)
        response = await ask("tides.example", 2)
        await asyncio.to_thread(goes_on.set)  # work on other threads continues, too
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return response.status

    with asyncio.Runner(loop_factory=make_loop) as runner:
        assert runner.run(scene()) == 200
    receiver.close()


@pytest.mark.parametrize(
    "address", ["ftp://x.example", "file:///etc/passwd", "http://", "http://[", "x", "http://a:b"]
)
def test_urls_that_are_not_http_are_refused(address):
    with pytest.raises(AddressNotAllowed):
        asyncio.run(safe_http.post(address, b"", {}, seconds=30, max_bytes=1))


@pytest.mark.parametrize(
    "header, seconds",
    [
        ("120", 120),
        (" 7 ", 7),
        ("9" * 30, 86400),  # the pause is limited
        ("Thu, 01 Jan 1970 00:20:00 GMT", 200),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 0),
        ("-1", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_retry_after_is_parsed(header, seconds):
    assert HttpResponse(429, {"retry-after": header}, b"").retry_seconds(1000.0) == seconds
