"""Attacks on a running server, one after the other. Each tries to occupy memory and keep it."""

import contextlib
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

from bench.http_client import Login
from tests.crash.people import Person
from tests.support.pictures import picture

BOUNDARY = "a-line-that-is-in-no-picture"
HOLD_SECONDS = 5


class Attack:
    def __init__(self, port: int, person: Person) -> None:
        self._port = port
        self._login = Login(person.email, person.key)

    def pictures(self) -> None:
        """Small files that decode to large pictures."""
        data = picture("WEBP", (8000, 8000))
        head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=file; filename=a.webp\r\n"
        body = f"{head}Content-Type: image/webp\r\n\r\n".encode() + data
        body += f"\r\n--{BOUNDARY}--\r\n".encode()
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        self._all_at_once([self._request("POST", "/users/me/avatar", body, kind)] * 24)

    def forms(self) -> None:
        body = b"content=" + b"%41" * 340_000
        self._all_at_once([self._request("POST", "/messages", body)] * 40)

    def tables(self) -> None:
        words = f"|{'a|' * 1000}\n|{'-|' * 1000}\n" + "|\n" * 2800
        body = urlencode({"content": words}).encode()
        self._all_at_once([self._request("POST", "/messages/render", body)] * 10)

    def long_messages(self) -> None:
        body = {"type": "channel", "to": "circle 0", "topic": "long", "content": "$$x$$ " * 1666}
        messages = self._request("POST", "/messages", urlencode(body).encode())
        self._all_at_once([messages] * 40)
        self._all_at_once([self._reads(5000)] * 20)
        self._all_at_once([self._reads(100)] * 20)

    def unread_answers(self) -> None:
        self._all_at_once([self._reads(5000)] * 40, reads=False)

    def half_requests(self) -> None:
        self._all_at_once(
            [b"GET /api/v1/users HTTP/1.1\r\nHost: localhost\r\nX: "] * 400, reads=False
        )

    def queues(self) -> None:
        """Queues that are registered and never polled."""
        self._all_at_once([self._request("POST", "/register", b"")] * 250)

    def searches(self) -> None:
        words = " ".join(f"so{number}" for number in range(90))
        self._all_at_once([self._reads(5000, ["search", words])] * 30)

    def _reads(self, count: int, *terms: list[str]) -> bytes:
        """The newest messages of a channel without a subscription."""
        narrow = json.dumps([["channel", "circle 0"], *terms])
        requested = urlencode({"anchor": "newest", "num_before": count, "narrow": narrow})
        return self._request("GET", f"/messages?{requested}")

    def _request(
        self, method: str, target: str, body: bytes = b"",
        kind: str = "application/x-www-form-urlencoded",
    ) -> bytes:  # fmt: skip
        head, _, _ = self._login.request(method, target).partition(b"\r\nContent-Length")
        return (
            head
            + f"\r\nContent-Length: {len(body)}\r\nContent-Type: {kind}".encode()
            + b"\r\nConnection: close\r\n\r\n"
            + body
        )

    def _all_at_once(self, requests: list[bytes], *, reads: bool = True) -> None:
        """Ignores the answer; a client that does not read holds the connection for a while."""

        def send(request: bytes) -> socket.socket:
            connection = socket.create_connection(("127.0.0.1", self._port), timeout=60)
            with contextlib.suppress(OSError):
                connection.sendall(request)
                while reads and connection.recv(1 << 16):
                    pass
            return connection

        with ThreadPoolExecutor(24) as pool:
            connections = list(pool.map(send, requests))
        if not reads:
            time.sleep(HOLD_SECONDS)
        for connection in connections:
            connection.close()


ATTACKS = (
    "pictures", "forms", "tables", "long_messages", "unread_answers", "half_requests", "queues",
    "searches",
)  # fmt: skip
