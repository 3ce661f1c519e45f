"""A response of an ASGI application as the bytes that its client receives."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import structlog

from tertulia.http.exchange import BLOCK_BYTES, Headers, HttpExchange, Message

Respond = Callable[[Callable[[Message], Awaitable[None]]], Awaitable[None]]
OK: Message = {"type": "http.response.start", "status": 200, "headers": []}


class RecordedConnection:
    """Keeps what is written to it."""

    is_write_paused = False

    def __init__(self) -> None:
        self.writes: list[bytes] = []
        self.is_closed = False
        self.transport = cast(asyncio.Transport, self)

    def write(self, data: bytes) -> None:
        self.writes.append(bytes(data))

    def close(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed

    async def drained(self) -> None:
        raise AssertionError("nothing is paused")

    def resume_reading(self) -> None: ...

    def exchange_finished(self, exchange: HttpExchange) -> None: ...

    def usual_headers(self) -> Headers:
        return ()


def written(respond: Respond) -> RecordedConnection:
    connection = RecordedConnection()
    exchange = HttpExchange(connection, "GET", "1.1", keeps_connection=True, expects_continue=False)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await respond(send)

    asyncio.run(exchange.run(app, {}, set()))
    return connection


def test_the_head_is_sent_with_the_first_part_of_the_body():
    async def respond(send):
        await send(OK)
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        await send({"type": "http.response.body", "body": b"two"})

    head, end = written(respond).writes

    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert head.endswith(b"\r\n\r\n3\r\none\r\n")
    assert end == b"3\r\ntwo\r\n0\r\n\r\n"


def test_a_large_body_is_not_copied_behind_its_head():
    body = b"x" * (BLOCK_BYTES + 1)

    async def respond(send):
        await send({**OK, "headers": [(b"content-length", str(len(body)).encode())]})
        await send({"type": "http.response.body", "body": body})

    head, rest = written(respond).writes

    assert head.endswith(b"\r\n\r\n")
    assert rest == body


def test_a_response_that_is_missing_because_its_client_left_is_no_failure():
    connection = RecordedConnection()
    exchange = HttpExchange(connection, "GET", "1.1", keeps_connection=True, expects_continue=False)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        connection.close()  # by the event loop, which reports it to the exchange a moment later

    with structlog.testing.capture_logs() as logged:
        asyncio.run(exchange.run(app, {}, set()))

    assert logged == []


def test_an_application_that_fails_before_its_body_is_answered_with_500():
    async def respond(send):
        await send(OK)
        raise ZeroDivisionError

    found = written(respond)

    assert [each[:13] for each in found.writes] == [b"HTTP/1.1 500 "]
    assert found.is_closed


def test_an_application_that_fails_in_its_body_loses_the_connection():
    async def respond(send):
        await send(OK)
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        raise ZeroDivisionError

    found = written(respond)

    assert len(found.writes) == 1
    assert found.is_closed
