"""A server process that tests kill, stop and restart."""

import os
import resource
import signal
import time
from pathlib import Path

from tests.crash.client import Unreachable, request
from tests.support.cli_runner import clean_environment
from tests.support.forkserver import ForkedServer
from tests.support.ports import own_port
from tests.support.waiting import TIMEOUT_SECONDS

SECRET = "nobody would guess this secret of the tests"
OUT_OF_CONNECTIONS = ("too many clients", "cannot reach its data")


class ServerProcess:
    """`tertulia serve` on a fixed port, with the log of all its runs in one file."""

    def __init__(self, url: str, folder: Path) -> None:
        self.port = own_port()
        self._log = folder.parent / f"{folder.name}-{self.port}.log"
        path = ["--data", str(folder), "--database", url, "--port", str(self.port)]
        self.flags = ["serve", *path]
        self.is_durable = True
        self._process: ForkedServer | None = None

    # --- start and stop ---

    def start(self, *, wait: bool = True) -> None:
        environment = clean_environment(TERTULIA_SECRET=SECRET, TERTULIA_RATE_LIMIT="off")
        log = self._log
        self._process = ForkedServer(self.flags, environment, log, log, is_durable=self.is_durable)
        if wait:
            self.wait_until_it_answers()

    def wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                # A PostgreSQL that other tests use may be out of connections for a moment.
                if not any(words in self.last_log_lines(1) for words in OUT_OF_CONNECTIONS):
                    raise AssertionError(f"the server ended by itself:\n{self.last_log_lines()}")
                time.sleep(0.2)
                self.start(wait=False)
            try:
                if request(self.port, "GET", "/api/v1/server_settings").status == 200:
                    return
            except Unreachable:
                time.sleep(0.01)
        raise AssertionError(f"the server does not answer:\n{self.last_log_lines()}")

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait()

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def end(self) -> None:
        """Stop it with SIGTERM."""
        self.terminate()
        self.process.wait(TIMEOUT_SECONDS)

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    # --- inspect and disturb ---

    @property
    def process(self) -> ForkedServer:
        assert self._process is not None, "the server was never started"
        return self._process

    def wait_for_parked_polls(self, count: int) -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            numbers = request(self.port, "GET", "/metrics")["text"]
            if f"tertulia_parked_polls {float(count)}" in numbers:
                return
            time.sleep(0.02)
        raise AssertionError(f"{count} polls did not arrive")

    def cpu_seconds(self) -> float:
        """CPU time of this run of the server."""
        after_name = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    def own_bytes(self) -> int:
        """Private memory of the process."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_"))

    def limit_file_size(self, limit: int) -> None:
        """Limit the size of files in bytes; -1 removes the limit."""
        _, hard = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (limit, hard))

    def failures(self) -> str:
        """The errors in its log."""
        lines = self._log.read_text(errors="replace").splitlines()
        return "\n".join(line for line in lines if "[error" in line or '"error"' in line)

    def last_log_lines(self, lines: int = 30) -> str:
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-lines:])
