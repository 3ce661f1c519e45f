"""A read waits a bounded time for commits of peers, and only if there may be peers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.support.databases import Databases
from tests.support.event_queue import in_background
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database import notify_bus
from tertulia.database.dialects.postgres import Postgres
from tertulia.events.directory import follower

pytestmark = pytest.mark.postgres

LONGER_THAN_ANY_TEST = {"lock_timeout": "600s", "statement_timeout": "600s"}


@pytest.fixture(autouse=True)
def patient_servers(monkeypatch) -> None:
    monkeypatch.setattr(Postgres, "limits", Postgres.limits | LONGER_THAN_ANY_TEST)
    monkeypatch.setattr(follower, "LEASE_SECONDS", 600.0)


@contextmanager
def unreadable_log(server: Server) -> Iterator[None]:
    """Until the block ends, every statement that reads the end of the log waits."""
    with server.database.dialect.connect() as holder:
        holder.execute("BEGIN")
        holder.execute("LOCK TABLE log_head IN ACCESS EXCLUSIVE MODE")
        yield


def test_a_read_is_answered_although_the_log_cannot_be_read(two_servers):
    chat, other = two_servers
    ana = replace(chat.person("ana"), server=other)
    # Before a server listens to others, and until it reads the log again, each request waits.
    eventually(lambda: other.database.connected_at is not None)
    other.catch_up()
    ana.get("/users").succeeds()
    assert other.database.may_have_peers

    with unreadable_log(chat.server):
        response = in_background(lambda: ana.get("/users")).result(TIMEOUT_SECONDS)

    response.succeeds()


@pytest.fixture
def lone_server(monkeypatch, databases: Databases) -> Iterator[Server]:
    monkeypatch.setattr(follower, "MAX_REFRESH_SECONDS", 600.0)
    monkeypatch.setattr(notify_bus, "PEER_CHECK_SECONDS", 0.0)
    url, folder = databases.ready("postgres")
    server = Server(url, folder).start()
    yield server
    server.stop()
    databases.give_back(url)


def test_a_read_at_a_lone_server_does_not_wait_for_the_log(lone_server: Server):
    ana = Chat.found(lone_server, "").person("ana")

    def is_alone_after_a_send() -> bool:
        """A server looks for peers when it publishes. An earlier user of the database may still
        be connected."""
        ana.says("Hello", to=[ana])
        return not lone_server.database.may_have_peers

    eventually(is_alone_after_a_send)

    with unreadable_log(lone_server):
        response = in_background(lambda: ana.get("/users")).result(TIMEOUT_SECONDS)

    response.succeeds()
