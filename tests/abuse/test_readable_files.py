"""Others on the same machine: what is ours to read is theirs in no folder and under no umask."""

import contextlib
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cli_runner import Terminal

from tertulia.cli import zuliprc

OURS = {"tertulia.db", "tertulia.db-wal", "tertulia.db-shm", "tertulia.db.lock", "secret"}


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A folder that was there before, and into which everybody may look."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    with contextlib.closing(Terminal(tmp_path / "data")) as terminal:
        yield terminal


def open_to_others(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if stat.S_IMODE(path.stat().st_mode) & 0o077}


def test_a_new_server_closes_its_files_whatever_the_umask(terminal):
    server = terminal.serves(umask="000")
    terminal.adds("ana")
    server.soon_answers(401, "/users/me", who="")

    assert {path.name for path in terminal.data.iterdir()} >= OURS
    assert not open_to_others(terminal.data) & OURS
    assert server.said.err.count("server.file_made_private") == 0


def test_so_does_a_command_that_makes_the_data(terminal):
    terminal.runs("org", "create", "Tertulia")

    assert (terminal.data / "tertulia.db").exists()
    assert not open_to_others(terminal.data) & OURS


def test_so_do_a_backup_and_a_restore(terminal, tmp_path):
    terminal.founds().adds("ana")
    (tmp_path / "there").mkdir(mode=0o755)
    copy = tmp_path / "there" / "backup.tar"

    assert terminal.runs("backup", str(copy), "--with-secret").code == 0
    assert Terminal(tmp_path / "there").runs("restore", str(copy)).code == 0

    assert {path.name for path in (tmp_path / "there").iterdir()} >= {"tertulia.db", "backup.tar"}
    assert not open_to_others(tmp_path / "there")


def test_files_that_others_could_read_are_closed_and_that_is_told(terminal):
    terminal.founds().adds("ana")
    for path in terminal.data.iterdir():
        path.chmod(0o644)

    server = terminal.serves()

    assert not open_to_others(terminal.data) & OURS
    assert "tertulia.db" in server.said.err
    assert "secret" in server.said.err
    assert server.said.err.count("server.file_made_private") >= 2


def test_a_file_with_a_key_in_it_is_closed_even_where_there_was_one(tmp_path):
    path = tmp_path / "zuliprc"
    path.write_text("something longer than what comes next" * 10)
    path.chmod(0o644)

    zuliprc.write(path, "ana@example.com", "key", "http://localhost")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == zuliprc.text("ana@example.com", "key", "http://localhost")
