"""`make bench`: how fast, how large, and how that compares with doing nothing at all.

Absolute numbers say much about the machine; the ratios in the last column say something about us.
"""

import argparse
import asyncio
import contextlib
import os
import platform
import resource
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg

from bench import bare, markup, measure, town
from bench.measure import Rate
from bench.process import Process, tertulia
from bench.report import Table, budget, kilobytes, megabytes, milliseconds, per_second
from bench.town import AUDIENCES, SECRET, Town

AT_A_TIME = (1, 16)
PARKED_POLLS = 2000
PINGING = 1000
FIRST_ANSWER = "/api/v1/server_settings"
SAME = 1.3  # what costs no more than this times another costs the same


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--database",
        metavar="URL",
        help="a PostgreSQL server, where a database is made and dropped; without it, SQLite",
    )
    arguments = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder:
        asyncio.run(Bench(Path(folder), arguments.database).run())
    print(f"\nMeasured in {time.perf_counter() - began:.0f} s.")


class Bench:
    def __init__(self, folder: Path, postgres: str | None) -> None:
        self._folder = folder
        self._postgres = postgres
        self._table = Table()
        self._replies: dict[int, Rate] = {}  # by the number of connections
        self._commits: float

    async def run(self) -> None:
        where = "PostgreSQL" if self._postgres else "SQLite"
        cores, (load, *_) = os.cpu_count() or 1, os.getloadavg()
        print(f"Tertulia on {where}, Python {platform.python_version()}, {cores} cores")
        if load > cores:
            print(f"This machine is busy (load {load:.1f}): look at the ratios and at CPU times.")
        await self._yardsticks()
        self._markup()
        with self._database("rest") as url:
            await self._at_rest(url)
        with self._database("crowd") as url:
            await self._presence(url)
        with self._database("town") as url:
            people = town.settle(url, PARKED_POLLS)
            await self._queues(url, people)
            await self._at_work(url, people)
            town.grow(url, people)
            await self._audiences(url, people)

    async def _yardsticks(self) -> None:
        self._table.title("Yardsticks")
        with bare.server(self._folder) as process:
            process.wait_for_first_answer("/")
            request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for connections in AT_A_TIME:
                reply = await measure.repeat(process, lambda _: request, connections, 1.0)
                self._replies[connections] = reply
                self._table.row(
                    f"bare reply of the HTTP server, {connections} at a time",
                    per_second(reply.per_second),
                    f"{milliseconds(reply.cpu_seconds)} CPU",
                )
        self._commits = bare.commits_per_second(self._folder, 1.0)
        self._table.row("bare durable commit", per_second(self._commits))

    def _markup(self) -> None:
        self._table.title("Markup, CPU")
        for what, seconds, limit in markup.costs():
            self._table.row(
                what, milliseconds(seconds), budget(seconds, limit, milliseconds(limit))
            )

    async def _at_rest(self, url: str) -> None:
        self._table.title("At rest")
        with tertulia(self._folder / "rest", url, SECRET) as process:
            seconds = process.wait_for_first_answer(FIRST_ANSWER)
            await asyncio.sleep(1.5)
            proportional, resident = process.memory()
        self._table.row(
            "memory, proportional", megabytes(proportional), budget(proportional, 80e6, "80 MB")
        )
        self._table.row("memory, resident", megabytes(resident))
        self._table.row(
            "first start to first answer", f"{seconds:.2f} s", budget(seconds, 1, "1 s")
        )

    async def _presence(self, url: str) -> None:
        self._table.title("Presence")
        crowd = town.crowd(url, PINGING)
        with tertulia(self._folder / "crowd", url, SECRET) as process:
            process.wait_for_first_answer(FIRST_ANSWER)
            share = await measure.presence_minute(process, crowd) / 60
        self._table.row(
            f"{PINGING:,} people who ping once a minute",
            f"{share:.2%}",
            f"of a core, {budget(share, 0.02, '2 %')}",
        )

    async def _at_work(self, url: str, people: Town) -> None:
        with tertulia(self._folder / "town", url, SECRET) as process:
            process.wait_for_first_answer(FIRST_ANSWER)
            await self._delivery(process, people)
            self._table.title("Sending")
            for senders in AT_A_TIME:
                rounds = [
                    await measure.sends(process, people.ana, "hall", senders, 1.0) for _ in range(3)
                ]
                rate = max(rounds, key=lambda each: each.per_second)
                self._tell_sends(senders, rate)

    async def _queues(self, url: str, people: Town) -> None:
        """On a server of its own: the next one shall not have all these queues in mind."""
        self._table.title("Queues")
        with tertulia(self._folder / "town", url, SECRET) as process:
            process.wait_for_first_answer(FIRST_ANSWER)
            registered = await measure.registers(process, people.ana, 1.5)
            size, ending = await measure.parked_polls(process, people)
        self._table.row(f"memory of a parked poll, each of {PARKED_POLLS}", kilobytes(size))
        self._table.row(
            f"SIGTERM to the end, {PARKED_POLLS} polls parked",
            f"{ending:.2f} s",
            budget(ending, 1, "1 s"),
        )
        self._table.row(
            "register, everything fetched",
            milliseconds(registered.median_seconds),
            f"{milliseconds(registered.cpu_seconds)} CPU",
        )

    async def _delivery(self, process: Process, people: Town) -> None:
        self._table.title("Delivery, from send to poll answered")
        for queues, rounds in ((range(1), 200), (range(1, 101), 30)):
            heard = await measure.delivery(process, people, queues, rounds)
            self._table.row(
                f"{len(queues)} listening",
                milliseconds(heard.median_seconds),
                f"99 % within {milliseconds(heard.p99_seconds)}",
            )
        self._table.row(
            "  CPU for each of 100, the send included",
            milliseconds(heard.cpu_per_listener),
            budget(heard.cpu_per_listener, 0.0001, "0.1 ms"),
        )

    async def _audiences(self, url: str, people: Town) -> None:
        """The rounds take turns, so that a busy moment of the machine hits all of them alike."""
        self._table.title(f"With {max(AUDIENCES):,} people, a send by size of its audience")
        with tertulia(self._folder / "town", url, SECRET) as process:
            started = process.wait_for_first_answer(FIRST_ANSWER)
            proportional, _ = process.memory()
            ink = partial(_log_bytes, url) if self._postgres else process.written_bytes
            rounds: dict[int, list[Rate]] = {audience: [] for audience in AUDIENCES}
            for _ in range(3):
                for audience, rates in rounds.items():
                    name = f"audience-{audience}"
                    rates.append(await measure.sends(process, people.ana, name, 1, 0.6, ink))
        cpu = {size: min(rate.cpu_seconds for rate in rates) for size, rates in rounds.items()}
        written = {
            size: min(rate.written_bytes for rate in rates) for size, rates in rounds.items()
        }
        for audience in AUDIENCES:
            for what, each, shown in ((cpu, "CPU", milliseconds), (written, "written", kilobytes)):
                ratio = what[audience] / what[AUDIENCES[0]]
                self._table.row(
                    f"{audience:,} subscribers" if what is cpu else "",
                    f"{shown(what[audience])} {each}",
                    f"{ratio:.2f} of the smallest, {budget(ratio, SAME, f'{SAME:.2f}')}",
                )
        self._table.row("start to first answer", f"{started:.2f} s")
        self._table.row("memory, proportional", megabytes(proportional))

    def _tell_sends(self, senders: int, rate: Rate) -> None:
        reply = self._replies[senders]
        self._table.row(
            f"{senders} at a time",
            per_second(rate.per_second),
            f"{rate.per_second / self._commits:.2f} of bare commits,"
            f" {rate.per_second / reply.per_second:.2f} of bare replies,"
            f" median {milliseconds(rate.median_seconds)}",
        )
        self._table.row(
            "  CPU of each",
            milliseconds(rate.cpu_seconds),
            f"{rate.cpu_seconds / reply.cpu_seconds:.1f} bare replies,"
            f" {budget(rate.cpu_seconds, 0.001, '1 ms')}",
        )

    @contextlib.contextmanager
    def _database(self, name: str) -> Iterator[str]:
        """The URL of an empty database, with a data folder beside it."""
        folder = self._folder / name
        folder.mkdir()
        if self._postgres is None:
            yield f"sqlite:///{folder / 'tertulia.db'}"
            return
        made = f"tertulia_bench_{name}_{os.getpid()}"
        server = self._postgres.rstrip("/")
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {made}")
            try:
                yield f"{server}/{made}"
            finally:
                connection.execute(f"DROP DATABASE {made} WITH (FORCE)")


def _log_bytes(url: str) -> int:
    """How much PostgreSQL has written into its log, whoever let it."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
