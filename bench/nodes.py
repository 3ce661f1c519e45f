"""`make bench-nodes`: several servers on one PostgreSQL, without sticky sessions.

Requests go to the servers in turn. The time of PostgreSQL is that of its processes for our database
on this machine.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.fixture import SECRET, BenchChannel, Queue, create_organizations
from bench.http_client import HttpConnection
from bench.many_orgs import multiply
from bench.measure import QueueClient
from bench.process import Process, new_database, tertulia
from bench.report import Table, budget, milliseconds, per_second
from tertulia.events.directory.follower import LEASE_SECONDS

FIRST_ANSWER = "/api/v1/server_settings"
SECONDS = 1.0
TURNS = 3
WARM_UP = 4  # messages of each sender
IDLE_SECONDS = 10.0
SETTLE_SECONDS = 3.0
MISSED_EVENTS = 100_000

# Servers, senders, organizations; the wanted sends per second and CPU milliseconds.
SENDING = [
    (1, 16, 1, 1200, 0.85),
    (1, 1, 1, 500, 1.4),
    (3, 16, 1, 900, 1.5),
    (8, 16, 1, 450, 3.2),
    (1, 16, 20, 1100, None),
    (3, 16, 20, 800, None),
    (3, 16, 3, 900, 1.0),  # each organization at a server of its own
    (8, 16, 8, 900, 1.0),
]


@dataclass(frozen=True, slots=True)
class Sends:
    per_second: float
    median_seconds: float
    p99_seconds: float
    server_seconds: float  # CPU time of each
    database_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make bench-nodes", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--database",
        metavar="URL",
        default="postgresql://postgres@127.0.0.1:5432",
        help="a PostgreSQL server, where a database is made and dropped",
    )
    parser.add_argument("--only", choices=PARTS, help="measure just this")
    arguments = parser.parse_args()
    load, *_ = os.getloadavg()
    print(f"Servers on one PostgreSQL, {os.cpu_count()} cores, load {load:.1f}")
    with tempfile.TemporaryDirectory(prefix="tertulia-bench-") as folder:
        for name, part in PARTS.items():
            if arguments.only in (None, name):
                asyncio.run(part(Table(), Path(folder), arguments.database))


async def _report_sending(table: Table, folder: Path, server: str) -> None:
    table.title("Sending")
    for servers, senders, organizations, wanted, budget_ms in SENDING:
        with _cluster(folder, server, servers, organizations) as (processes, channels, _):
            measured = await _sends(processes, channels, senders)
        who = f"{servers} server{'s' * (servers > 1)}, {senders} sender{'s' * (senders > 1)}"
        table.row(
            f"{who}, {organizations} organization{'s' * (organizations > 1)}",
            per_second(measured.per_second),
            f"wanted {wanted}; median {milliseconds(measured.median_seconds)},"
            f" 99 % within {milliseconds(measured.p99_seconds)}",
        )
        both = measured.server_seconds + measured.database_seconds
        table.row(
            "  processor time of each",
            milliseconds(both),
            f"{milliseconds(measured.database_seconds)} in PostgreSQL"
            + (f", {budget(both * 1000, budget_ms, f'{budget_ms} ms')}" if budget_ms else ""),
        )


async def _report_delivery(table: Table, folder: Path, server: str) -> None:
    table.title("Three servers, one organization")
    with _cluster(folder, server, 3, 1) as (processes, channels, _):
        latencies = sorted(await _deliveries(processes, channels[0], 200))
        table.row(
            "from a send to a poll on another server",
            milliseconds(statistics.median(latencies)),
            f"99 % within {milliseconds(latencies[int(len(latencies) * 0.99)])}; wanted 5 and 15",
        )


async def _report_registers(table: Table, folder: Path, server: str) -> None:
    table.title("Three servers, four users sending as fast as possible")
    with _cluster(folder, server, 3, 1) as (processes, channels, _):
        alone, registers, meanwhile = await _registers(processes, channels[0])
    table.row(
        "register",
        milliseconds(registers),
        f"wanted 20; a send {milliseconds(meanwhile)}, without it {milliseconds(alone)}",
    )


async def _report_catching_up(table: Table, folder: Path, server: str) -> None:
    table.title(f"A server that missed {MISSED_EVENTS:,} events")
    with _cluster(folder, server, 1, 1) as (processes, channels, url):
        seconds, megabytes = await _catch_up(processes[0], channels[0], url)
        table.row("until it answers", milliseconds(seconds), "wanted 2,000")
        table.row("memory", f"{megabytes:+.0f} MB", "wanted +0")


async def _report_idle(table: Table, folder: Path, server: str) -> None:
    table.title("Idle")
    empty = 0.0
    for organizations in (1, 10, 1000, 10_000):
        idle = await _idle(folder, server, organizations)
        empty = empty or idle.megabytes
        table.row(
            f"{organizations:,} organizations",
            f"{idle.share:.2%}",
            f"{idle.transactions:.1f} transactions/s, started with {idle.start_seconds:.2f} s of"
            f" processor time, {idle.megabytes - empty:+.0f} MB; wanted 1 %, 10, 2 s, 30 MB",
        )


PARTS = {
    "sending": _report_sending,
    "delivery": _report_delivery,
    "registers": _report_registers,
    "catch-up": _report_catching_up,
    "idle": _report_idle,
}


# --- measurements ---


async def _sends(processes: Sequence[Process], channels: list[BenchChannel], senders: int) -> Sends:
    async def send_repeatedly(number: int, until: float) -> list[float]:
        channel, port = channels[number % len(channels)], processes[number % len(processes)].port
        connection, request = await HttpConnection.to(port), _message(channel, number)
        latencies: list[float] = []
        while time.perf_counter() < until or len(latencies) < WARM_UP:
            begun = time.perf_counter()
            await connection.fetch(request)
            latencies.append(time.perf_counter() - begun)
        connection.close()
        return latencies

    await asyncio.gather(*(send_repeatedly(number, 0) for number in range(senders)))
    cpu, database = sum(each.cpu_seconds() for each in processes), _database_seconds()
    begun = time.perf_counter()
    measured = await asyncio.gather(
        *(send_repeatedly(number, begun + SECONDS) for number in range(senders))
    )
    elapsed = time.perf_counter() - begun
    latencies = sorted(each for one in measured for each in one)
    count = len(latencies)
    return Sends(
        count / elapsed,
        statistics.median(latencies),
        latencies[int(count * 0.99)],
        (sum(each.cpu_seconds() for each in processes) - cpu) / count,
        (_database_seconds() - database) / count,
    )


async def _deliveries(
    processes: Sequence[Process], channel: BenchChannel, rounds: int
) -> list[float]:
    """From a send at one server to a listener at another."""
    here, there = processes[0], processes[1]
    sender, client = (
        await HttpConnection.to(here.port),
        await QueueClient.open(there, Queue(channel.login, channel.queue)),
    )
    latencies = []
    for _ in range(rounds):
        poll = client.poll()
        await asyncio.sleep(0.02)
        begun = time.perf_counter()
        await sender.fetch(_message(channel, 0))
        await poll
        latencies.append(client.received_at - begun)
    sender.close()
    client.connect.close()
    return latencies


async def _registers(
    processes: Sequence[Process], channel: BenchChannel
) -> tuple[float, float, float]:
    """Seconds of a send, of a register while others send, and of a send meanwhile, in turn."""
    connection, latencies = await HttpConnection.to(processes[0].port), []
    alone, meanwhile = [], []
    for _ in range(TURNS):
        alone.append((await _sends(processes, [channel], 4)).median_seconds)
        writing = asyncio.create_task(_sends(processes, [channel], 4))
        while not writing.done():
            begun = time.perf_counter()
            await connection.fetch(channel.with_host(channel.login.post("/register")))
            latencies.append(time.perf_counter() - begun)
            await asyncio.sleep(0.05)
        meanwhile.append((await writing).median_seconds)
    connection.close()
    return statistics.median(alone), statistics.median(latencies), statistics.median(meanwhile)


def _message(channel: BenchChannel, number: int) -> bytes:
    words = {"type": "channel", "to": "hall", "topic": f"bench {number}", "content": "Soup's on"}
    return channel.with_host(channel.login.post("/messages", **words))


# --- setup ---


async def _catch_up(process: Process, channel: BenchChannel, url: str) -> tuple[float, float]:
    """A server that is paused while much happens: seconds until it answers, and additional
    megabytes."""
    connection = await HttpConnection.to(process.port)
    await connection.fetch(_message(channel, 0))
    before, _ = process.memory()
    process.send(signal.SIGSTOP)
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(
            "INSERT INTO event (realm_id, seq, kind, audience, payload, at)"
            " SELECT e.realm_id, e.seq + g, e.kind, e.audience, e.payload, e.at"
            " FROM event e JOIN log_head h ON h.realm_id = e.realm_id AND h.seq = e.seq,"
            " generate_series(1, %s) g",
            (MISSED_EVENTS,),
        )
        database.execute("UPDATE log_head SET seq = seq + %s", (MISSED_EVENTS,))
    await asyncio.sleep(LEASE_SECONDS)
    process.send(signal.SIGCONT)
    begun = time.perf_counter()
    await connection.fetch(_message(channel, 0))
    seconds = time.perf_counter() - begun
    connection.close()
    return seconds, (process.memory()[0] - before) / (1 << 20)


@dataclass(frozen=True, slots=True)
class Idle:
    share: float  # of a core
    transactions: float  # a second
    start_seconds: float  # of CPU time
    megabytes: float


async def _idle(folder: Path, server: str, organizations: int) -> Idle:
    with _cluster(folder, server, 0, 1) as (_, channels, url):
        if organizations > 1:
            multiply(url, channels[0], organizations - 1)
        data = folder / "idle"
        data.mkdir(exist_ok=True)
        with tertulia(data, url, SECRET) as process:
            process.wait_for_first_answer("/health")
            started = process.cpu_seconds()
            await asyncio.sleep(SETTLE_SECONDS)
            cpu, done = process.cpu_seconds(), _transactions(url)
            await asyncio.sleep(IDLE_SECONDS)
            return Idle(
                (process.cpu_seconds() - cpu) / IDLE_SECONDS,
                (_transactions(url) - done) / IDLE_SECONDS,
                started,
                process.memory()[0] / (1 << 20),
            )


@contextlib.contextmanager
def _cluster(
    folder: Path, server: str, servers: int, organizations: int
) -> Iterator[tuple[list[Process], list[BenchChannel], str]]:
    with new_database(folder, server, _name()) as url, contextlib.ExitStack() as running:
        channels = create_organizations(url, organizations)
        processes = []
        for number in range(servers):
            data = folder / f"{servers}-{number}"
            data.mkdir(exist_ok=True)
            processes.append(running.enter_context(tertulia(data, url, SECRET)))
        for process in processes:
            process.wait_for_first_answer(FIRST_ANSWER)
        yield processes, channels, url


def _database_seconds() -> float:
    """CPU time of the PostgreSQL processes for our database."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f" {_name()} ".encode() in (process / "cmdline").read_bytes():
                fields = (process / "stat").read_text().rpartition(") ")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _name() -> str:
    return f"tertulia_bench_{os.getpid()}"


def _transactions(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database"
            " WHERE datname = current_database()"
        ).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
