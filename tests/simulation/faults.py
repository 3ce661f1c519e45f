"""What goes wrong in a run: a seed decides it in advance, so that a run can be made smaller.

A scenario is plain data, so that `smaller` can remove parts of it.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from tests.simulation.shared_database import Chaos

Death = Literal["kill", "kill in a write", "power cut", "stop", "vanish"]


@dataclass(frozen=True)
class DiskError:
    """The n-th operation of a kind fails, and `count - 1` after it."""

    kind: Literal["write", "sync"]
    nth: int
    name: Literal["ENOSPC", "EIO"]
    count: int

    def is_at(self, number: int) -> bool:
        return self.nth <= number < self.nth + self.count

    def __str__(self) -> str:
        return f"{self.name} {self.kind} {self.nth}"


@dataclass(frozen=True)
class Life:
    """How one life of a server ends, and what it suffers.

    A kill comes after so many callbacks of the server, or before an operation of its disk. A power
    cut is a kill after which unsynced writes may be lost. The database that several servers share
    learns of a kill at once, and of a server that vanishes by its silence.
    """

    death: Death
    callbacks: int  # before the death
    operation: int = 0  # of the disk, for deaths in a write
    disk_error: DiskError | None = None
    has_slow_syncs: bool = False
    wall_step_seconds: float = 0.0  # how the wall clock is set in the middle
    leap_seconds: float = 0.0  # how long the machine is suspended, a day at a time
    stops_after_seconds: float = 0.0  # if it stops; 0.0 for a time of the world's choice
    pause_seconds: float = 0.0  # how long this one of several servers stands still in the middle

    def __str__(self) -> str:
        parts = [f"{self.death} after {self.callbacks} callbacks"]
        if self.operation:
            parts = [f"{self.death} before operation {self.operation} of the disk"]
        if self.disk_error is not None:
            parts.append(str(self.disk_error))
        if self.has_slow_syncs:
            parts.append("slow syncs")
        if self.wall_step_seconds:
            parts.append(f"clock set by {self.wall_step_seconds:+.0f} s")
        if self.leap_seconds:
            parts.append(f"suspended for {self.leap_seconds / 86400:.1f} days")
        if self.pause_seconds:
            parts.append(f"paused for {self.pause_seconds:.1f} s")
        return ", ".join(parts)


NO_CHAOS = Chaos()


@dataclass(frozen=True)
class Scenario:
    seed: int
    people: int
    listeners: int
    lives: tuple[Life, ...]
    loss_share: float  # of packets that break a connection
    think_seconds: float  # between two actions of a person
    actions: tuple[str, ...] = ()  # only these; all if empty
    planted: str = ""  # a fault of `planted.FAULTS`
    servers: int = 1  # that share a database, if there are several; they take turns in `lives`
    has_import: bool = False  # into the database of the server
    chaos: Chaos = NO_CHAOS  # between several servers and their database

    @property
    def has_long_leap(self) -> bool:
        """Whether messages become old enough for retention."""
        return any(life.leap_seconds >= 86_400.0 for life in self.lives)


# Each run is a fork of a process that has played this: it has imported, compiled and cached.
_IN_ORDER = Life("stop", 0, stops_after_seconds=8.0)
WARM_UP = Scenario(5, 4, 2, (_IN_ORDER,), loss_share=0.0, think_seconds=0.02)


def of_seed(seed: int) -> Scenario:
    """Every fourth seed has several servers, every eighth an import."""
    rng = random.Random(f"scenario {seed}")
    return _of_several(seed, rng) if seed % 4 == 2 else _of_one(seed, rng)


def _of_several(seed: int, rng: random.Random) -> Scenario:
    return Scenario(
        seed,
        people=rng.randint(2, 5),
        listeners=rng.randint(2, 3),
        lives=tuple(_shared_life(rng) for _ in range(rng.randint(4, 12))),
        loss_share=rng.choice([0.0, 0.01, 0.05]),
        think_seconds=rng.choice([0.05, 0.2, 0.5]),
        servers=rng.randint(2, 3),
        chaos=Chaos(
            lost_commits=rng.choice([0.0, 0.0, 0.01]),
            lost_notices=rng.choice([0.0, 0.05, 0.3]),
            repeated_notices=rng.choice([0.0, 0.05]),
        ),
    )


def _shared_life(rng: random.Random) -> Life:
    deaths: list[Death] = ["kill", "vanish", "stop"]
    (death,) = rng.choices(deaths, weights=[5, 3, 2])
    callbacks = rng.choice([rng.randint(1, 300), rng.randint(300, 4000)])
    is_paused = rng.random() < 0.4
    return Life(death, callbacks, pause_seconds=rng.uniform(0.1, 15.0) if is_paused else 0.0)


def _of_one(seed: int, rng: random.Random) -> Scenario:
    return Scenario(
        seed,
        people=rng.randint(2, 5),
        listeners=2,
        lives=tuple(_life(rng) for _ in range(rng.randint(4, 12))),
        loss_share=rng.choice([0.0, 0.01, 0.05]),
        think_seconds=rng.choice([0.05, 0.2, 0.5]),
        has_import=seed % 8 == 3,
    )


def _life(rng: random.Random) -> Life:
    deaths: list[Death] = ["kill", "kill in a write", "power cut", "stop"]
    (death,) = rng.choices(deaths, weights=[5, 3, 4, 1])
    callbacks = rng.choice([rng.randint(1, 300), rng.randint(300, 2500)])
    operation = rng.randint(1, 300)
    is_in_write = death == "kill in a write" or (death == "power cut" and rng.random() < 0.7)
    error = None
    if rng.random() < 0.15:
        kind, name = rng.choice(
            [("write", "ENOSPC"), ("write", "EIO"), ("sync", "EIO"), ("sync", "ENOSPC")]
        )
        error = DiskError(kind, rng.randint(1, 150), name, rng.choice([1, 1, 3, 20]))  # type: ignore[arg-type]
    life = Life(
        death,
        callbacks,
        operation if is_in_write else 0,
        error,
        has_slow_syncs=rng.random() < 0.1,
        wall_step_seconds=rng.choice([-3600.0, 3600.0, 300.0]) if rng.random() < 0.1 else 0.0,
        leap_seconds=rng.choice([60.0, 86400.0, 90 * 86400.0]) if rng.random() < 0.05 else 0.0,
    )
    if life.leap_seconds > 86400.0:  # most of them end after weeks
        return replace(life, callbacks=40 * callbacks, operation=0)
    return life


def with_disk_error(seed: int, error: DiskError | None = None) -> Scenario:
    """A short life of one server, whose disk fails once, and which stops in order."""
    life = Life("stop", 0, disk_error=error, stops_after_seconds=1.5)
    return Scenario(seed, 3, 2, (life,), loss_share=0.0, think_seconds=0.2)


def disk_error(words: str) -> DiskError:
    name, kind, nth = words.split()
    return DiskError(kind, int(nth), name, 1)  # type: ignore[arg-type]


def every_disk_error(seed: int, operations: Mapping[str, int]) -> Iterator[Scenario]:
    """An error at each write and at each sync of a run: one after the other of both kinds."""
    for kind in ("sync", "write"):
        for nth in range(1, operations[kind] + 1):
            name = ("ENOSPC", "EIO")[nth % 2]
            yield with_disk_error(seed, DiskError(kind, nth, name, 1))  # type: ignore[arg-type]


def smaller(scenario: Scenario) -> Iterator[Scenario]:
    """Scenarios with a part less each, the largest parts first."""
    lives = scenario.lives
    for number in range(len(lives)):
        yield replace(scenario, lives=lives[:number] + lives[number + 1 :])
    if scenario.people > 1:
        yield replace(scenario, people=scenario.people - 1)
    if scenario.listeners > 1:
        yield replace(scenario, listeners=scenario.listeners - 1)
    if scenario.servers > 1:
        yield replace(scenario, servers=scenario.servers - 1)
    if scenario.chaos != NO_CHAOS:
        yield replace(scenario, chaos=NO_CHAOS)
    if scenario.has_import:
        yield replace(scenario, has_import=False)
    if scenario.loss_share:
        yield replace(scenario, loss_share=0.0)
    for number, life in enumerate(lives):
        for less in _smaller_lives(life):
            yield replace(scenario, lives=(*lives[:number], less, *lives[number + 1 :]))


def _smaller_lives(life: Life) -> Iterator[Life]:
    if life.disk_error is not None:
        yield replace(life, disk_error=None)
    if life.has_slow_syncs:
        yield replace(life, has_slow_syncs=False)
    if life.wall_step_seconds:
        yield replace(life, wall_step_seconds=0.0)
    if life.leap_seconds:
        yield replace(life, leap_seconds=0.0)
    if life.pause_seconds:
        yield replace(life, pause_seconds=0.0)
    if life.operation > 10:
        yield replace(life, operation=life.operation // 2)
    elif not life.operation and life.callbacks > 50:
        yield replace(life, callbacks=life.callbacks // 2)
