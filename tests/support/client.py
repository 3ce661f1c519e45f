"""The HTTP client of the tests: small, and strict about every answer.

Every answer must be JSON with `result` and `msg`, every error must have a code, and every success
is checked against the contract.
"""

import json
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec
from tests.support import conformance, operation_coverage, phone_app
from tests.support.connection import Connection

METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
PREFIX = "/api/v1"
TIMEOUT_SECONDS = 60
IDLE_SECONDS = 30  # the server closes a connection that was idle for longer than a minute
FORM = "application/x-www-form-urlencoded"

# Recent answers that passed the check: laws ask for the same again and again.
_found_good: deque[int] = deque(maxlen=100)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; state what you expect with `succeeds` or `fails`."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    asked: str = ""  # method and path, for the error message

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    def succeeds(self) -> dict[str, Any]:
        response: dict[str, Any] = self.json
        expected = 302 if "Location" in self.headers else 200
        assert self.status == expected, f"{self.asked}: {self.status} {response}"
        assert (response["result"], response["msg"]) == ("success", "")
        return response

    def fails(self, msg: str, *, code: str = "BAD_REQUEST", status: int = 400) -> dict[str, Any]:
        response: dict[str, Any] = self.json
        assert response["result"] == "error", response
        assert (response["msg"], response["code"], self.status) == (msg, code, status)
        return response

    def asks_to_log_in(self) -> None:
        msg = "Not logged in: API authentication or user session required"
        self.fails(msg, code="UNAUTHORIZED", status=401)


class Client:
    """Keeps connections open and gives each to one request at a time."""

    def __init__(self, port: int, database_url: str = "") -> None:
        self.port, self._database_url = port, database_url
        self._idle: list[tuple[float, Connection]] = []

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()

    def send(
        self,
        method: str,
        path: str,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Call an endpoint: parameters in the query for GET, in a form for everything else."""
        encoded = urlencode({k: wire(v) for k, v in (params or {}).items() if v is not None})
        sent = dict(headers or {})
        if method in ("GET", "HEAD"):
            return self.raw(method, f"{PREFIX}{path}{'?' if encoded else ''}{encoded}", sent)
        sent.setdefault("Content-Type", FORM)
        named = (params or {}).get("method")
        means = named if method == "POST" and named in METHODS else method
        return self.raw(method, f"{PREFIX}{path}", sent, encoded.encode(), means=means)

    def raw(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        means: str | None = None,
    ) -> Reply:
        """Send exactly this. Everything under /api/ must be answered with JSON.

        `means` is the method that a field of the body replaces the real one with.
        """
        connection = self._take_idle() or self.connect()
        try:
            connection.request(method, target, headers or {}, body)
            response = connection.answer(method)
        except BaseException:
            connection.close()
            raise
        reply = Reply(response.status, response.headers, response.body, f"{method} {target}")
        if response.keeps_alive:
            self._idle.append((time.monotonic(), connection))
        else:
            connection.close()
        if target.startswith(PREFIX) and reply.body:
            requested = means or method, target.removeprefix(PREFIX)
            operation_coverage.note(self._database_url, *requested, reply.status, reply.body)
            if check(*requested, reply):
                phone_app.check(
                    *requested, reply.status, reply.json, headers=headers or {}, body=body
                )
        return reply

    def _take_idle(self) -> Connection | None:
        while self._idle:
            since, connection = self._idle.pop()
            if time.monotonic() - since < IDLE_SECONDS:
                return connection
            connection.close()
        return None

    def connect(self) -> Connection:
        return Connection(self.port, TIMEOUT_SECONDS)


def wire(value: Any) -> str:
    """A parameter as clients write it: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def check(method: str, path: str, reply: Reply) -> bool:
    """Raises AssertionError if an answer is wrong; False if it was checked already."""
    assert reply.headers["Content-Type"] == "application/json"
    if path == "/openapi.json":
        return False
    found = hash((method, path, reply.status, reply.body))
    if found in _found_good:
        return False
    response = reply.json
    assert isinstance(response["msg"], str)
    failed = f"{reply.asked} failed; what the server logged, below, says where"
    assert reply.status < 500 or reply.status == 502, failed  # 502: another server fails
    if reply.status == 200 and response.get("code") == "UNSUPPORTED_WEBHOOK_EVENT_TYPE":
        assert response["result"] == "error"  # an answer that keeps senders from giving up
    elif reply.status in (200, 302):
        assert response["result"] == "success"
        conformance.check(method, path, response)
    else:
        assert response["result"] == "error"
        assert response["code"]
    _found_good.append(found)
    return True
