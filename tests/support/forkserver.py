"""A fork server: each server process is a fork of one that has loaded everything.

Loading the server takes longer than most tests. A fork is an ordinary process: it has its own
environment and files, is stopped by signals, and ends with an exit code.
`tests/server/test_process.py` tests the start of the command itself.
"""

import os
import sys
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path

from tertulia import cli
from tertulia.database import readers
from tertulia.database.dialects.postgres import Postgres
from tertulia.jobs import disk
from tertulia.web.public import pacing

COMMAND = str(Path(sys.executable).with_name("tertulia"))

disk.MIN_FREE_PERCENT = 0  # tests must not depend on the free disk space
pacing.MAX_PAUSE_SECONDS = 0.0  # no test waits for other pages
readers.READERS = 2  # here and in the forks: one PostgreSQL for all tests has 100 connections


class ForkedServer:
    """Like `subprocess.Popen`, for a fork."""

    def __init__(
        self,
        words: list[str],
        environment: dict[str, str],
        out: Path,
        err: Path,
        *,
        is_durable: bool = True,
    ) -> None:
        """A server that is not durable does not wait until PostgreSQL has written a commit to the
        disk."""
        arguments = (words, environment, out, err, is_durable)
        self._process = _fork_server().Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        self.pid: int = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self._process.exitcode
        assert code is not None, f"the server did not end within {timeout} s"
        return code

    def kill(self) -> None:
        self._process.kill()

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


@cache
def _fork_server() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__, "tests.support.loaded_server"])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    forkserver.ensure_running()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before
    return context


def _serve(
    words: list[str],
    environment: dict[str, str],
    out: Path,
    err: Path,
    is_durable: bool,
) -> None:
    for path, number in ((out, 1), (err, 2)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(environment)
    if not is_durable:
        Postgres.durability = {"synchronous_commit": "off"}
    sys.argv = [COMMAND, *words]
    cli.main(words, prog_name="tertulia")
