"""`make bench`: speed and memory, compared with the same machine doing nothing.

Absolute numbers depend on the machine; numbers in bare replies do not. With `--url`, `--email` and
`--key` it measures any server that speaks this API, as far as that is possible from outside.
"""

import argparse
import asyncio
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import psycopg

from bench import (
    baseline,
    chart,
    fixture,
    markup,
    measure,
    notifications,
    probes,
    public_pages,
    write_delays,
)
from bench.fixture import AUDIENCES, SECRET, BenchOrganization
from bench.http_client import Login
from bench.probes import Measured, Target
from bench.process import Process, clean_environment, new_database, tertulia
from bench.results import Results
from bench.write_delays import Delay
from tertulia.actions.queues import MAX_PER_USER

PARKED_POLLS = 2000
PINGING = 1000
MANY_LISTENERS = 1000
FIRST_ANSWER = "/api/v1/server_settings"
SIZES = ((50, 20, 2_000), (1_000, 1_000, 20_000))  # users, channels, messages
MANY_UNREAD = 10_000
SECONDS = 1.5  # for which a rate is measured
SHORT_SECONDS = 0.3
WRITES_SECONDS = 4.0
TURNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--database",
        metavar="URL",
        help="a PostgreSQL server, where a database is made and dropped; without it, SQLite",
    )
    parser.add_argument("--url", help="measure this server instead, from outside")
    parser.add_argument("--email", default="", help="of an account there")
    parser.add_argument("--key", default="", help="its API key")
    parser.add_argument("--out", type=Path, default=Path("build/bench"), help="for .json and .svg")
    parser.add_argument(
        "--writes",
        action="store_true",
        help="measure only how much longer a send takes beside large writes of another user",
    )
    parser.add_argument("--check", action="store_true", help="fail if a budget is missed")
    arguments = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder:
        bench = Bench(Path(folder), arguments.database, arguments.url or "")
        target = Target.at(arguments.url, arguments.email, arguments.key) if arguments.url else None
        if arguments.writes:
            asyncio.run(bench.run_writes())
        else:
            asyncio.run(bench.run_outside(target) if target else bench.run())
    results = bench.results
    results.write(arguments.out.with_suffix(".json"))
    chart.draw(results, arguments.out.with_suffix(".svg"))
    out = arguments.out
    print(f"\nMeasured in {time.perf_counter() - began:.0f} s; {out}.json, {out}.svg")
    if arguments.check and results.missed():
        sys.exit("Missed: " + ", ".join(row.what for row in results.missed()))


