"""A wire to PostgreSQL that can be cut and mended."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit, urlunsplit


class Wire:
    """Passes on what is said to a database; while cut, it refuses everybody."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        user = f"{parts.username}@" if parts.username else ""
        self.url = urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{self.port}"))
        self._ends: list[socket.socket] = []
        self._lock = threading.Lock()
        self._accept_in_background()

    def cut(self) -> None:
        with self._lock:
            for end in (self._listening, *self._ends):
                _shut(end)
            self._ends.clear()

    def mend(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", self.port))
        self._accept_in_background()

    def _accept_in_background(self) -> None:
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def _accept(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the wire was cut
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(self._target)
                with self._lock:
                    self._ends += (near, far)
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    _shut(source)
    _shut(sink)


def _shut(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
