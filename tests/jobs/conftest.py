"""Fixtures for jobs: a server whose clock can be moved, and its jobs."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.support.databases import Databases, Kind
from tests.support.people import Chat
from tests.support.shared_servers import SharedServers

from tertulia.api.events import MAX_IDLE_SECONDS


@dataclass
class ClockedChat(Chat):
    """An organization with a clock that the test controls."""

    def advance(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0) -> None:
        """Move the clock, and run all jobs that are due then."""
        self.server.clock.move(seconds=seconds, minutes=minutes, hours=hours)
        self.run_due_jobs()

    def run_due_jobs(self) -> None:
        self.server.run_job("scheduled messages")
        self.server.run_job("reminders")
        self.server.run_job("ended statuses")

    def run_housekeeping(self) -> None:
        for name in ("positions", "log", "retention", "deleted files"):
            self.server.run_job(name)

    def in_seconds(self, seconds: float) -> int:
        """A time in the future."""
        return int(self.server.clock() + seconds)


@pytest.fixture(scope="session")
def movable_servers(databases: Databases) -> Iterator[SharedServers]:
    """Servers whose clocks run ahead. Their own jobs keep running: due work is still done once.

    To those jobs a queue that was polled before the clock moved looks idle, unless a test prevents
    that.
    """
    with SharedServers(databases, idle_queue_seconds=MAX_IDLE_SECONDS) as servers:
        yield servers


@pytest.fixture
def chat(kind: Kind, movable_servers: SharedServers) -> ClockedChat:
    """An organization on a server whose clock can be moved; `ana` and others are its users."""
    chat = Chat.found(movable_servers.on(kind))
    chat.server.clock.stop()
    return ClockedChat(chat.server, chat.realm, chat.host)
