"""Attempts at a running server, one after the other: each is meant to take memory and keep it."""

import contextlib
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

from bench.wire import Login
from tests.crash.people import Person
from tests.support.pictures import picture

BORDER = "a-line-that-is-in-no-picture"


class Assault:
    def __init__(self, port: int, person: Person) -> None:
        self._port = port
        self._login = Login(person.email, person.key)

    def pictures(self) -> None:
        """Small files that are large when they are drawn."""
        data = picture("WEBP", (8000, 8000))
        head = f"--{BORDER}\r\nContent-Disposition: form-data; name=file; filename=a.webp\r\n"
        body = f"{head}Content-Type: image/webp\r\n\r\n".encode() + data
        body += f"\r\n--{BORDER}--\r\n".encode()
        kind = f"multipart/form-data; boundary={BORDER}"
        self._all_at_once([self._request("POST", "/users/me/avatar", body, kind)] * 24)

    def forms(self) -> None:
        body = b"content=" + b"%41" * 340_000
        self._all_at_once([self._request("POST", "/messages", body)] * 40)

    def tables(self) -> None:
        words = f"|{'a|' * 1000}\n|{'-|' * 1000}\n" + "|\n" * 2800
        body = urlencode({"content": words}).encode()
        self._all_at_once([self._request("POST", "/messages/render", body)] * 10)

    def long_messages(self) -> None:
        body = {"type": "channel", "to": "circle 0", "topic": "long", "content": "👍" * 10_000}
        said = self._request("POST", "/messages", urlencode(body).encode())
        self._all_at_once([said] * 40)
        asked = "/messages?anchor=newest&num_before=5000"
        self._all_at_once([self._request("GET", asked)] * 20)

    def unread_answers(self) -> None:
        asked = self._request("GET", "/messages?anchor=newest&num_before=5000")
        self._all_at_once([asked] * 40, reads=False)

    def half_requests(self) -> None:
        self._all_at_once(
            [b"GET /api/v1/users HTTP/1.1\r\nHost: localhost\r\nX: "] * 400, reads=False
        )

    def queues(self) -> None:
        """Registered and never polled."""
        self._all_at_once([self._request("POST", "/register", b"")] * 250)

    def searches(self) -> None:
        words = " ".join(f"so{number}" for number in range(90))
        asked = urlencode({"anchor": "newest", "num_before": 5000,
                           "narrow": f'[["search", "{words}"]]'})  # fmt: skip
        self._all_at_once([self._request("GET", f"/messages?{asked}")] * 30)

    def _request(
        self, method: str, target: str, body: bytes = b"",
        kind: str = "application/x-www-form-urlencoded",
    ) -> bytes:  # fmt: skip
        head, _, _ = self._login.request(method, target).partition(b"\r\nContent-Length")
        return (
            head
            + f"\r\nContent-Length: {len(body)}\r\nContent-Type: {kind}\r\n\r\n".encode()
            + body
        )

    def _all_at_once(self, requests: list[bytes], *, reads: bool = True) -> None:
        """Whatever is answered; who does not read holds the connection for a while."""

        def send(request: bytes) -> socket.socket:
            connection = socket.create_connection(("127.0.0.1", self._port), timeout=60)
            with contextlib.suppress(OSError):
                connection.sendall(request)
                if reads:
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(1 << 16):
                        pass
            return connection

        with ThreadPoolExecutor(24) as pool:
            connections = list(pool.map(send, requests))
        for connection in connections:
            connection.close()


ASSAULTS = (
    "pictures", "forms", "tables", "long_messages", "unread_answers", "half_requests", "queues",
    "searches",
)  # fmt: skip
