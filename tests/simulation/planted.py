"""Planted faults: changes to the server that the laws must find.

`make simulate ARGS="--planted"` runs seeds with each fault until a law is broken.
"""

import random
import time
from collections.abc import Callable
from typing import Any

from tests.simulation import disk
from tests.simulation.sqlite import SimulatedSqlite

from tertulia import storage
from tertulia.database.write_queue import Batch
from tertulia.database.writer import Writer
from tertulia.events.delivery.mailbox import Mailbox
from tertulia.events.delivery.past_directory import PastOrganization

FAULTS: dict[str, Callable[[], None]] = {}


def fault(plant: Callable[[], None]) -> Callable[[], None]:
    FAULTS[plant.__name__.replace("_", "-")] = plant
    return plant


def _replace(owner: Any, name: str, new: Any) -> None:
    setattr(owner, name, new)


@fault
def answer_before_commit() -> None:
    """The writer answers a batch, and commits it some milliseconds later."""
    run, commit = Writer._commit_batch, Writer._send_commit
    batches: list[list[Any]] = []

    def keep(self: Any, jobs: list[Any]) -> None:
        batches.append(jobs)
        run(self, jobs)

    def answer_first(self: Any) -> None:
        untouched = {id(job) for job in self._held + self._postponed}
        answered = [job for job in batches.pop() if id(job) not in untouched] if batches else []
        self._deliver(Batch(answered))
        time.sleep(0.01)
        commit(self)

    _replace(Writer, "_commit_batch", keep)
    _replace(Writer, "_send_commit", answer_first)


@fault
def commit_without_sync() -> None:
    connect = SimulatedSqlite.connect_to_write

    def connect_unsynced(self: Any) -> Any:
        connection = connect(self)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    _replace(SimulatedSqlite, "connect_to_write", connect_unsynced)


@fault
def lost_commit() -> None:
    """One transaction of a hundred is rolled back instead of committed."""
    commit, rng = Writer._send_commit, random.Random(0)

    def maybe_lose(self: Any) -> None:
        if rng.random() < 0.01:
            self._dialect.command(self._connection, "ROLLBACK")
        else:
            commit(self)

    _replace(Writer, "_send_commit", maybe_lose)


@fault
def position_too_early() -> None:
    """A queue counts as read although its client has not received the events."""
    _replace(Mailbox, "read_up_to", lambda self, applied: applied)


@fault
def key_forgotten() -> None:
    """A repeated send does not find its key."""
    _replace(storage.messages.send_keys, "find", lambda *_: None)


@fault
def audience_too_late() -> None:
    """The present state decides who receives an event of the past."""
    _replace(PastOrganization, "before", lambda turns, now, viewer_id: now)


@fault
def torn_page() -> None:
    """A power cut destroys a sector that was synced."""
    survive = disk.DiskFile.after_power_cut

    def tear(self: Any, rng: random.Random) -> bytes | None:
        left = survive(self, rng)
        if left is None or len(left) < disk.SECTOR_BYTES:
            return left
        start = rng.randrange(len(left) // disk.SECTOR_BYTES) * disk.SECTOR_BYTES
        return left[:start] + bytes(disk.SECTOR_BYTES) + left[start + disk.SECTOR_BYTES :]

    _replace(disk.DiskFile, "after_power_cut", tear)
