"""Endpoints that the server calls, good and bad ones: real servers on this machine."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs


@dataclass
class ReceivedRequest:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


@dataclass
class Receiver:
    """`answer` is JSON, a status with a body and perhaps headers, or a function that answers by
    itself."""

    answer: Any = ""
    requests: list[ReceivedRequest] = field(default_factory=list)
    host: str = "127.0.0.1"
    certificates: Path | None = None  # a folder of `certificates.write`: serve HTTPS

    def __post_init__(self) -> None:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.requests.append(
                    ReceivedRequest(self.path, headers, self.rfile.read(length))
                )
                receiver._reply(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer((self.host, 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://{self.host}:{self._server.server_port}/hook"
        if self.certificates is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(
                self.certificates / "server.pem", self.certificates / "server.key"
            )
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self.url = f"https://localhost:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _reply(self, handler: BaseHTTPRequestHandler) -> None:
        response = self.answer
        if callable(response):
            response(handler)
            return
        status, body, *headers = response if isinstance(response, tuple) else (200, response)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in [pair for each in headers for pair in each.items()]:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)


def never_answer(handler: BaseHTTPRequestHandler) -> None:
    """Do not answer until the caller disconnects."""
    while handler.connection.recv(1):
        pass


def stream_for_ever(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * 65536)
    except OSError:
        pass


def send_bytes_slowly(handler: BaseHTTPRequestHandler) -> None:
    """An answer that never ends, one byte at a time."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)
    except OSError:
        pass


def redirect(to: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", to)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def disconnect(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def send_invalid_http(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"this is no HTTP\r\n\r\n")
    handler.connection.shutdown(socket.SHUT_RDWR)
