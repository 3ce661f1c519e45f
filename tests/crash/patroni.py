"""PostgreSQL servers managed by Patroni and etcd, as Debian packages them."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.crash.cluster import PROGRAMS, run
from tests.support.ports import own_port
from tests.support.waiting import eventually

AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
CONFIG = """
scope: tertulia
name: {name}
restapi: {{listen: "127.0.0.1:{api}", connect_address: "127.0.0.1:{api}"}}
etcd3: {{host: "127.0.0.1:{etcd}"}}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 1
    retry_timeout: 3
    synchronous_mode: {synchronous}
    postgresql: {{use_pg_rewind: false}}
  initdb: [{{encoding: UTF8}}, {{auth: trust}}]
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
postgresql:
  listen: "127.0.0.1:{port}"
  connect_address: "127.0.0.1:{port}"
  data_dir: "{folder}/data"
  bin_dir: "{programs}"
  pgpass: "{folder}/pgpass"
  authentication: {{superuser: {{username: postgres}}, replication: {{username: postgres}}}}
  parameters: {{unix_socket_directories: ""}}
"""


class Member:
    """One PostgreSQL with its Patroni."""

    def __init__(self, home: Path, name: str, etcd: int, *, synchronous: bool) -> None:
        self.name, self.folder = name, home / name
        self.port, self.api = own_port(), own_port()
        self.folder.mkdir(mode=0o700)
        file = self.folder / "patroni.yml"
        file.write_text(
            CONFIG.format(
                name=name,
                api=self.api,
                etcd=etcd,
                port=self.port,
                folder=self.folder,
                programs=PROGRAMS,
                synchronous=str(synchronous).lower(),
            )
        )
        if os.geteuid() == 0:
            for each in (self.folder, file):
                shutil.chown(each, "postgres", "postgres")
        self._file = file
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = _started(["patroni", str(self._file)], self.folder / "patroni.log")

    def kill(self) -> None:
        """Immediately, like a power failure."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        with suppress(AssertionError):  # it may not be running
            run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")

    def has_role(self, role: str) -> bool:
        """Its role as it reports it: master, replica or sync_standby."""
        with suppress(OSError):
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(f"http://127.0.0.1:{self.api}/patroni") as response:
                found = json.load(response)
            if found.get("state") != "running":
                return False
            if role == "sync_standby":
                return bool(found.get("sync_standby"))
            return bool(found.get("role") == role)
        return False

    def asks(self, sql: str) -> str:
        words = ["-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-tAc", sql]
        return run("psql", *words)


@contextmanager
def members(*, synchronous: bool) -> Iterator[tuple[Member, Member]]:
    """A leader and a standby that follows it."""
    for program in ("patroni", "etcd"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed here")
    with tempfile.TemporaryDirectory(prefix="tertulia-patroni-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(home, "postgres", "postgres")
        client, peer = own_port(), own_port()
        here, there = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
        etcd = _started(
            [
                "etcd",
                *("--data-dir", f"{home}/etcd", "--initial-cluster", f"default={there}"),
                *("--listen-client-urls", here, "--advertise-client-urls", here),
                *("--listen-peer-urls", there, "--initial-advertise-peer-urls", there),
            ],
            home / "etcd.log",
        )
        both = [Member(home, name, client, synchronous=synchronous) for name in ("one", "two")]
        try:
            one, two = both
            one.start()
            eventually(lambda: one.has_role("master"))
            two.start()
            eventually(lambda: two.has_role("sync_standby" if synchronous else "replica"))
            yield one, two
        finally:
            for each in both:
                if each._process is not None:
                    each.kill()
            etcd.kill()
            etcd.wait()


def _started(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    prefix = AS_POSTGRES if os.geteuid() == 0 else []
    with log.open("wb") as file:
        return subprocess.Popen([*prefix, *command], cwd="/", stdout=file, stderr=file)
