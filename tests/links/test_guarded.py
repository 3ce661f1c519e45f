"""Where a name leads is looked up once, and all of it must be open to us."""

import asyncio
import ipaddress
from typing import Any

import pytest
from tests.support.receivers import Receiver

from tertulia.links import guarded
from tertulia.links.guarded import HttpAnswer, NotAllowed

HOME = (ipaddress.ip_network("127.0.0.0/8"),)


class LyingLoop(asyncio.SelectorEventLoop):
    """Names lead somewhere else each time they are looked up."""

    def __init__(self, *looks: list[str]) -> None:
        super().__init__()
        self.looks = list(looks)

    async def getaddrinfo(self, host: Any, port: Any, **_: Any) -> Any:
        return [(0, 0, 0, "", (each, port)) for each in self.looks.pop(0)]


def asked(loop: LyingLoop, port: int) -> HttpAnswer:
    async def ask() -> HttpAnswer:
        return await guarded.post(
            f"http://tides.example:{port}/now?here=1",
            b"{}",
            {},
            seconds=30,
            most_bytes=100,
            allowed=HOME,
        )

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(ask())


def test_a_name_is_looked_up_once():
    receiver = Receiver({"content": "High"})
    port = int(receiver.url.partition("127.0.0.1:")[2].partition("/")[0])
    loop = LyingLoop(["127.0.0.1"], ["10.0.0.1"])

    answer = asked(loop, port)

    assert answer.body == b'{"content": "High"}'
    assert loop.looks == [["10.0.0.1"]]
    (heard,) = receiver.heard
    assert (heard.path, heard.headers["host"]) == ("/now?here=1", f"tides.example:{port}")
    receiver.close()


def test_a_name_that_leads_home_at_the_next_try_is_not_followed_then():
    receiver = Receiver((500, b""))
    port = int(receiver.url.partition("127.0.0.1:")[2].partition("/")[0])

    async def ask() -> HttpAnswer:
        there = f"http://tides.example:{port}/"
        return await guarded.post(there, b"", {}, seconds=30, most_bytes=100, allowed=HOME)

    with asyncio.Runner(loop_factory=lambda: LyingLoop(["127.0.0.1"], ["10.0.0.1"])) as runner:
        assert runner.run(ask()).status == 500
        with pytest.raises(NotAllowed):
            runner.run(ask())

    assert len(receiver.heard) == 1
    receiver.close()


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["93.184.215.14", "::1"]])
def test_a_name_that_leads_home_too_is_not_followed(addresses):
    with pytest.raises(NotAllowed):
        asked(LyingLoop(addresses), 80)


@pytest.mark.parametrize(
    "address", ["ftp://x.example", "file:///etc/passwd", "http://", "http://[", "x", "http://a:b"]
)
def test_what_is_no_address_of_the_web_is_refused(address):
    with pytest.raises(NotAllowed):
        asyncio.run(guarded.post(address, b"", {}, seconds=30, most_bytes=1))


@pytest.mark.parametrize(
    "said, seconds",
    [
        ("120", 120),
        (" 7 ", 7),
        ("9" * 30, 86400),  # nobody is left in peace for ever
        ("Thu, 01 Jan 1970 00:20:00 GMT", 200),
        ("Thu, 01 Jan 1970 00:01:00 GMT", 0),
        ("-1", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_for_how_long_somebody_wants_to_be_left_in_peace(said, seconds):
    assert HttpAnswer(429, {"retry-after": said}, b"").retry_seconds(1000.0) == seconds
