"""Servers of two versions, as docs/upgrading.md promises: real processes of older commits.

The older code runs with today's libraries. It is read from the history of the repository, so these
tests are skipped where there is none.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.crash.client import Client, Unreachable, request
from tests.crash.server import SECRET, ServerProcess
from tests.support.cli_runner import clean_environment
from tests.support.databases import Databases
from tests.support.ports import own_port
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database import BlockingDatabase, schema
from tertulia.database.schema import BREAKING

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from tertulia.cli import main; main(prog_name='tertulia')"]
VERSION_0_2, VERSION_0_3 = "184081f4", "51eee93f"


class OlderVersion:
    """The code of a commit."""

    def __init__(self, code: Path, folder: Path, url: str) -> None:
        self._flags = ["--data", str(folder), "--database", url]
        self._environment = clean_environment(
            PYTHONPATH=str(code / "src"), TERTULIA_SECRET=SECRET, TERTULIA_RATE_LIMIT="off"
        )
        self.port = own_port()
        self.log = folder.parent / f"{folder.name}-{self.port}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def runs(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words, *self._flags],
            env=self._environment,
            capture_output=True,
            text=True,
        )

    def adds(self, name: str, role: str = "member") -> tuple[str, str]:
        email = f"{name}@example.com"
        done = self.runs("user", "add", email, "--name", name.title(), "--role", role)
        assert done.returncode == 0, done.stderr
        return email, done.stdout.strip()

    def starts(self) -> None:
        words = ["serve", "--port", str(self.port), *self._flags]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*COMMAND, *words], env=self._environment, stdout=log, stderr=log
            )
        eventually(self._answers)

    def stops(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(TIMEOUT_SECONDS)
            self._process = None

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log.read_text()
        try:
            return request(self.port, "GET", "/api/v1/server_settings").status == 200
        except Unreachable:
            return False


NewVersion = Callable[[str, str, Path], OlderVersion]


@pytest.fixture
def older_version(tmp_path: Path) -> Iterator[NewVersion]:
    """Makes older versions: `older_version(commit, url, folder)`."""
    made: list[OlderVersion] = []

    def make(commit: str, url: str, folder: Path) -> OlderVersion:
        code = tmp_path / commit
        code.mkdir()
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", commit, "src"], capture_output=True
        )
        if archive.returncode:
            pytest.skip(f"the commit {commit} is not in the history here")
        subprocess.run(["tar", "-x", "-C", str(code)], input=archive.stdout, check=True)
        made.append(OlderVersion(code, folder, url))
        return made[-1]

    yield make
    for each in made:
        each.stops()


def oldest_compatible() -> str:
    """The commit that added the last migration with which older servers cannot work."""
    marked = [path for path in schema.FOLDER.rglob("*.sql") if BREAKING in path.read_text()]
    last = max(marked, key=lambda path: path.name)
    added = ["git", "-C", str(ROOT), "log", "--diff-filter=A", "--format=%h", "--", str(last)]
    found = subprocess.run(added, capture_output=True, text=True).stdout.split()
    if not found:
        pytest.skip(f"the commit that added {last.name} is not in the history here")
    return found[-1]


@pytest.mark.thorough
@pytest.mark.postgres
def test_servers_of_two_versions_deliver_each_others_messages(
    databases: Databases, older_version: NewVersion
):
    url, folder = databases.new("postgres", untouched=True)
    old = older_version(oldest_compatible(), url, folder / "old")
    old.runs("org", "create", "Tertulia")
    people = old.adds("ana", "owner"), old.adds("ben")
    old.starts()
    ana, ben = (Client(old.port, *each) for each in people)
    for each in (ana, ben):
        each.joins("kitchen")
    queue = ben.registers()
    ana.says("before the upgrade", to="kitchen")

    new = ServerProcess(url, folder / "new")
    try:
        new.start()
        assert schema.latest() in BlockingDatabase.at(url).schema().applied
        newer_ana, newer_ben = (Client(new.port, *each) for each in people)
        newer_queue = newer_ben.registers()
        newer_ana.says("by the newer one", to="kitchen")
        assert texts(ben, queue, 2) == ["before the upgrade", "by the newer one"]
        ana.says("by the older one", to="kitchen")
        assert texts(newer_ben, newer_queue, 2) == ["by the newer one", "by the older one"]
        assert texts(newer_ben, queue, 3)[-1] == "by the older one", "a queue moves to the newer"

        old.stops()
        old.starts()
        for each in (ana, ben):
            each.close()
        ana.says("by the older one after a restart", to="kitchen")
        assert texts(ben, queue, 4)[-1] == "by the older one after a restart"
        assert texts(newer_ben, newer_queue, 3)[-1] == "by the older one after a restart"
        assert not new.failures()
    finally:
        new.close()


@pytest.mark.thorough
@pytest.mark.parametrize("commit", [VERSION_0_2, VERSION_0_3], ids=["0.2", "0.3"])
def test_a_version_that_cannot_work_with_the_schema_refuses_to_start(
    databases: Databases, older_version: NewVersion, commit: str, kind
):
    url, folder = databases.new(kind, untouched=True)
    BlockingDatabase.at(url).migrate()
    os.chmod(folder, 0o700)

    done = older_version(commit, url, folder).runs("serve", "--port", "0")

    assert done.returncode == 1
    assert "This data was written by a newer Tertulia" in done.stderr
    assert "Please start the newer version, or restore a backup" in done.stderr
    assert "Traceback" not in done.stderr


def texts(client: Client, queue: str, count: int) -> list[str]:
    """All messages of a queue, once there are so many; none is acknowledged."""
    found: list[str] = []

    def has_arrived() -> bool:
        answer = client.polls(queue, dont_block=True)
        assert answer.status == 200, answer.body
        messages = (each for each in answer["events"] if each["type"] == "message")
        found[:] = [each["message"]["content"] for each in messages]
        return len(found) >= count

    eventually(has_arrived)
    return found
