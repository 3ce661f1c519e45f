"""A server that stops responding inside a transaction does not stop the others."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.databases import Kind
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia import storage
from tertulia.database import BlockingDatabase
from tertulia.database.dialects.postgres import Postgres
from tertulia.database.tx import Tx
from tertulia.database.write_queue import Batch, PendingWrite
from tertulia.database.writer import Writer, WriterSetup
from tertulia.errors.http import ServiceUnavailable

WAITING_SECONDS = "tertulia_writes_waiting_seconds "


@pytest.fixture(params=[pytest.param("postgres", marks=pytest.mark.postgres)])
def kind(request: pytest.FixtureRequest) -> Kind:
    """A SQLite file has one server."""
    found: Kind = request.param
    return found


@pytest.fixture
def impatient(monkeypatch) -> None:
    brief = {"idle_in_transaction_session_timeout": "300ms", "lock_timeout": "300ms"}
    monkeypatch.setattr(Postgres, "limits", Postgres.limits | brief)
    monkeypatch.setattr(Postgres, "write_limits", brief)


class Server:
    """The writing part of a server."""

    def __init__(self, database: BlockingDatabase) -> None:
        self.writer = Writer(
            WriterSetup(
                database.dialect,
                database.clock,
                lambda tx, realms: None,
                list,
                storage.messages.fast_insert,
            ),
            self._done,
        )
        self.writer.start()

    def _done(self, batch: Batch) -> None:
        batch.resolve_all()

    def begins(self, realm_id: int, action) -> tuple[PendingWrite, threading.Event]:
        answered = threading.Event()
        write = PendingWrite(action, (), realm_id, lambda _: answered.set())
        self.writer.submit(write)
        return write, answered


def announce(tx: Tx) -> int:
    return storage.log.append(tx, "x", "{}", "{}")


def test_an_unresponsive_server_loses_its_transaction(database, realm, impatient):
    stalled, other = Server(database), Server(BlockingDatabase.at(database.dialect.url))
    goes_on, is_inside = threading.Event(), threading.Event()

    def stand_still(tx: Tx) -> None:
        announce(tx)
        is_inside.set()
        goes_on.wait(TIMEOUT_SECONDS)
        announce(tx)

    write, answered = stalled.begins(realm.id, stand_still)
    assert is_inside.wait(TIMEOUT_SECONDS)

    def others_write() -> bool:
        theirs, done = other.begins(realm.id, announce)
        assert done.wait(TIMEOUT_SECONDS)
        return theirs.error is None

    eventually(others_write)
    goes_on.set()

    assert answered.wait(TIMEOUT_SECONDS)
    assert isinstance(write.error, ServiceUnavailable)
    again, answered = stalled.begins(realm.id, announce)
    assert answered.wait(TIMEOUT_SECONDS)
    assert again.error is None
    stalled.writer.stop()
    other.writer.stop()


def test_a_write_that_waits_for_a_lock_is_answered_and_reported_as_waiting(
    database, realm, impatient
):
    holder, waiting = database.dialect.connect(), Server(database)
    holder.execute("BEGIN")
    database.dialect.lock_organization(holder, realm.id)

    write, answered = waiting.begins(realm.id, announce)
    eventually(lambda: waiting.writer.busy_seconds > 0)

    assert answered.wait(TIMEOUT_SECONDS)
    assert isinstance(write.error, ServiceUnavailable)
    holder.close()
    again, answered = waiting.begins(realm.id, announce)
    assert answered.wait(TIMEOUT_SECONDS)
    assert again.error is None
    waiting.writer.stop()


def test_a_server_with_waiting_writes_stays_healthy_and_reports_them(own_chat):
    ana, database = own_chat.person("ana", channels=["kitchen"]), own_chat.server.database
    holder = database.dialect.connect()
    holder.execute("BEGIN")
    database.dialect.lock_organization(holder, own_chat.realm.id)

    def writes() -> Any:
        response = own_chat.stranger.raw("GET", "/health")
        assert response.status == 200
        return response.json["writes"]

    def waiting_seconds() -> float:
        text = own_chat.stranger.raw("GET", "/metrics").body.decode()
        (line,) = [each for each in text.splitlines() if each.startswith(WAITING_SECONDS)]
        return float(line.split()[1])

    with ThreadPoolExecutor() as threads:
        threads.submit(ana.says, "Soup?", to="kitchen > lunch")
        eventually(lambda: writes() == "waiting" and waiting_seconds() > 0)
        holder.close()

    eventually(lambda: writes() == "ok" and waiting_seconds() == 0)
