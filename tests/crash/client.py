"""An HTTP client whose connection may break at any moment."""

import base64
import contextlib
import http.client
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.support.waiting import TIMEOUT_SECONDS

PAUSE_SECONDS = 0.02  # before the next request
FORM = "application/x-www-form-urlencoded"
BOUNDARY = "a-line-that-is-in-no-file"


class Unreachable(Exception):
    """No answer, or an incomplete one: the outcome is unknown."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    content_type: str
    body: Any

    def __getitem__(self, key: str) -> Any:
        return self.body[key]

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))

    @property
    def is_outage(self) -> bool:
        """The server cannot reach its database; the error code says whether the request was
        done."""
        return self.status == 503 or self.code == "OUTCOME_UNKNOWN"


class Client:
    """One user's connection to one port; it reconnects when necessary."""

    def __init__(self, port: int, email: str, key: str) -> None:
        self.port = port
        credentials = base64.b64encode(f"{email}:{key}".encode()).decode()
        self.headers = {"Authorization": f"Basic {credentials}"}
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str, **params: Any) -> Answer:
        return self._ask("GET", f"/api/v1{path}?{encoded(params)}", None, {})

    def post(self, path: str, headers: dict[str, str] | None = None, **params: Any) -> Answer:
        return self._ask("POST", f"/api/v1{path}", encoded(params), headers or {})

    def insists(self, path: str, **params: Any) -> Answer:
        """Repeat the request while the server answers 503: a PostgreSQL that other tests use may
        be out of connections for a moment. Only for requests that may be done twice."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while (response := self.post(path, **params)).is_outage and time.monotonic() < deadline:
            time.sleep(PAUSE_SECONDS)
        return response

    def joins(self, *channels: str) -> None:
        wanted = [{"name": channel} for channel in channels]
        response = self.insists("/users/me/subscriptions", subscriptions=wanted)
        assert response.status == 200, response.body

    def says(self, content: str, to: str) -> Answer:
        """Send a message to a channel."""
        return self.post("/messages", type="channel", to=to, topic="news", content=content)

    def registers(self, **options: Any) -> str:
        """Register a queue for messages and return its id."""
        options = {"event_types": ["message"]} | options
        response = self.insists("/register", **options)
        assert response.status == 200, response.body
        return str(response["queue_id"])

    def polls(self, queue_id: str, last_event_id: int = -1, **options: Any) -> Answer:
        return self.get("/events", queue_id=queue_id, last_event_id=last_event_id, **options)

    def parks(self, queue_id: str, last_event_id: int = -1) -> "ParkedPoll":
        """Start a poll without waiting for the answer."""
        target = {"queue_id": queue_id, "last_event_id": last_event_id}
        connection = connect(self.port)
        send_request(connection, "GET", f"/api/v1/events?{encoded(target)}", None, self.headers)
        return ParkedPoll(connection)

    def patch(self, path: str, **params: Any) -> Answer:
        return self._ask("PATCH", f"/api/v1{path}", encoded(params), {})

    def uploads(self, name: str, data: bytes) -> Answer:
        """Upload a file."""
        head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=file; filename={name}\r\n\r\n"
        body = head.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        return self._ask("POST", "/api/v1/user_uploads", body, headers)

    def delete(self, path: str, **params: Any) -> Answer:
        return self._ask("DELETE", f"/api/v1{path}", encoded(params), {})

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(
        self, method: str, target: str, body: str | bytes | None, headers: dict[str, str]
    ) -> Answer:
        if self._connection is None:
            self._connection = connect(self.port)
        try:
            send_request(self._connection, method, target, body, self.headers | headers)
            return read_answer(self._connection)
        except Unreachable:
            self.close()
            raise


class RoundRobinClient(Client):
    """Uses another server for each request, like a load balancer without sticky sessions."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self._turns = itertools.cycle(clients)

    def _ask(
        self, method: str, target: str, body: str | bytes | None, headers: dict[str, str]
    ) -> Answer:
        return next(self._turns)._ask(method, target, body, headers)


class ParkedPoll:
    """A poll on its own connection, parked at the server."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection

    def answer(self) -> Answer:
        with contextlib.closing(self._connection):
            return read_answer(self._connection)


def request(port: int, method: str, target: str, headers: dict[str, str] | None = None) -> Answer:
    """One request on its own connection, anonymous by default."""
    with contextlib.closing(connect(port)) as connection:
        send_request(connection, method, target, None, headers or {})
        return read_answer(connection)


def connect(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)


def send_request(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    body: str | bytes | None,
    headers: dict[str, str],
) -> None:
    if body is not None:
        headers = {"Content-Type": FORM} | headers
    with raising_unreachable():
        connection.request(method, target, body, headers)


def read_answer(connection: http.client.HTTPConnection) -> Answer:
    with raising_unreachable():
        response = connection.getresponse()
        content = response.read()
    content_type = response.headers.get_content_type()
    is_json = content_type == "application/json"
    body = json.loads(content) if is_json else {"text": content.decode()}
    return Answer(response.status, content_type, body)


@contextlib.contextmanager
def raising_unreachable() -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(type(error).__name__) from error


def encoded(params: dict[str, Any]) -> str:
    """Strings unchanged, everything else as JSON."""
    return urlencode(
        {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in params.items()
            if value is not None
        }
    )
