"""A TCP proxy to PostgreSQL that can be cut and restored."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit, urlunsplit


class TcpProxy:
    """Forwards connections to a database; while cut, it refuses them."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        user = f"{parts.username}@" if parts.username else ""
        self.url = urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{self.port}"))
        self._ends: list[socket.socket] = []
        self._lock = threading.Lock()
        self.loses_answers_to: bytes | None = None  # drops answers to requests with this
        self._accept_in_background()

    def cut(self) -> None:
        with self._lock:
            for end in (self._listening, *self._ends):
                _shut(end)
            self._ends.clear()

    def restore(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self._accept_in_background()

    def _accept_in_background(self) -> None:
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the connection was cut
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(self._target)
                with self._lock:
                    self._ends += (near, far)
                both = (near, far, threading.Event())
                for target in (self._ask, self._answer):
                    threading.Thread(target=target, args=both, daemon=True).start()

    def _ask(self, near: socket.socket, far: socket.socket, drops_answer: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := near.recv(65536):
                if self.loses_answers_to is not None and self.loses_answers_to in data:
                    drops_answer.set()
                far.sendall(data)
        _shut(near)
        _shut(far)

    def _answer(
        self, near: socket.socket, far: socket.socket, drops_answer: threading.Event
    ) -> None:
        """Forward answers; an answer that should be lost closes the connection instead."""
        with contextlib.suppress(OSError):
            while data := far.recv(65536):
                if drops_answer.is_set():
                    break
                near.sendall(data)
        _shut(near)
        _shut(far)


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
