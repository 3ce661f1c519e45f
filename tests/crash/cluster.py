"""PostgreSQL servers that tests kill and fail over."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.support.ports import own_port
from tests.support.waiting import eventually

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
SETTINGS = "fsync = on\nwal_level = replica\nhot_standby = on\nunix_socket_directories = ''\n"


class Postgres:
    """One server; `copy` creates a standby that follows it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        run("pg_ctl", "-D", self.folder, "-o", f"-p {self.port}", "-l", self._log, "-w", "start")

    def kill(self) -> None:
        run("pg_ctl", "-D", self.folder, "-m", "immediate", "stop")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes during the block. The kernel keeps their connections open, and
        accepts new ones."""
        first = int((self.folder / "postmaster.pid").read_text().split()[0])
        stopped = [first]
        os.kill(first, signal.SIGSTOP)
        try:
            for each in _children(first):
                os.kill(each, signal.SIGSTOP)
                stopped.append(each)
            yield
        finally:
            for each in reversed(stopped):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGCONT)

    def restart(self, how: str) -> None:
        """`fast` closes connections in order, `immediate` does not."""
        run("pg_ctl", "-D", self.folder, "-m", how, "stop")
        self.start()

    def allow(self, connections: int) -> None:
        """Limit the number of connections."""
        self.run_sql(f"ALTER SYSTEM SET max_connections = {connections}")
        self.restart("fast")

    def copy(self, folder: Path) -> "Postgres":
        run(
            "pg_basebackup",
            "-D",
            folder,
            "-h",
            "127.0.0.1",
            "-p",
            self.port,
            "-U",
            "postgres",
            "-R",
        )
        return Postgres(folder, own_port())

    def stop_following(self) -> None:
        """From now on it misses what is written."""
        self.run_sql("ALTER SYSTEM SET primary_conninfo = ''")
        self.run_sql("SELECT pg_reload_conf()")
        eventually(lambda: not self.run_sql("SELECT 1 FROM pg_stat_wal_receiver").strip())

    def take_over(self) -> None:
        run("pg_ctl", "-D", self.folder, "-w", "promote")

    def run_sql(self, sql: str) -> str:
        words = ["-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-tAc", sql]
        return run("psql", *words)

    @property
    def _log(self) -> Path:
        return self.folder.with_suffix(".log")


def _children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task")
    return [
        int(each) for task in tasks.iterdir() for each in (task / "children").read_text().split()
    ]


@contextmanager
def cluster() -> Iterator[Postgres]:
    """A primary with its own data folder, for one test."""
    if PROGRAMS is None:
        pytest.skip("PostgreSQL is not installed here")
    with tempfile.TemporaryDirectory(prefix="tertulia-cluster-") as folder:
        home = Path(folder)
        if os.geteuid() == 0:
            shutil.chown(home, "postgres")
        yield from _running(home)


def _running(home: Path) -> Iterator[Postgres]:
    first = Postgres(home / "first", own_port())
    run("initdb", "-D", first.folder, "-U", "postgres", "-A", "trust")
    run("sh", "-c", f'printf "{SETTINGS}" >> {first.folder}/postgresql.conf', of_postgres=False)
    first.start()
    try:
        yield first
    finally:
        for data in home.glob("*/postmaster.pid"):
            run("pg_ctl", "-D", data.parent, "-m", "immediate", "stop")


def run(program: str, *words: object, of_postgres: bool = True) -> str:
    """Run as another user: PostgreSQL refuses root."""
    path = str(PROGRAMS / program) if of_postgres and PROGRAMS is not None else program
    as_postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    command = [*(as_postgres if os.geteuid() == 0 else []), path, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
    return done.stdout
