"""A server in its own process, and its cost: memory, CPU time."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

START_SECONDS = 90.0
HIDDEN = Path(__file__).parent / "hidden"  # modules that only tests install


class Process:
    def __init__(self, command: Sequence[str], port: int, log: Path, **environment: str) -> None:
        self.port = port
        self._log = log
        self._started = time.perf_counter()
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                env=clean_environment() | environment,
            )

    def wait_for_first_answer(self, path: str) -> float:
        """Repeat until it answers; returns the seconds since the start."""
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        deadline = self._started + START_SECONDS
        while time.perf_counter() < deadline:
            if self._process.poll() is not None:
                break
            try:
                with socket.create_connection(("127.0.0.1", self.port)) as connection:
                    connection.sendall(request)
                    if connection.recv(12).endswith(b"200"):
                        return time.perf_counter() - self._started
            except OSError:
                pass
            time.sleep(0.002)
        raise RuntimeError(f"the server did not start:\n{self._log.read_text()[-2000:]}")

    def cpu_seconds(self) -> float:
        """CPU time of all threads so far."""
        tasks = Path(f"/proc/{self._process.pid}/task")
        try:
            nanoseconds = sum(
                int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()
            )
            return nanoseconds / 1e9
        except FileNotFoundError:  # a kernel with coarser counters
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(") ")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def written_bytes(self) -> int:
        """Bytes that the process has written to files and sockets so far."""
        counts = Path(f"/proc/{self._process.pid}/io").read_text()
        return int(counts.partition("wchar: ")[2].split()[0])

    def memory(self) -> tuple[int, int]:
        """Bytes: proportional set size and resident set size."""
        rollup = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text()
        sizes = {
            words[0]: int(words[1]) * 1024 for words in map(str.split, rollup.splitlines()[1:])
        }
        return sizes["Pss:"], sizes["Rss:"]

    def send(self, sign: int) -> None:
        self._process.send_signal(sign)

    def stop(self) -> float:
        """Stop it and return how long that took."""
        began = time.perf_counter()
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        return time.perf_counter() - began


@contextlib.contextmanager
def tertulia(folder: Path, url: str, secret: str, **settings: str) -> Iterator[Process]:
    """`settings` are variables, such as `TERTULIA_SMTP_HOST`."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("tertulia")), "serve"]
    flags = ["--data", str(folder), "--port", str(port), "--database", url]
    process = Process(
        [*command, *flags],
        port,
        folder / "bench.log",
        TERTULIA_SECRET=secret,
        TERTULIA_RATE_LIMIT="off",
        TERTULIA_RATE_LIMIT_ANONYMOUS="off",
        TERTULIA_MAX_CONNECTIONS_PER_ADDRESS="1000000",
        **settings,
    )
    try:
        yield process
    finally:
        process.stop()


@contextlib.contextmanager
def new_database(folder: Path, postgres: str | None, name: str) -> Iterator[str]:
    """The URL of an empty database: in a folder, or on a server, where it is dropped again."""
    if postgres is None:
        yield f"sqlite:///{folder / 'tertulia.db'}"
        return
    server = urlsplit(postgres)
    with psycopg.connect(server._replace(path="/postgres").geturl(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield server._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def free_port() -> int:
    """Below the range for outgoing connections: a client of a closed one of these may connect to
    itself."""
    while True:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def clean_environment() -> dict[str, str]:
    """That of an operator: no settings of ours, nothing that only tests install, and compiled
    modules are kept."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TERTULIA_") and name != "PYTHONDONTWRITEBYTECODE"
    }
    return kept | {"PYTHONPATH": str(HIDDEN)}
