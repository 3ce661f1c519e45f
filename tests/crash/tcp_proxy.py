"""A TCP proxy to PostgreSQL or to a server that can be cut and restored, or stop forwarding."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit, urlunsplit


class TcpProxy:
    """Forwards connections to a database; while cut, it refuses them. While frozen, it accepts
    them, closes none and forwards nothing."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        user = f"{parts.username}@" if parts.username else ""
        self.url = urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{self.port}"))
        self._ends: list[socket.socket] = []
        self._lock = threading.Lock()
        self._flow = _open_gate()  # of new connections
        self._gates: list[threading.Event] = []
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

    def redirect(self, url: str) -> None:
        """Cut all connections, and forward new ones to another server."""
        self.cut()
        parts = urlsplit(url)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self.restore()

    def freeze(self) -> None:
        """Stop forwarding, also for new connections."""
        self._flow = threading.Event()
        self.freeze_open()

    def freeze_open(self) -> None:
        """Stop forwarding for the connections that are open now, for good."""
        with self._lock:
            for gate in self._gates:
                gate.clear()
            self._gates.clear()

    def thaw(self) -> None:
        """Forward what new connections send; those that were frozen stay so."""
        self._flow = _open_gate()

    def _accept_in_background(self) -> None:
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the connection was cut
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(self._target)
                gate = threading.Event() if not self._flow.is_set() else _open_gate()
                with self._lock:
                    self._ends += (near, far)
                    self._gates.append(gate)
                both = (near, far, gate, threading.Event())
                for target in (self._ask, self._answer):
                    threading.Thread(target=target, args=both, daemon=True).start()

    def _ask(
        self,
        near: socket.socket,
        far: socket.socket,
        gate: threading.Event,
        drops_answer: threading.Event,
    ) -> None:
        with contextlib.suppress(OSError):
            while data := near.recv(65536):
                gate.wait()
                if self.loses_answers_to is not None and self.loses_answers_to in data:
                    drops_answer.set()
                far.sendall(data)
        _shut(near)
        _shut(far)

    def _answer(
        self,
        near: socket.socket,
        far: socket.socket,
        gate: threading.Event,
        drops_answer: threading.Event,
    ) -> None:
        """Forward answers; an answer that should be lost closes the connection instead."""
        with contextlib.suppress(OSError):
            while data := far.recv(65536):
                gate.wait()
                if drops_answer.is_set():
                    break
                near.sendall(data)
        _shut(near)
        _shut(far)


def _open_gate() -> threading.Event:
    gate = threading.Event()
    gate.set()
    return gate


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
