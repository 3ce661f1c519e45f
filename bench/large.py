"""`make bench-large`: reading and searching among a million messages.

`make generate` creates the data, a real server serves it, and a user in the busiest channels
makes requests over HTTP. If PostgreSQL runs on this machine, the CPU time of its processes is
counted, too.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from bench.fixture import SECRET
from bench.http_client import HttpConnection, Login
from bench.process import Process, new_database, tertulia
from bench.report import Table, budget, megabytes, milliseconds

PEOPLE, CHANNELS, MESSAGES = 1000, 200, 1_000_000
BUILD_SECONDS = 180
FIRST_ANSWER = "/api/v1/server_settings"
MANY_UNREAD = 10_000
SAMPLES = 150  # users among whom one with this many unread is searched
ROUNDS = 15
PARALLEL_ROUNDS = 500
PAUSE_SECONDS = 0.005


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make bench-large", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--database",
        metavar="URL",
        help="a PostgreSQL server, where a database is made and dropped; without it, SQLite",
    )
    parser.add_argument("--messages", type=int, default=MESSAGES, metavar="N", help="fewer of them")
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help="a folder that was filled before, with its secret"
    )
    arguments = parser.parse_args()
    if arguments.data is not None:
        url = arguments.database or f"sqlite:///{arguments.data / 'tertulia.db'}"
        secret = (arguments.data / "secret").read_text().strip()
        asyncio.run(Bench(arguments.data, url, secret).run())
        return
    with (
        tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder,
        new_database(Path(folder), arguments.database, f"tertulia_bench_{os.getpid()}") as url,
    ):
        bench = Bench(Path(folder), url, SECRET)
        bench.build(arguments.messages)
        asyncio.run(bench.run())


@dataclass(frozen=True, slots=True)
class TimedRequest:
    """A request, and how long its answer may take."""

    words: str
    request: bytes
    budget_ms: int | None = None


class Bench:
    def __init__(self, folder: Path, url: str, secret: str) -> None:
        self._folder = folder
        self._url = url
        self._secret = secret
        self._table = Table(width=40)
        self._backends = Backends("" if url.startswith("sqlite") else url)
        where = "SQLite" if url.startswith("sqlite") else "PostgreSQL"
        cores, (load, *_) = os.cpu_count() or 1, os.getloadavg()
        print(f"Tertulia on {where}, Python {platform.python_version()}, {cores} cores")
        if load > cores:
            print(f"This machine is busy (load {load:.1f}): look at CPU times.")

    def build(self, messages: int) -> None:
        size = f"--people {PEOPLE} --channels {CHANNELS} --messages {messages}".split()
        command = [sys.executable, "-m", "tools.generate", *size]
        options = ["--data", str(self._folder), "--database", self._url]
        begun, spent = time.perf_counter(), _cpu_of_children()
        environment = os.environ | {"TERTULIA_SECRET": self._secret}
        subprocess.run([*command, *options], check=True, env=environment)
        taken, spent = time.perf_counter() - begun, _cpu_of_children() - spent
        self._table.title(f"{messages:,} messages, {CHANNELS} channels, {PEOPLE:,} users")
        within = budget(taken, BUILD_SECONDS, "3 minutes")
        self._table.row("generated in", f"{taken:.0f} s", f"{spent:.0f} s CPU, {within}")

    async def run(self) -> None:
        with tertulia(self._folder, self._url, self._secret) as process:
            started = process.wait_for_first_answer(FIRST_ANSWER)
            await asyncio.sleep(1)
            proportional, _ = process.memory()
            self._table.row("start to first answer", f"{started:.2f} s")
            self._table.row("memory, proportional", megabytes(proportional))
            reader = Reader(process.port, self._people())
            await reader.make_requests()
            await self._ask("Newest 100", process, reader.newest())
            await self._ask("Narrows", process, reader.narrows())
            await self._ask("Old messages", process, reader.old_messages())
            await self._ask("Search", process, reader.searches())
            await self._during_a_search(process, reader)
            await self._ask("Registering", process, await reader.registers())

    def _people(self) -> list[Login]:
        found = json.loads((self._folder / "people.json").read_text())
        return [Login(each["email"], each["api_key"]) for each in found if not each["is_bot"]]

    async def _ask(self, title: str, process: Process, questions: list[TimedRequest]) -> None:
        self._table.title(title)
        connection = await HttpConnection.to(process.port)
        for question in questions:
            first, later, cpu = await self._measure(process, connection, question.request)
            notes = [f"{milliseconds(later)} wall, first {milliseconds(first)}"]
            if question.budget_ms is not None:
                limit = question.budget_ms / 1000
                notes.append(budget(cpu, limit, f"{question.budget_ms} ms"))
            self._table.row(question.words, f"{milliseconds(cpu)} CPU", ", ".join(notes))
        connection.close()

    async def _during_a_search(self, process: Process, reader: "Reader") -> None:
        """How long a hundred messages take while another user makes the slowest search."""
        connection, other = (
            await HttpConnection.to(process.port),
            await HttpConnection.to(process.port),
        )
        alone = await _within_99(connection, reader.busy_narrow().request)
        searching = asyncio.create_task(_repeat(other, reader.no_match().request))
        beside = await _within_99(connection, reader.busy_narrow().request)
        searching.cancel()
        connection.close()
        other.close()
        within = budget(beside, 2 * alone, "twice that")
        words = f"p99, alone {milliseconds(alone)}, {within}"
        self._table.row("newest of a channel, during a search", milliseconds(beside), words)

    async def _measure(
        self, process: Process, connection: HttpConnection, request: bytes
    ) -> tuple[float, float, float]:
        """Wall time of the first answer and of later ones, and CPU of a later one."""
        begun = time.perf_counter()
        await connection.fetch(request)
        first = time.perf_counter() - begun
        self._backends.find()
        walls, cpus = [], []
        for _ in range(ROUNDS):
            cpu = process.cpu_seconds() + self._backends.cpu_seconds()
            begun = time.perf_counter()
            await connection.fetch(request)
            walls.append(time.perf_counter() - begun)
            cpus.append(process.cpu_seconds() + self._backends.cpu_seconds() - cpu)
        return first, statistics.median(walls), statistics.median(cpus)


async def _within_99(connection: HttpConnection, request: bytes) -> float:
    """The latency of nearly all answers, with a pause between two requests."""
    walls = []
    for _ in range(PARALLEL_ROUNDS):
        await asyncio.sleep(PAUSE_SECONDS)
        begun = time.perf_counter()
        await connection.fetch(request)
        walls.append(time.perf_counter() - begun)
    return statistics.quantiles(walls, n=100)[98]


async def _repeat(connection: HttpConnection, request: bytes) -> None:
    while True:
        await connection.fetch(request)


class Reader:
    """A user with a long history, and the requests they make."""

    def __init__(self, port: int, people: list[Login]) -> None:
        self._port = port
        self._people = people
        self._me = people[0]
        self._channel = 0
        self._topic = ""
        self._partner: list[int] = []
        self._sender = 0
        self._middle = 0
        self._rare = ""

    async def make_requests(self) -> None:
        """Find a busy channel, its longest topic, a conversation, and a user who sends much."""
        state = await self._get("/users/me/subscriptions")
        mine = {each["stream_id"]: each["name"] for each in state["subscriptions"]}
        self._channel = min(mine)
        newest = await self._messages(1000)
        channel = [each for each in newest if each.get("stream_id") == self._channel]
        topics = [each["subject"] for each in channel]
        self._topic = statistics.mode(topics)
        self._sender = statistics.mode(each["sender_id"] for each in newest)
        direct = [each for each in newest if each["type"] == "private"]
        others = [person["id"] for person in direct[-1]["display_recipient"]]
        self._partner = sorted(others)
        self._middle = newest[-1]["id"] // 2
        cases = (re.search(r"This is case (\w+)", each["content"]) for each in newest)
        self._rare = next((case.group(1) for case in cases if case is not None), "telescope")

    def newest(self) -> list[TimedRequest]:
        return [
            self._history("of everything", [], 10),
            self.busy_narrow(),
            self._history("of a topic", [("channel", self._channel), ("topic", self._topic)], 10),
            self._history("of a direct conversation", [("dm", self._partner)], 10),
        ]

    def busy_narrow(self) -> TimedRequest:
        return self._history("of a channel", [("channel", self._channel)], 10)

    def no_match(self) -> TimedRequest:
        query = '"the report the"'
        return self._history(f"a phrase without matches: {query}", [("search", query)], 100)

    def narrows(self) -> list[TimedRequest]:
        return [
            TimedRequest(
                "first_unread, 50 on each side",
                self._me.get("/messages", anchor="first_unread", num_before=50, num_after=50),
                25,
            ),
            self._history("is:unread", [("is", "unread")], 25),
            self._history("is:mentioned", [("is", "mentioned")], 25),
            self._history("has:link", [("has", "link")], 25),
            self._history("sender:", [("sender", self._sender)], 25),
        ]

    def old_messages(self) -> list[TimedRequest]:
        channel = json.dumps([{"operator": "channel", "operand": self._channel}])
        return [
            TimedRequest(
                "the oldest 100",
                self._me.get("/messages", anchor="oldest", num_before=0, num_after=100),
            ),
            TimedRequest(
                "100 in the middle",
                self._me.get("/messages", anchor=self._middle, num_before=50, num_after=50),
            ),
            TimedRequest(
                "the oldest 100 of a channel",
                self._me.get(
                    "/messages", anchor="oldest", num_before=0, num_after=100, narrow=channel
                ),
            ),
            TimedRequest("topics of a channel", self._me.get(f"/users/me/{self._channel}/topics")),
        ]

    def searches(self) -> list[TimedRequest]:
        return [
            self._history(f"{words}: {query}", [("search", query)], budget_ms)
            for words, query, budget_ms in (
                ("a rare word", self._rare, 25),
                ("a common word", "report", 50),
                ("two words", "telescope report", 50),
                ("a phrase", '"the telescope is ready"', 100),
                ("a part of a word", "elescop", 100),
                ("a part of many words", "ing", 100),
                ("without spaces", "会議", 100),
                ("a word that is nowhere", "xyzzy", 25),
            )
        ] + [
            self.no_match(),
            self._history(
                "a common word in a channel: report",
                [("search", "report"), ("channel", self._channel)],
                50,
            ),
        ]

    async def registers(self) -> list[TimedRequest]:
        person, count = await self._with_many_unread()
        return [
            TimedRequest(f"by a user with {count:,} unread", person.post("/register"), 150),
            TimedRequest(
                "first_unread of the same",
                person.get("/messages", anchor="first_unread", num_before=50, num_after=50),
            ),
            TimedRequest("by a user with few unread", self._me.post("/register")),
        ]

    async def _with_many_unread(self) -> tuple[Login, int]:
        """A user with about ten thousand unread messages, and how many."""
        found: dict[int, Login] = {}
        for person in self._people[:SAMPLES]:
            wanted = ["message", "update_message_flags"]
            state = await self._ask(person.post("/register", fetch_event_types=wanted))
            parts = state["unread_msgs"]
            listed = [*parts["streams"], *parts["pms"], *parts["huddles"]]
            found[sum(len(each["unread_message_ids"]) for each in listed)] = person
        count = min(found, key=lambda unread: abs(unread - MANY_UNREAD))
        return found[count], count

    def _history(
        self, words: str, terms: list[tuple[str, Any]], budget_ms: int | None
    ) -> TimedRequest:
        narrow = json.dumps([{"operator": word, "operand": value} for word, value in terms])
        request = self._me.get(
            "/messages", anchor="newest", num_before=100, num_after=0, narrow=narrow
        )
        return TimedRequest(words, request, budget_ms)

    async def _messages(self, count: int) -> list[dict[str, Any]]:
        body = await self._get("/messages", anchor="newest", num_before=count, num_after=0)
        found: list[dict[str, Any]] = body["messages"]
        return found

    async def _get(self, path: str, **params: Any) -> dict[str, Any]:
        return await self._ask(self._me.get(path, **params))

    async def _ask(self, request: bytes) -> dict[str, Any]:
        """On its own connection: between two of these a kept one would be closed as idle."""
        connection = await HttpConnection.to(self._port)
        body: dict[str, Any] = json.loads(await connection.fetch(request))
        connection.close()
        return body


class Backends:
    """The PostgreSQL processes of the server, if they are on this machine."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._pids: list[int] = []

    def find(self) -> None:
        """Search for them again: the server connects on demand."""
        if not self._url:
            return
        with psycopg.connect(self._url) as connection:
            rows = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            ).fetchall()
        self._pids = [pid for (pid,) in rows if Path(f"/proc/{pid}/schedstat").exists()]

    def cpu_seconds(self) -> float:
        return sum(_cpu_of(pid) for pid in self._pids)


def _cpu_of(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
