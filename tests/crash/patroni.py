"""Three machines with PostgreSQL, Patroni and etcd, set up as `docs/failover.md` says.

A machine is a set of namespaces with its own network, processes and folders, so addresses and paths
are those of the page. Only the network's prefix differs, for it may be in use.
"""

import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.crash.cluster import PROGRAMS
from tests.support.waiting import eventually

PAGE = Path(__file__).parents[2] / "docs" / "failover.md"
PRINTED_NETWORK, PRINTED_VERSION = "10.0.0.", "15"
FOLDERS = ("/etc/patroni", "/var/lib/postgresql", "/var/lib/etcd", "/run/postgresql")
ETCD_PORTS = "2379-2380"
# The first process reaps the others: Patroni takes a zombie for a running PostgreSQL.
INIT = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    signal.pause()
"""
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def printed(kind: str) -> list[str]:
    """The blocks of the page of one kind, without their indentation."""
    blocks = re.findall(rf"^( *)```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in blocks]


def printed_line(word: str) -> str:
    """The line with a word in what the page prints for a terminal."""
    lines = [
        line for kind in ("sh", "console") for text in printed(kind) for line in text.split("\n")
    ]
    (found,) = (line for line in lines if word in line)
    return found


class CommandFailed(Exception):
    """A command on a machine did not succeed."""


class Machine:
    """One of the three machines. It runs from `start` to `kill`; its folders stay."""

    def __init__(self, home: Path, number: int, network: "Network") -> None:
        self.name = f"db{number}"
        self.address = f"{network.prefix}{number}"
        self._network = network
        self._folders = {inside: home / self.name / inside[1:] for inside in FOLDERS}
        self._number = number
        self._init: subprocess.Popen[bytes] | None = None
        self._log = home / f"{self.name}.log"
        self._etcd, self._patroni = map(self._environment, printed("ini"))
        (config,) = printed("yaml")
        for folder in self._folders.values():
            folder.mkdir(parents=True)
            shutil.chown(folder, "postgres", "postgres")
        (self._folders["/etc/patroni"] / "config.yml").write_text(network.translated(config))

    def _environment(self, text: str) -> dict[str, str]:
        """The variables of this machine: the page shows those of the first."""
        own, _, common = text.partition("# the same on all machines\n")
        own = own.replace("db1", self.name).replace("10.0.0.1", f"10.0.0.{self._number}")
        return dict(
            line.split("=", 1) for line in self._network.translated(own + common).splitlines()
        )

    def start(self) -> None:
        """Start it with etcd and Patroni."""
        command = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        self._init = subprocess.Popen([*command, sys.executable, "-Sc", INIT])
        eventually(lambda: _children(self._init_id))
        self._network.join(self._pid, self.address, self.name)
        for inside, folder in self._folders.items():
            Path(inside).mkdir(parents=True, exist_ok=True)
            self.run("mount", "--bind", str(folder), inside)
        data = {"ETCD_DATA_DIR": "/var/lib/etcd/default"}  # as in its systemd unit
        self._start_service(["etcd"], self._etcd | data)
        self._start_service(["patroni", "/etc/patroni/config.yml"], self._patroni)

    def kill(self) -> None:
        """Like a power failure: all its processes and its network end at once."""
        if self._init is not None:
            self._init.kill()
            self._init.wait()
            self._init = None

    @contextmanager
    def frozen_postgres(self) -> Iterator[None]:
        """Stop all processes of PostgreSQL. Their connections stay open, and new ones are
        accepted by the kernel."""
        first = self._postgres()
        stopped = [first]
        os.kill(first, signal.SIGSTOP)
        try:
            for child in _children(first):
                os.kill(child, signal.SIGSTOP)
                stopped.append(child)
            yield
        finally:
            for each in stopped:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGCONT)

    @contextmanager
    def without_etcd(self) -> Iterator[None]:
        """Drop what it sends to and receives from etcd on the other machines."""
        rules = [("ipproto", "tcp", end, ETCD_PORTS, "blackhole") for end in ("dport", "sport")]
        for rule in rules:
            self.run("ip", "rule", "add", "pref", "1", *rule)
        try:
            yield
        finally:
            for rule in rules:
                self.run("ip", "rule", "del", "pref", "1", *rule)

    @contextmanager
    def isolated(self, others: "list[Machine]") -> Iterator[None]:
        """Drop everything that it sends to the other two machines."""
        for other in others:
            self.run("ip", "route", "add", "blackhole", other.address)
        try:
            yield
        finally:
            for other in others:
                self.run("ip", "route", "del", "blackhole", other.address)

    def kill_postgres(self) -> None:
        """SIGKILL for PostgreSQL alone: Patroni continues."""
        first = self._postgres()
        for each in (first, *_children(first)):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def members(self) -> dict[str, str]:
        """The roles of all machines whose PostgreSQL runs, as its Patroni knows them."""
        time.sleep(0.2)  # so that a test that waits leaves it time for its work
        address = f"http://{self.address}:8008/cluster"
        with _OPENER.open(address, timeout=2) as response:
            members = json.load(response)["members"]
        running = ("running", "streaming")
        return {each["name"]: each["role"] for each in members if each["state"] in running}

    def sql(self, statement: str, *, seconds: int = 60) -> str:
        """Run a statement in its PostgreSQL, as the superuser, for so long at most."""
        return self.run("timeout", str(seconds), "psql", "-tAc", statement, as_postgres=True)

    def run(self, *words: str, as_postgres: bool = False) -> str:
        done = subprocess.run(
            [*self._inside(as_postgres), *words], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CommandFailed(f"{self.name}: {words}: {done.stdout}{done.stderr}")
        return done.stdout

    def _start_service(self, command: list[str], environment: dict[str, str]) -> None:
        with self._log.open("ab") as log:
            subprocess.Popen(
                [*self._inside(as_postgres=True), *command],
                env={"PATH": os.environ["PATH"]} | environment,
                stdout=log,
                stderr=log,
            )

    def _inside(self, as_postgres: bool) -> list[str]:
        enter = ["nsenter", "-t", str(self._pid), "-n", "-m", "-p", "--wd=/"]
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        return [*enter, *(user if as_postgres else [])]

    @property
    def _init_id(self) -> int:
        assert self._init is not None, f"{self.name} does not run"
        return self._init.pid

    @property
    def _pid(self) -> int:
        """The first process of its namespace, as this namespace counts."""
        return _children(self._init_id)[0]

    def _postgres(self) -> int:
        """The process id of its postmaster, as this namespace counts."""
        folder = self._folders["/var/lib/postgresql"]
        inside = (next(folder.glob("*/main/postmaster.pid"))).read_text().split()[0]
        namespace = os.readlink(f"/proc/{self._pid}/ns/pid")
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if os.readlink(process / "ns/pid") != namespace:
                    continue
                status = (process / "status").read_text()
                if re.search(rf"^NSpid:\t.*\t{inside}$", status, re.MULTILINE):
                    return int(process.name)
        raise AssertionError(f"PostgreSQL does not run on {self.name}")


class Network:
    """A bridge between the machines and this one."""

    def __init__(self) -> None:
        number = random.randrange(256)
        self.prefix = f"198.18.{number}."  # a range for benchmarks, which nobody routes
        self._bridge = f"tertulia{number}"
        self._ends = itertools.count()
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("addr", "add", f"{self.prefix}254/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")

    def translated(self, text: str) -> str:
        """A printed configuration with the addresses and the PostgreSQL of this machine."""
        version = "" if PROGRAMS is None else PROGRAMS.parent.name
        return text.replace(PRINTED_NETWORK, self.prefix).replace(
            f"postgresql/{PRINTED_VERSION}/", f"postgresql/{version}/"
        )

    def join(self, process: int, address: str, name: str) -> None:
        """Connect the network namespace of a process."""
        near = f"{self._bridge[8:]}-{name}-{next(self._ends)}"
        _ip("link", "add", near, "type", "veth", "peer", "name", "eth0", "netns", str(process))
        _ip("link", "set", near, "master", self._bridge, "up")
        inside = ["nsenter", "-t", str(process), "-n", "ip"]
        for words in (
            f"addr add {address}/24 dev eth0", "link set eth0 up", "link set lo up",
        ):  # fmt: skip
            subprocess.run([*inside, *words.split()], check=True)

    def close(self) -> None:
        _ip("link", "del", self._bridge)


class Machines:
    """The three machines, of which one is the primary."""

    def __init__(self, machines: list[Machine], network: Network) -> None:
        self.all = machines
        (database,) = printed("sql")
        self.create_database = database.strip().splitlines()
        url = printed_line("TERTULIA_DATABASE_URL")
        self.url = network.translated(url).partition("=")[2].strip("'")

    def having(self, role: str) -> Machine:
        """The machine that has the role of a leader, sync_standby or replica, sooner or later."""
        eventually(lambda: role in self._roles(self.all))
        return self._roles(self.all)[role]

    def others(self, than: Machine) -> list[Machine]:
        return [each for each in self.all if each is not than]

    def wait_for(self, role: str, *, besides: Machine) -> None:
        """Wait until another machine has the role."""
        eventually(lambda: role in self._roles(self.others(besides)))

    def wait_until_complete(self) -> None:
        """Wait for a leader, a standby that it waits for, and another one."""
        eventually(lambda: {*self._roles(self.all)} == {"leader", "sync_standby", "replica"})

    def _roles(self, machines: list[Machine]) -> dict[str, Machine]:
        """Those of the machines whose PostgreSQL runs, by role; empty until they agree. One that
        was cut off still has the roles of before."""
        with suppress(OSError):
            first, *rest = [each.members() for each in machines]
            if all(each == first for each in rest):
                return {first[each.name]: each for each in machines if each.name in first}
        return {}


@contextmanager
def machines() -> Iterator[Machines]:
    for program in ("patroni", "etcd", "nsenter", "unshare", "ip"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed here")
    if PROGRAMS is None or os.geteuid() != 0:
        pytest.skip("needs PostgreSQL, and root for network namespaces")
    with tempfile.TemporaryDirectory(prefix="tertulia-patroni-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        network = Network()
        three = Machines([Machine(home, number, network) for number in (1, 2, 3)], network)
        try:
            for machine in three.all:
                machine.start()
            three.wait_until_complete()
            for statement in three.create_database:
                three.having("leader").sql(statement)
            yield three
        finally:
            for machine in three.all:
                machine.kill()
            network.close()


def _children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task")
    with suppress(OSError):
        return [int(c) for task in tasks.iterdir() for c in (task / "children").read_text().split()]
    return []


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
