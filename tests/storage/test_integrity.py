"""SQLite's integrity checks report no false errors, in any version."""

import json
import sqlite3
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from structlog.testing import capture_logs
from tests.support.cli_runner import ServerCommand, Terminal
from tests.support.files import uploads
from tests.support.people import Chat
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database import BlockingDatabase
from tertulia.database.dialects import sqlite_check


def test_a_linked_file_is_no_error(start_server):
    server = start_server()
    ana = Chat.found(server, "").person("ana", channels=["kitchen"])
    ana.says(uploads(ana).link, to="kitchen > lunch")

    assert server.database.blocking.integrity_problems() == []


def test_the_key_of_a_table_without_row_ids_comes_first(tmp_path):
    """SQLite 3.40 takes columns before it for empty, once there is a row."""
    BlockingDatabase.at(f"sqlite:///{tmp_path}/empty.db").migrate()
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

    found: list[str] = []
    with capture_logs() as logged:
        sqlite_check.quick_check(file, found.append)
        monkeypatch.setattr(sqlite_check, "MAX_QUICK_CHECK_BYTES", 1)
        sqlite_check.quick_check(file, found.append)
        monkeypatch.undo()
        assert not found
        damaged(terminal, "draft")
        sqlite_check.quick_check(file, found.append)

    assert len(found) == 1

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
        eventually(lambda: health(server)["status"] == "damaged")
        assert "tertulia_database_damaged 1.0" in body(server, "/metrics")
    finally:
        terminal.close()


def body(server: ServerCommand, path: str, **headers: str) -> str:
    request = Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
    with urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        return str(response.read(), "utf-8")


def health(server: ServerCommand) -> dict[str, str]:
    found: dict[str, str] = json.loads(body(server, "/health"))
    return found


@pytest.mark.on_one
def test_a_statement_that_finds_damage_is_reported_until_the_server_ends(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()
    who = terminal.adds("ana")
    try:
        server = terminal.serves()
        eventually(lambda: "database.quick_check_passed" in server.output.err)
        assert health(server) == {"status": "ok", "writes": "ok"}
        damaged(terminal, "saved_snippet")

        snippet = {"title": "Greeting", "content": "Hello"}
        code, _ = server.asks("POST", "/saved_snippets", who=who, **snippet)
        server.asks("POST", "/users/me/status", who=who, status_text="Here")  # a write that works

        assert code == 500
        assert health(server)["status"] == "damaged"
        assert health(server)["reason"].startswith("SQLITE_CORRUPT")
        token = terminal.runs("operator-link").out.partition("token=")[2].split()[0]
        status = body(server, "/operator/status.json", authorization=f"Bearer {token}")
        writes = json.loads(status)["parts"]["writes"]
        assert writes["state"] == "fail"
        assert writes["reason"] == health(server)["reason"]
        refused = terminal.runs("health", "--port", str(server.port))
        assert (refused.code, "SQLITE_CORRUPT" in refused.err) == (1, True)
    finally:
        terminal.close()


@pytest.mark.on_one
def test_a_refusal_to_start_on_a_damaged_file_says_what_to_do(tmp_path):
    terminal = Terminal(tmp_path / "data").creates_organization()
    damaged(terminal, "server_note")

    refused = terminal.runs("serve", "--port", "0")

    assert refused.code == 1
    assert "malformed" in refused.err
    assert sqlite_check.WHAT_TO_DO in refused.err