class Bench:
    def __init__(self, folder: Path, postgres: str | None, url: str) -> None:
        self._folder = folder
        self._postgres = postgres
        where = "PostgreSQL" if postgres else "SQLite"
        self.results = Results(url or f"Tertulia on {where}")
        self._bare_rate = 0.0

    async def run(self) -> None:
        cores, (load, *_) = os.cpu_count() or 1, os.getloadavg()
        print(self.results.server)
        if load > cores:
            print(f"This machine is busy (load {load:.1f}): compare bare replies and CPU times.")
        await self._baselines()
        self._markup()
        with self._database("idle") as url:
            await self._idle(url)
        with self._database("presence") as url:
            await self._presence(url)
        with self._database("notifications") as url:
            await self._notifications(url)
        with self._database("public") as url:
            await self._public_pages(url)
        with self._database("main") as url:
            people = fixture.create_organization(url, PARKED_POLLS)
            await self._queues(url, people)
            with self._serving("main", url) as process:
                await self._sending(_target(process, people.ana))
                await self._many_listeners(process, people)
            fixture.add_passive_users(url, people)
            await self._audiences(url, people)
        for size in SIZES:
            await self._large_organization(*size)

    async def run_writes(self) -> None:
        with self._database("writes") as url:
            people = fixture.create_organization(url, 1)
            large = write_delays.fill_organization(url, people.ana)
            with self._serving("writes", url) as process:
                ana, ben = _target(process, people.ana), _target(process, people.queues[0].owner)
                self.results.title("A send beside another user's large writes, median")
                for what, requests in write_delays.large_writes(people.ana, large).items():
                    self._delay(
                        what, await write_delays.measure(ana, ben, requests, WRITES_SECONDS)
                    )

    async def run_outside(self, target: Target) -> None:
        await self._baselines()
        await self._sending(target)
        await self._feed_and_register(target, "of the account", is_large=False)

    # --- baselines ---

    async def _baselines(self) -> None:
        self.results.title("Baselines on this machine")
        with baseline.server(self._folder) as process:
            process.wait_for_first_answer("/")
            target = _target(process, Login("nobody@example.com", "x" * 32))
            reply = await probes.sends(target, 16, SECONDS)
        self._bare_rate = reply.per_second
        self.results.bare_cpu_seconds = reply.cpu_seconds
        self.results.row(
            "bare HTTP reply, 16 connections",
            reply.per_second,
            "/s",
            cpu_seconds=reply.cpu_seconds,
        )
        commits = baseline.commits_per_second(self._folder, 1.0)
        self.results.row("one durable commit", commits, "/s")

    def _markup(self) -> None:
        self.results.title("Markup")
        for what, seconds, _ in markup.costs():
            self.results.row(what, seconds * 1000, "ms", cpu_seconds=seconds)

    # --- through the API ---

    async def _sending(self, target: Target) -> None:
        await probes.subscribe(target)
        sent = len((await probes.sends(target, 16, SHORT_SECONDS)).seconds)
        await self._history_length(target, sent)
        self.results.title("Sending")
        rounds = [await probes.sends(target, 16, SECONDS) for _ in range(TURNS)]
        many = max(rounds, key=lambda each: each.per_second)
        share = f"1:{self._bare_rate / many.per_second:.1f} of bare replies, wanted 1:5"
        self._row("16 senders", many.per_second, "/s", many, wanted=7.5, note=share)
        one = await probes.sends(target, 1, SECONDS)
        self._latency("one sender", one)
        self.results.title("From send to poll")
        sent += sum(len(each.seconds) for each in [*rounds, one])
        amid = await probes.deliveries(target, 1, 100)
        note = f"p99 {amid.within(99) * 1000:.2f} ms"
        self._row(
            "one listener while sends are indexed, p50",
            amid.within(50) * 1000,
            "ms",
            amid,
            note=note,
        )
        if later := await probes.wait_until_idle(target) / sent:
            self.results.row("background work of each send", later * 1000, "ms", cpu_seconds=later)
        self._latency("one listener", await probes.deliveries(target, 1, 400))
        listeners = await probes.deliveries(target, 100, 20)
        self._row(
            "each of 100 listeners, p50", listeners.within(50) * 1000, "ms", listeners, wanted=2.5
        )
        self.results.title("Reading")
        read = await probes.history(target, 16, SECONDS, [_in(probes.CHANNEL)])
        self._row("100 messages, 16 clients", read.per_second, "/s", read, wanted=10)
        self._latency("100 messages, 16 clients", read)
        await self._history_length(target, sent)

    async def _many_listeners(self, process: Process, people: BenchOrganization) -> None:
        """More connections than a server accepts from one address by default, and more queues
        than one user may have."""
        self.results.title("From send to poll, many listeners")
        owners = dict.fromkeys(queue.owner for queue in people.queues)
        others = [_target(process, owner) for owner in owners]
        for other in others:
            await probes.subscribe(other)
        listeners = await probes.deliveries(_target(process, people.ana), MANY_LISTENERS, 5, others)
        what = f"each of {MANY_LISTENERS:,} listeners, p50"
        self._row(what, listeners.within(50) * 1000, "ms", listeners, wanted=2.5)

    async def _history_length(self, target: Target, messages: int) -> None:
        """What the newest hundred messages cost, with this many before them."""
        found = await probes.history(target, 1, SHORT_SECONDS, [_in(probes.CHANNEL)])
        cost = found.cpu_seconds or found.within(50)
        words = "Cost of a hundred messages, by length of the history"
        points = self.results.series.setdefault(words, [])
        points.append((f"{messages:,} messages", cost * 1000))

    async def _feed_and_register(self, target: Target, whose: str, *, is_large: bool) -> None:
        feed = await probes.history(target, 1, SECONDS)
        wanted = 25 if is_large else None
        self._row(f"combined feed, {whose}", feed.within(50) * 1000, "ms", feed, wanted=wanted)
        state = await probes.registers(target, SECONDS)
        wanted = 170 if is_large else None
        self._row(f"register, {whose}", state.within(50) * 1000, "ms", state, wanted=wanted)
        for title, found in (("a combined feed", feed), ("a register", state)):
            cost = found.cpu_seconds or found.within(50)
            words = f"Cost of {title}, by size of the organization"
            self.results.series.setdefault(words, []).append((whose, cost * 1000))

    async def _large_organization(self, people: int, channels: int, messages: int) -> None:
        words = f"{people:,} users, {channels:,} channels, {messages:,} messages"
        self.results.title(words)
        with self._database(f"size{people}") as url:
            login = self._generate(url, people, channels, messages)
            fixture.subscribe_to_all(url, login.email, min(MANY_UNREAD, messages // 2))
            with self._serving(f"size{people}", url) as process:
                await asyncio.sleep(2)  # until it has prepared the register data
                whose = f"{channels:,} channels"
                await self._feed_and_register(
                    _target(process, login), whose, is_large=channels >= 1000
                )

    # --- on this machine only ---

    async def _idle(self, url: str) -> None:
        self.results.title("Idle")
        with tertulia(self._folder / "idle", url, SECRET) as process:
            process.wait_for_first_answer(FIRST_ANSWER)
        with tertulia(self._folder / "idle", url, SECRET) as process:
            seconds = process.wait_for_first_answer(FIRST_ANSWER)
            cpu = process.cpu_seconds()
            await asyncio.sleep(1.5)
            proportional, _ = process.memory()
        self.results.row("start to first answer", seconds, "s", cpu_seconds=cpu)
        self.results.row("memory, proportional", proportional / 1e6, "MB")
        for words in (["--help"], ["user", "list"]):
            spent = self._command(words, url)
            self.results.row(f"tertulia {' '.join(words)}", spent, "s", cpu_seconds=spent)

    def _command(self, words: list[str], url: str) -> float:
        """CPU time of a command."""
        options = ["--data", str(self._folder / "idle"), "--database", url] if words[1:] else []
        command = [str(Path(sys.executable).with_name("tertulia")), *words, *options]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = clean_environment() | {"TERTULIA_SECRET": SECRET}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    async def _presence(self, url: str) -> None:
        users = fixture.create_users(url, PINGING)
        with self._serving("presence", url) as process:
            share = await measure.presence_minute(process, users) / 60
        self.results.row(f"{PINGING:,} users who ping once a minute", share * 100, "%")

    async def _notifications(self, url: str) -> None:
        """Webhooks answer at once, and mail is not delivered."""
        outside = await asyncio.start_server(_accept, "127.0.0.1", 0)
        port = outside.sockets[0].getsockname()[1]
        ana = notifications.create_organization(url, port)
        with self._serving(
            "notifications",
            url,
            TERTULIA_WEBHOOK_NETWORKS="127.0.0.0/8",
            TERTULIA_SMTP_HOST="127.0.0.1",
            TERTULIA_SMTP_PORT="9",
            TERTULIA_EXTERNAL_URL="http://localhost",
        ) as process:
            cost = await notifications.measure(process.port, ana)
        outside.close()
        people, bots = notifications.PEOPLE, notifications.BOTS
        what = f"{people} mails, {people} pushes, {bots} webhooks"
        self.results.title("A send that causes notifications")
        self.results.row("without notifications, p10", cost.quiet_seconds * 1000, "ms")
        self.results.row(f"{what}, p10", cost.notifying_seconds * 1000, "ms")

    async def _public_pages(self, url: str) -> None:
        people = fixture.create_organization(url, public_pages.SENDERS * MAX_PER_USER)
        with self._serving("public", url, **public_pages.SETTINGS) as process:
            topic = await public_pages.create_topic(_target(process, people.ana), people)
            self.results.title(f"Public pages of {public_pages.MESSAGES} messages, 16 strangers")
            for what, read in (
                ("first read of a page", public_pages.first_reads),
                ("the same page again", public_pages.repeated_reads),
                ("not modified (304)", public_pages.unchanged),
            ):
                found = await read(topic, SECONDS)
                self._row(f"{what}, p50", found.within(50) * 1000, "ms", found, wanted=20)
            cost = await public_pages.crawler(topic, SECONDS, TURNS)
        alone, beside = cost.milliseconds(99)
        note = (
            f"{alone:.2f} ms without it: {cost.ratio(99):.2f} times, wanted 1.2;"
            f" it reads {cost.pages_per_second:.0f} pages/s"
        )
        self.results.row("100 requests/s beside a crawler, p99", beside, "ms", note=note)

    async def _queues(self, url: str, people: BenchOrganization) -> None:
        """On its own server: the next one must not hold all these queues."""
        with self._serving("main", url) as process:
            size, ending = await measure.parked_polls(process, people)
        self.results.row(f"memory of a parked poll, of {PARKED_POLLS}", size / 1000, "kB")
        self.results.row(f"SIGTERM to exit, {PARKED_POLLS} parked polls", ending, "s")

    async def _audiences(self, url: str, people: BenchOrganization) -> None:
        """The rounds alternate, so that a busy moment of the machine affects all of them."""
        self.results.title(f"With {max(AUDIENCES):,} users, a send by size of its audience")
        with self._serving("main", url) as process:
            written_so_far = partial(_log_bytes, url) if self._postgres else process.written_bytes
            target = _target(process, people.ana)
            cpu = dict.fromkeys(AUDIENCES, 1e9)
            written = dict.fromkeys(AUDIENCES, 1e9)
            for _ in range(TURNS):
                for size in AUDIENCES:
                    before = written_so_far()
                    found = await probes.sends(target, 1, 0.6, f"audience-{size}", "Message")
                    count = len(found.seconds) + probes.WARM_UP
                    cpu[size] = min(cpu[size], found.cpu_seconds)
                    written[size] = min(written[size], (written_so_far() - before) / count)
        for size in AUDIENCES:
            self.results.row(
                f"{size:,} subscribers, written", written[size] / 1000, "kB", cpu_seconds=cpu[size]
            )
        self.results.series["Cost of a send, by size of its audience"] = [
            (f"{size:,} subscribers", cpu[size] * 1000) for size in AUDIENCES
        ]

    # --- reporting ---

    def _row(
        self,
        what: str,
        value: float,
        unit: str,
        found: Measured,
        *,
        wanted: float | None = None,
        note: str = "",
    ) -> None:
        self.results.row(what, value, unit, cpu_seconds=found.cpu_seconds, wanted=wanted, note=note)

    def _delay(self, what: str, found: Delay) -> None:
        """Print by how much sends are slower, and what they took."""
        quiet, beside = ([each * 1000 for each in some] for some in (found.quiet, found.beside))
        self.results.row(
            what,
            found.median * 1000,
            "ms",
            note=(
                f"worst {found.worst * 1000:.0f} ms longer; {statistics.median(quiet):.1f} →"
                f" {statistics.median(beside):.1f} ms, p99 {found.p99 * 1000:.0f}, worst"
                f" {max(quiet):.0f} → {max(beside):.0f}; {found.writes} requests,"
                f" {len(beside)} sends"
            ),
        )

    def _latency(self, what: str, found: Measured) -> None:
        shares = {share: found.within(share) * 1000 for share in (50, 90, 99)}
        note = f"p99 {shares[99]:.2f} ms"
        self._row(f"{what}, p50", shares[50], "ms", found, note=note)
        points = [(f"p{share}", value) for share, value in shares.items()]
        self.results.series[f"Latency: {what}"] = points

    # --- servers ---

    @contextlib.contextmanager
    def _serving(self, name: str, url: str, **settings: str) -> Iterator[Process]:
        with tertulia(self._folder / name, url, SECRET, **settings) as process:
            process.wait_for_first_answer(FIRST_ANSWER)
            yield process

    def _generate(self, url: str, people: int, channels: int, messages: int) -> Login:
        """A generated organization; returns a login in it."""
        folder = self._folder / f"size{people}"
        size = f"--people {people} --channels {channels} --messages {messages}".split()
        command = [sys.executable, "-m", "tools.generate", *size]
        options = ["--data", str(folder), "--database", url]
        environment = os.environ | {"TERTULIA_SECRET": SECRET}
        subprocess.run([*command, *options], check=True, env=environment, stderr=subprocess.DEVNULL)
        found = json.loads((folder / "people.json").read_text())
        first = next(each for each in found if not each["is_bot"])
        return Login(first["email"], first["api_key"])

    @contextlib.contextmanager
    def _database(self, name: str) -> Iterator[str]:
        """The URL of an empty database, with a data folder beside it."""
        folder = self._folder / name
        folder.mkdir()
        made = f"tertulia_bench_{name}_{os.getpid()}"
        with new_database(folder, self._postgres, made) as url:
            yield url


def _target(process: Process, login: Login) -> Target:
    return replace(Target("127.0.0.1", process.port, login), cpu_seconds=process.cpu_seconds)


async def _accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
    writer.close()


def _in(channel: str) -> dict[str, str]:
    return {"operator": "channel", "operand": channel}


def _log_bytes(url: str) -> int:
    """How much PostgreSQL has written to its write-ahead log."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
