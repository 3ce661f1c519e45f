"""A terminal: runs `tertulia` and reads its output."""

import base64
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import click
from click.testing import CliRunner
from tests.support.databases import sqlite_with_tables
from tests.support.forkserver import COMMAND, ForkedServer
from tests.support.waiting import TIMEOUT_SECONDS, eventually
from tools.generate import generate

from tertulia.cli import main


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without settings of the server and arguments of `make test`."""
    left_out = ("TERTULIA_", "MAKE", "MFLAGS", "ARGS")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    return kept | more


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command."""

    code: int
    out: str
    err: str


class Terminal:
    """A terminal with one data folder."""

    def __init__(self, data: Path, database: str = "") -> None:
        self.data = data
        self.data_options = ["--data", str(data)]
        if database:
            self.data_options += ["--database", database]
        self._serving: list[ServerCommand] = []

    def creates_tables(self) -> "Terminal":
        """Create a database with empty tables, to save time."""
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self.data / "tertulia.db"
        file.touch(mode=0o600)
        file.write_bytes(sqlite_with_tables())
        return self

    def creates_organization(self) -> "Terminal":
        """Create the data.

        Unless a test names a database, it has its tables already, to save time.
        """
        if self.data_options == ["--data", str(self.data)]:
            self.creates_tables()
        result = self.runs("org", "create", "Tertulia")
        assert result.code == 0, result.err
        return self

    def runs(self, *words: str, typing: str = "", **settings: str) -> CommandResult:
        """Run a command in this process."""
        return self._invoke(main, words, typing, settings)

    def generates(self, *words: str, **settings: str) -> CommandResult:
        """Make an organization of a given size."""
        return self._invoke(generate, words, "", settings)

    def _invoke(
        self, command: click.Command, words: tuple[str, ...], typing: str, settings: dict[str, str]
    ) -> CommandResult:
        ours: dict[str, str | None] = {n: None for n in os.environ if n.startswith("TERTULIA_")}
        done = CliRunner().invoke(
            command,
            [*words, *self.data_options],
            input=typing,
            env=ours | settings,
            prog_name="tertulia",
        )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return CommandResult(done.exit_code, done.stdout, done.stderr)

    def runs_process(self, *words: str) -> CommandResult:
        """Run it in its own process."""
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            process = ForkedServer([*words, *self.data_options], clean_environment(), out, err)
            code = process.wait(TIMEOUT_SECONDS)
            return CommandResult(code, out.read_text(), err.read_text())

    def adds(self, name: str, *flags: str) -> str:
        """Add a user and return `email:key`."""
        email = f"{name}@example.com"
        result = self.runs("user", "add", email, "--name", name.title(), *flags)
        assert result.code == 0, result.err
        return f"{email}:{result.out.strip()}"

    def serves(
        self, *flags: str, log: Path | None = None, ulimit: str = "", umask: str = ""
    ) -> "ServerCommand":
        """Start a server and wait until it listens."""
        words = ["serve", "--port", "0", *self.data_options, *flags]
        shell = " && ".join([f"ulimit {ulimit}"] * bool(ulimit) + [f"umask {umask}"] * bool(umask))
        number = len(self._serving)
        folder = self.data.parent
        folder.mkdir(parents=True, exist_ok=True)
        out = folder / f"{self.data.name}-{number}.out"
        serving = ServerCommand(shell, words, out, log or folder / f"{self.data.name}-{number}.err")
        self._serving.append(serving)
        serving.wait_until_it_listens()
        return serving

    def close(self) -> None:
        for serving in self._serving:
            serving.close()


class ServerCommand:
    """A server in its own process."""

    def __init__(self, shell: str, words: list[str], out: Path, log: Path) -> None:
        """With `words` for a shell, that shell starts it."""
        self._out, self._log = out, log
        self.process: ForkedServer | subprocess.Popen[bytes]
        if shell:
            command = ["sh", "-c", f'{shell} && exec "$@"', "sh", COMMAND, *words]
            with out.open("wb") as stdout, log.open("wb") as stderr:
                self.process = subprocess.Popen(
                    command, stdout=stdout, stderr=stderr, env=clean_environment()
                )
        else:
            out.touch()
            self.process = ForkedServer(words, clean_environment(), out, log)

    @property
    def output(self) -> CommandResult:
        """Its output so far, and its exit code."""
        code = self.process.poll()
        return CommandResult(
            -1 if code is None else code, self._out.read_text(), self._log.read_text()
        )

    @property
    def logged(self) -> list[str]:
        """The lines of its log, except those of every start."""
        lines = self._log.read_text().splitlines()
        return [line for line in lines if "database.quick_check" not in line]

    @property
    def port(self) -> int:
        address = re.search(r"https?://\S+", self._out.read_text())
        assert address is not None
        return urlsplit(address[0]).port or 0

    def wait_until_it_listens(self) -> None:
        def listens() -> bool:
            assert self.process.poll() is None, self.output.err
            return self._out.read_text().endswith("\n")

        eventually(listens)

    def asks(
        self, method: str, path: str, *, who: str = "", host: str = "", **params: Any
    ) -> tuple[int, dict[str, Any]]:
        """Call the API as `email:key` and return status and JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        headers = {"Host": host} if host else {}
        if who:
            headers["Authorization"] = f"Basic {base64.b64encode(who.encode()).decode()}"
        query = f"?{urlencode(params)}" if params else ""
        connection.request(method, f"/api/v1{path}{query}", headers=headers)
        response = connection.getresponse()
        body = json.loads(response.read())
        connection.close()
        return response.status, body

    def eventually_answers(self, status: int, path: str, *, who: str, host: str = "") -> None:
        """Repeat until the answer has this status."""
        eventually(lambda: self.asks("GET", path, who=who, host=host)[0] == status)

    def stops(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait(TIMEOUT_SECONDS)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
