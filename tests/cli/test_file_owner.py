"""Commands that root runs leave no file in the data folder that its server cannot read."""

import pwd
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.crash.client import Client, Unreachable, request
from tests.support import ordinary_user
from tests.support.cli_runner import CommandResult, clean_environment
from tests.support.forkserver import COMMAND
from tests.support.ports import own_port
from tests.support.waiting import TIMEOUT_SECONDS, eventually

pytestmark = [
    pytest.mark.on_one,
    pytest.mark.skipif(
        not ordinary_user.IS_ROOT, reason="only root can write another user's files"
    ),
]


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of the server's user."""
    with ordinary_user.home() as folder:
        yield folder


def as_root(*words: str) -> CommandResult:
    done = subprocess.run(
        [COMMAND, *words], capture_output=True, text=True, env=clean_environment(), check=False
    )
    assert done.returncode == 0, done.stderr
    return CommandResult(done.returncode, done.stdout, done.stderr)


@contextmanager
def served(data: Path) -> Iterator[int]:
    """A server that the other user runs; gives its port."""
    port = own_port()
    words = ["serve", "--data", str(data), "--port", str(port)]
    log = data.parent / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*ordinary_user.prefix(), COMMAND, *words],
            stdout=file,
            stderr=file,
            env=clean_environment(),
        )

    def answers() -> bool:
        assert process.poll() is None, log.read_text()
        try:
            return request(port, "GET", "/health").status == 200
        except Unreachable:
            return False

    try:
        eventually(answers)
        yield port
        process.send_signal(signal.SIGTERM)
        process.wait(TIMEOUT_SECONDS)
    finally:
        process.kill()
        process.wait()


def strangers(folder: Path) -> list[str]:
    """What in a folder belongs to another user than the folder's."""
    owner = folder.stat().st_uid
    return [str(each) for each in folder.rglob("*") if each.stat().st_uid != owner]


def test_a_server_of_another_user_continues_after_root_rotates_its_secret(home):
    data = home / "data"
    with served(data) as port:
        location = ("--data", str(data))
        key = as_root("user", "add", "ana@example.com", "--name", "Ana", *location).out.strip()
        ana = Client(port, "ana@example.com", key)
        eventually(lambda: ana.get("/users/me").status == 200)

        as_root("secret", "rotate", *location)
        responses = [ana.get("/users/me").status for _ in range(5)]
        messages = ana.post("/messages", type="direct", to=["ana@example.com"], content="Mine")

        assert set(responses) == {200}
        assert messages.status == 200, messages.body
        assert strangers(data) == []
    assert (data / "secret").stat().st_uid == pwd.getpwnam(ordinary_user.USER).pw_uid


def test_a_server_of_another_user_starts_on_data_restored_by_root(home):
    first, second, copy = home / "first", home / "second", home / "copy.tar"
    with served(first):
        as_root("user", "add", "ana@example.com", "--name", "Ana", "--data", str(first))
        as_root("backup", str(copy), "--with-secret", "--data", str(first))

    as_root("restore", str(copy), "--data", str(second))

    assert strangers(second) == []
    with served(second) as port:
        assert request(port, "GET", "/api/v1/server_settings").status == 200
    assert strangers(second) == []


def test_commands_of_root_give_files_to_the_owner_of_the_folder(home):
    data = home / "data"

    as_root("org", "create", "Tertulia", "--data", str(data))
    key = as_root("user", "add", "ana@example.com", "--name", "Ana", "--data", str(data)).out

    assert strangers(data) == []
    with served(data) as port:
        assert Client(port, "ana@example.com", key.strip()).get("/users/me").status == 200
