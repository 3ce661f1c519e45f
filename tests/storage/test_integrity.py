"""SQLite's integrity checks report no false errors, in any version."""

import sqlite3
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.support.cli_runner import Terminal
from tests.support.files import uploads
from tests.support.people import Chat
from tests.support.waiting import eventually

from tertulia.database import Database
from tertulia.database.dialects import sqlite_check


def test_a_linked_file_is_no_error(start_server):
    server = start_server()
    ana = Chat.found(server, "").person("ana", channels=["kitchen"])
    ana.says(uploads(ana).link, to="kitchen > lunch")

    assert server.database.integrity_problems() == []


def test_the_key_of_a_table_without_row_ids_comes_first(tmp_path):
    """SQLite 3.40 takes columns before it for empty, once there is a row."""
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


def damaged(terminal: Terminal, table: str) -> Path:
    """Overwrite the first page of a table of a data folder."""
    file = terminal.data / "tertulia.db"
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = database.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    with file.open("r+b") as data:
        data.seek((page - 1) * size)
        data.write(b"\xff" * size)
    return file


@pytest.mark.on_one
def test_check_continues_past_damaged_tables_and_says_what_to_do(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()
    terminal.adds("ana")
    for table in ("search_word", "realm"):
        damaged(terminal, table)

    result = terminal.runs("check")

    assert result.code == 1
    for words in ("the table search_word", "the table realm", "restore the last backup"):
        assert words in result.out
    assert "the table account" not in result.out
    for subject in ("schema", "database", "keys", "search", "files", "references"):
        assert any(line.startswith(subject) for line in result.out.splitlines()), subject


@pytest.mark.on_one
def test_a_server_logs_a_quick_check_of_its_file(tmp_path, monkeypatch):
    terminal = Terminal(tmp_path / "data").creates_organization()
    file = terminal.data / "tertulia.db"

    with capture_logs() as logged:
        sqlite_check.quick_check(file)
        monkeypatch.setattr(sqlite_check, "MAX_QUICK_CHECK_BYTES", 1)
        sqlite_check.quick_check(file)
        monkeypatch.undo()
        damaged(terminal, "draft")
        sqlite_check.quick_check(file)

    assert [line["event"] for line in logged] == [
        "database.quick_check_passed",
        "database.quick_check_skipped",
        "database.quick_check_failed",
    ]


@pytest.mark.on_one
def test_a_server_that_starts_on_a_damaged_file_logs_it(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()
    damaged(terminal, "saved_snippet")
    try:
        server = terminal.serves()
        eventually(lambda: "database.quick_check_failed" in server.output.err)
    finally:
        terminal.close()
