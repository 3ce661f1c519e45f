"""Another program writes to the file of a server: its sends wait, and nobody else does."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from tests.crash.conftest import NewServer
from tests.crash.people import settle
from tests.support.databases import Databases

from tertulia.database.dialects.sqlite import Sqlite


def test_reading_goes_on_and_what_waited_is_said_once(databases: Databases, new_server: NewServer):
    url, folder = databases.ready("sqlite")
    people = settle(url, "ana ben")
    server = new_server(url, folder)
    server.start()
    ana, ben = people["ana"].at(server.port), people["ben"].at(server.port)
    ana.joins("kitchen")
    ben.joins("kitchen")
    before = [ana.says(words, to="kitchen")["id"] for words in ("one", "two")]
    queue_id = ben.registers()

    with ThreadPoolExecutor() as threads, closing(another_program(folder / "tertulia.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = threads.submit(ana.says, "three", "kitchen")
        seen = [ben.get(f"/messages/{each}").status for each in before * 10]
        is_answered = waiting.done()
        other.execute("ROLLBACK")
        said = waiting.result()

    assert not is_answered
    assert seen == [200] * 20
    assert said.status == 200
    told = ben.polls(queue_id)["events"]
    assert [each["message"]["content"] for each in told] == ["three"]


def test_who_cannot_wait_is_told_at_once_and_patient_again_afterwards(databases: Databases):
    url, folder = databases.ready("sqlite")
    settle(url, "ana")
    path = folder / "tertulia.db"
    ours = Sqlite(path)
    with closing(ours.connect()) as connection, closing(another_program(path)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(sqlite3.OperationalError, match="locked"):
            ours.begin_write_nowait(connection)

        threading.Timer(0.1, other.execute, ["ROLLBACK"]).start()
        ours.begin_write(connection)
        assert connection.in_transaction


def another_program(path: object) -> sqlite3.Connection:
    return sqlite3.connect(str(path), isolation_level=None, check_same_thread=False)
