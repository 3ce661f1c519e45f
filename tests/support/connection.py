"""One connection to a server: sends a request as it is, and reads an answer.

The parser is the one that servers use. The standard library's client parses every head as a mail
message, which takes longer than most of our answers.
"""

import socket
from collections.abc import Iterator, Mapping

import httptools

RECEIVE_BYTES = 1 << 16


class Headers(Mapping[str, str]):
    """The headers of an answer, with case-insensitive names."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def add(self, name: str, value: str) -> None:
        known = self._values.get(name.lower())
        self._values[name.lower()] = value if known is None else f"{known}, {value}"

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Connection:
    def __init__(self, port: int, timeout_seconds: float) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout_seconds)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> None:
        given = {name.lower() for name in headers}
        lines = [f"{method} {target} HTTP/1.1"]
        if "host" not in given:
            host, port = self._socket.getpeername()
            lines.append(f"Host: {host}:{port}")
        lines.extend(f"{name}: {value}" for name, value in headers.items())
        if body is None and method in ("POST", "PUT", "PATCH"):
            body = b""
        if body is not None and not given & {"content-length", "transfer-encoding"}:
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        self._socket.sendall(head + (body or b""))

    def answer(self, method: str) -> "Answer":
        """Wait for the complete answer to a request with this method."""
        response = Answer(method)
        while not response.is_whole:
            received = self._socket.recv(RECEIVE_BYTES)
            if not received:
                raise ConnectionError("the server has hung up")
            response.take(received)
        return response

    def close(self) -> None:
        self._socket.close()


class Answer:
    """The received part of an answer; the parser calls its methods."""

    def __init__(self, method: str) -> None:
        self.headers = Headers()
        self.is_whole = False
        self.keeps_alive = True
        self._has_no_body = method == "HEAD"
        self._pieces: list[bytes] = []
        self._parser = httptools.HttpResponseParser(self)

    @property
    def status(self) -> int:
        status: int = self._parser.get_status_code()
        return status

    @property
    def body(self) -> bytes:
        return b"".join(self._pieces)

    def take(self, received: bytes) -> None:
        self._parser.feed_data(received)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.add(name.decode("latin-1"), value.decode("latin-1"))

    def on_headers_complete(self) -> None:
        self.keeps_alive = self._parser.should_keep_alive()
        self.is_whole = self._has_no_body

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        self.is_whole = True
