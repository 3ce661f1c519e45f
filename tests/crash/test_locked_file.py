"""Another program locks the SQLite file: sends wait, reads do not."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.support.databases import Databases

from tertulia.database.dialects.sqlite import Sqlite


def test_reads_continue_and_waiting_sends_happen_once(databases: Databases, new_server: NewServer):
    url, folder = databases.ready("sqlite")
    people = create_organization(url, "ana ben")
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
        text = waiting.result()

    assert not is_answered
    assert seen == [200] * 20
    assert text.status == 200
    event = ben.polls(queue_id)["events"]
    assert [each["message"]["content"] for each in event] == ["three"]


def test_a_write_without_waiting_fails_on_a_locked_file_and_an_ordinary_one_waits(
    databases: Databases,
):
    url, folder = databases.ready("sqlite")
    create_organization(url, "ana")
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
