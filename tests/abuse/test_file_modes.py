"""File modes: other users of the machine cannot read the server's files, in any folder and under
any umask."""

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
    """A folder that existed before and that everyone may read."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    with contextlib.closing(Terminal(tmp_path / "data")) as terminal:
        yield terminal


def open_to_others(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if stat.S_IMODE(path.stat().st_mode) & 0o077}


def test_a_new_server_creates_private_files_under_any_umask(terminal):
    server = terminal.serves(umask="000")
    terminal.adds("ana")
    server.eventually_answers(401, "/users/me", who="")

    assert {path.name for path in terminal.data.iterdir()} >= OURS
    assert not open_to_others(terminal.data) & OURS
    assert server.output.err.count("server.file_made_private") == 0


def test_a_command_creates_private_files(terminal):
    terminal.runs("org", "create", "Tertulia")

    assert (terminal.data / "tertulia.db").exists()
    assert not open_to_others(terminal.data) & OURS


def test_backup_and_restore_create_private_files(terminal, tmp_path):
    terminal.creates_organization().adds("ana")
    (tmp_path / "there").mkdir(mode=0o755)
    copy = tmp_path / "there" / "backup.tar"

    assert terminal.runs("backup", str(copy), "--with-secret").code == 0
    assert Terminal(tmp_path / "there").runs("restore", str(copy)).code == 0

    assert {path.name for path in (tmp_path / "there").iterdir()} >= {"tertulia.db", "backup.tar"}
    assert not open_to_others(tmp_path / "there")


def test_readable_files_are_made_private_and_that_is_logged(terminal):
    terminal.creates_organization().adds("ana")
    for path in terminal.data.iterdir():
        path.chmod(0o644)

    server = terminal.serves()

    assert not open_to_others(terminal.data) & OURS
    assert "tertulia.db" in server.output.err
    assert "secret" in server.output.err
    assert server.output.err.count("server.file_made_private") >= 2


def test_a_file_with_a_key_is_made_private_even_if_it_existed(tmp_path):
    path = tmp_path / "zuliprc"
    path.write_text("something longer than what comes next" * 10)
    path.chmod(0o644)

    zuliprc.write(path, "ana@example.com", "key", "http://localhost")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == zuliprc.text("ana@example.com", "key", "http://localhost")
