"""`python -m bench.capacity_model`: larger sizes, computed from measurements.

It simulates random users for three questions: how long a send waits for its organization's turn,
how long a register takes after a restart when all clients return, and the total load of the
servers. The costs are those of `make bench` and `make bench-nodes`.
"""

import heapq
import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

COMMIT_SECONDS = 0.004  # of a statement with its fsync, for any number of messages
ROW_SECONDS = 0.0001  # of each message in it
SEND_SECONDS = 0.0009  # CPU time of the sending server and of PostgreSQL
DELIVER_SECONDS = 0.0003  # on every other server
NOTIFY_SECONDS = 0.0004  # for each listener: an event, an answer, a new poll
REGISTER_SECONDS = 0.005  # of a small organization
REGISTER_PERSON_SECONDS = 0.000_005  # more per user: 30 ms with 5,000
POLL_BYTES = 15_000
PERSON_BYTES = 1_000
SMALL_ORGANIZATION_BYTES = 25_000
RETURN_SECONDS = 60.0  # within which clients return by themselves


@dataclass(frozen=True, slots=True)
class Size:
    name: str
    organizations: int
    people: int  # in each
    online: float  # share of them at the busiest time
    sends_an_hour: float  # of all online users
    listeners: int  # of a message
    servers: int
    cores: int  # of each


SIZES = [
    Size("one organization of 100,000", 1, 100_000, 0.5, 2, 300, 4, 8),
    Size("10,000 organizations of 20", 10_000, 20, 0.3, 2, 6, 4, 8),
    Size("10,000 organizations of 200", 10_000, 200, 0.3, 2, 40, 8, 16),
]


def main() -> None:
    for size in SIZES:
        online = int(size.organizations * size.people * size.online)
        sends = online * size.sends_an_hour / 3600
        turns = send_waits(sends / size.organizations, size.servers)
        takes = REGISTER_SECONDS + REGISTER_PERSON_SECONDS * size.people
        registers = sorted(register_waits(online, size.servers * size.cores, takes))
        work = sends * (
            SEND_SECONDS + DELIVER_SECONDS * (size.servers - 1) + NOTIFY_SECONDS * size.listeners
        )
        held = size.organizations * SMALL_ORGANIZATION_BYTES + PERSON_BYTES * size.people * (
            size.organizations if size.people > 20 else 0
        )
        print(f"{size.name}: {online:,} online, {sends:,.0f} sends/s, {size.servers} servers")
        print(
            f"  a send waits {1000 * statistics.median(turns):.1f} ms for its turn,"
            f" 99 % at most {1000 * turns[int(len(turns) * 0.99)]:.1f} ms"
        )
        print(f"  processors busy with talking: {work:.1f} of {size.servers * size.cores}")
        print(
            f"  after a restart of all, a register is answered within"
            f" {statistics.median(registers):.1f} s, 99 % within"
            f" {registers[int(len(registers) * 0.99)]:.1f} s"
        )
        each = (online * POLL_BYTES / size.servers + held) / 1e9
        print(f"  memory of a server: at most {each:.1f} GB")


def send_waits(sends_a_second: float, servers: int, count: int = 20_000) -> list[float]:
    """For one organization: sends queued on a server share its next turn."""
    chance = random.Random(1)
    arrivals = list(_arrival_times(chance, sends_a_second, count))
    piles: list[list[float]] = [[] for _ in range(servers)]
    waits: list[float] = []
    free_at, next_arrival = 0.0, 0
    while next_arrival < len(arrivals) or any(piles):
        if not any(piles):
            free_at = max(free_at, arrivals[next_arrival])
        while next_arrival < len(arrivals) and arrivals[next_arrival] <= free_at:
            piles[chance.randrange(servers)].append(arrivals[next_arrival])
            next_arrival += 1
        pile = min((each for each in piles if each), key=lambda each: each[0])
        waits += [free_at - moment for moment in pile]
        free_at += COMMIT_SECONDS + ROW_SECONDS * len(pile)
        pile.clear()
    return sorted(waits)


def register_waits(clients: int, cores: int, takes: float) -> Iterator[float]:
    """All clients return within a minute; the cores serve them in order of arrival."""
    chance = random.Random(1)
    free_at = [0.0] * cores
    for moment in sorted(chance.uniform(0, RETURN_SECONDS) for _ in range(clients)):
        begins = max(moment, heapq.heappop(free_at))
        heapq.heappush(free_at, begins + takes)
        yield begins + takes - moment


def _arrival_times(chance: random.Random, per_second: float, count: int) -> Iterator[float]:
    now = 0.0
    for _ in range(count):
        now += chance.expovariate(per_second)
        yield now


if __name__ == "__main__":
    main()
