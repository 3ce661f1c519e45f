"""What SQLite says of its own integrity, whatever its version, is to be believed."""

import sqlite3

from tests.support.files import uploads
from tests.support.people import Chat

from tertulia.storage.database import Database


def test_a_linked_file_is_no_fault(start_server):
    server = start_server()
    ana = Chat.found(server, "").person("ana", channels=["kitchen"])
    ana.says(uploads(ana).link, to="kitchen > lunch")

    assert server.database.integrity_problems() == []


def test_the_key_of_a_table_without_row_ids_stands_first(tmp_path):
    """SQLite 3.40 takes what stands before it for empty, once there is a row."""
    Database.at(f"sqlite:///{tmp_path}/empty.db").migrate()
    with sqlite3.connect(tmp_path / "empty.db") as database:
        tables = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%WITHOUT ROWID'"
        ).fetchall()
        found = {
            name: database.execute(f"PRAGMA table_info({name})").fetchall() for (name,) in tables
        }

    assert found
    for table, columns in found.items():
        keys = [bool(column[5]) for column in columns]
        assert keys == sorted(keys, reverse=True), table
