"""A full disk: sends fail, reads work, and the server recovers by itself."""

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.crash.client import request
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.crash.server import ServerProcess
from tests.support.cli_runner import Terminal
from tests.support.databases import Databases
from tests.support.waiting import TIMEOUT_SECONDS

LONG = "All work and no play. " * 400

Remedy = Callable[[], None]  # frees space


def test_a_full_disk_refuses_sends_until_there_is_space(small_disk: Path, new_server: NewServer):
    """A file system of a few megabytes that another program fills."""
    server = new_server(f"sqlite:///{small_disk / 'tertulia.db'}", small_disk)

    play(server, f"sqlite:///{small_disk / 'tertulia.db'}", lambda: fill(small_disk).unlink)


def test_a_file_size_limit_refuses_sends_until_it_is_lifted(
    databases: Databases, new_server: NewServer
):
    """The kernel limits the size of files: another error for the same condition."""
    url, folder = databases.ready("sqlite")
    server = new_server(url, folder)

    def fill() -> Remedy:
        server.limit_file_size((folder / "tertulia.db-wal").stat().st_size)
        return lambda: server.limit_file_size(-1)

    play(server, url, fill)


def test_a_start_on_a_full_disk_says_that_it_is_full(small_disk: Path):
    terminal = Terminal(small_disk).creates_organization()
    fill(small_disk)

    for words in (["serve", "--port", "0"], ["check"], ["upgrade", "--check"]):
        refused = terminal.runs(*words)

        assert refused.code == 1
        assert f"The disk of {small_disk} is full" in refused.err


@pytest.mark.on_one
def test_a_backup_on_a_full_disk_says_so_and_leaves_nothing(small_disk: Path, tmp_path: Path):
    terminal = Terminal(tmp_path).creates_organization()
    fill(small_disk)

    for words in (["backup", f"{small_disk}/all.tar"], ["export", f"{small_disk}/all.zip"]):
        refused = terminal.runs(*words)

        assert (refused.code, refused.out) == (1, "")
        assert (
            refused.err == "Error: The disk is full. Free some space, and run the command again.\n"
        )
    assert [each.name for each in small_disk.iterdir()] == ["ballast"]


def fill(folder: Path) -> Path:
    """Fill the disk of a folder. Returns the file that does it."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return ballast


def play(server: ServerProcess, url: str, fill: Callable[[], Remedy]) -> None:
    people = create_organization(url, "ana ben")
    server.start()
    ana, ben = people["ana"].at(server.port), people["ben"].at(server.port)
    ana.joins("kitchen")
    ben.joins("kitchen")
    ana.says("Is there room?", to="kitchen")  # from now on her account is in memory
    queue_id = ben.registers()
    before = ana.says("There is room", to="kitchen")
    assert before.status == 200
    assert ben.polls(queue_id)["events"], "from now on his mailbox is filled from memory"

    make_room = fill()
    tried = [ana.says(words, to="kitchen") for words in [LONG, "Briefly"] * 10]
    health = request(server.port, "GET", "/health")
    numbers = request(server.port, "GET", "/metrics")["text"]
    seen = ben.get(f"/messages/{before['id']}")
    response = ben.polls(queue_id)
    make_room()
    after = ana.says("There is room again", to="kitchen")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while after.status == 503 and time.monotonic() < deadline:
        after = ana.says("There is room again", to="kitchen")

    refused = tried[-1]
    assert (refused.status, refused.code) == (503, "SERVICE_UNAVAILABLE")
    assert refused.content_type == "application/json"
    assert (health.status, health["writes"]) == (200, "failing")
    assert "SQLITE_" in health["reason"]
    assert health["reason"] in server.failures()
    assert "tertulia_writes_failing 1.0" in numbers
    assert "tertulia_disk_free_bytes" in numbers
    assert request(server.port, "GET", "/health")["writes"] == "ok"
    assert seen.status == 200
    assert after.status == 200
    next_response = ben.polls(queue_id, response["events"][-1]["id"])
    text = [each["id"] for each in (before, *tried, after) if each.status == 200]
    received = [each["message"]["id"] for each in response["events"] + next_response["events"]]
    assert received == text, "no client receives a refused message"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a small file system, if the user may do that."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tertulia-test", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("making a file system of its own is not permitted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
