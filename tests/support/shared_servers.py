"""Servers that many tests share: one per database, started on first use."""

from typing import Any, Self

from tests.support.databases import Databases, Kind
from tests.support.people import Chat
from tests.support.server import Server

MAX_TESTS_PER_SERVER = (
    100  # organizations on one server; then a new one replaces it, so that memory does not grow
)
MAX_RUNNING = 3  # servers at once, of any settings: an idle server costs something all the time


class SharedServers:
    """They have the same settings, and stop when they are not needed any more."""

    def __init__(self, databases: Databases, **settings: Any) -> None:
        self._databases, self._settings = databases, settings
        self._running: dict[Kind, Server] = {}

    def on(self, kind: Kind) -> Server:
        known = self._running.get(kind)
        if known is not None and known.organizations() > MAX_TESTS_PER_SERVER:
            self._give_up(kind)
        if kind not in self._running:
            self._running[kind] = Server(*self._databases.ready(kind), self._settings).start()
            Chat.found(self._running[kind])  # one organization alone has any host
        self._outlast_others(kind)
        return self._running[kind]

    def chat_on(self, kind: Kind) -> Chat:
        """A new organization with the real time."""
        server = self.on(kind)
        server.clock.ahead, server.clock.stopped_at = 0.0, None
        return Chat.found(server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for kind, server in self._running.items():
            server.stop()
            _by_last_use.remove((self, kind))

    def _outlast_others(self, kind: Kind) -> None:
        """The least recently used server stops; another one starts when needed."""
        _by_last_use[:] = [each for each in _by_last_use if each != (self, kind)]
        _by_last_use.append((self, kind))
        for servers, other in _by_last_use[:-MAX_RUNNING]:
            servers._give_up(other)

    def _give_up(self, kind: Kind) -> None:
        _by_last_use.remove((self, kind))
        server = self._running.pop(kind)
        server.stop()
        self._databases.give_back(server.url)


_by_last_use: list[tuple[SharedServers, Kind]] = []
