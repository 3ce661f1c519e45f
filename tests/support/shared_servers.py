"""Servers that many scenes share: one for each database, started when the first scene asks."""

from typing import Any, Self

from tests.support.databases import Databases, Kind
from tests.support.people import Chat
from tests.support.server import Server

MAX_TESTS_PER_SERVER = (
    100  # on one server; then a fresh one takes over: nobody drags all of them along
)
MAX_RUNNING = 3  # at once, whatever their settings: to wait for scenes costs something all the time


class SharedServers:
    """They have the same settings, and stop when nobody needs them any more."""

    def __init__(self, databases: Databases, **settings: Any) -> None:
        self._databases, self._settings = databases, settings
        self._running: dict[Kind, Server] = {}

    def on(self, kind: Kind) -> Server:
        known = self._running.get(kind)
        if (
            known is not None
            and len(known.application.delivery.organizations) > MAX_TESTS_PER_SERVER
        ):
            self._give_up(kind)
        if kind not in self._running:
            self._running[kind] = Server(*self._databases.ready(kind), self._settings).start()
            Chat.found(self._running[kind])  # with one organization any host would reach it
        self._outlast_others(kind)
        return self._running[kind]

    def chat_on(self, kind: Kind) -> Chat:
        """An organization of one's own, where it is the time it is."""
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
        """The one that was not asked for the longest gives way; another starts when it is."""
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
