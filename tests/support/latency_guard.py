"""The latency guard of every server in the tests: no work may block the event loop or the writer
for long.

Other requests must be served meanwhile. So the longest piece of work of a test is compared with a
bound. It is measured in CPU time, which a busy machine changes little, relative to how fast this
machine counts to a hundred thousand. Garbage collections do not count, nor does time that the host
of a virtual machine gives to others, which looks like work.
"""

import asyncio
import functools
import gc
import math
import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.write_counter import COUNTER

from tertulia.database import Database
from tertulia.database.fast_send import FastInsert
from tertulia.database.write_queue import PendingWrite
from tertulia.fair_queue import SERVER

MAX_COUNTS = 150
SAMPLE_SECONDS = 0.1
LONG_SECONDS = 0.03  # shorter work is never reported

_COUNTERS = Path("/proc/stat")


@dataclass
class LatencyGuard:
    """The longest piece of work of each, in CPU seconds, and what it was."""

    longest: dict[str, tuple[float, str]] = field(default_factory=dict)
    _quickest: float = math.inf  # the fastest count on this machine
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        with self._lock:
            self.longest.clear()

    def note(self, who: str, seconds: float, what: str) -> None:
        with self._lock:
            if seconds > self.longest.get(who, (0.0, ""))[0]:
                self.longest[who] = seconds, what

    def problems(self) -> list[str]:
        """Work that took too long since `begin`.

        Counting takes longer than many tests, so it is done only if there may be a problem.
        """
        with self._lock:
            longest = dict(self.longest)
        if self._quickest == math.inf:
            self._quickest = min(count() for _ in range(5))
        if all(seconds <= MAX_COUNTS * self._quickest for seconds, _ in longest.values()):
            return []
        counts = [count() for _ in range(3)]
        self._quickest = min(self._quickest, *counts)
        one = max(counts)
        return [
            f"{who} was blocked for {seconds / one:.0f} counts{what}; {MAX_COUNTS} is the maximum."
            for who, (seconds, what) in longest.items()
            if seconds > MAX_COUNTS * one
        ]


GUARD = LatencyGuard()


def count() -> float:
    """How long counting takes now."""
    began = time.thread_time()
    for _ in range(100_000):
        pass
    return time.thread_time() - began


class Stopwatch(threading.local):
    """The CPU time of this thread without garbage collections."""

    collecting: float = 0.0
    collecting_since: float = 0.0

    def __call__(self) -> float:
        return time.thread_time() - self.collecting

    def on_collection(self, phase: str, _: Any) -> None:
        if phase == "start":
            self.collecting_since = time.thread_time()
        else:
            self.collecting += time.thread_time() - self.collecting_since


stopwatch = Stopwatch()
gc.callbacks.append(stopwatch.on_collection)


class StolenTime:
    """CPU time that the host gave to others, on all processors."""

    def __init__(self) -> None:
        self._looked_at = -math.inf
        self._taken = 0.0

    def read(self) -> float:
        """In seconds since boot; zero where the system does not report it."""
        if not _COUNTERS.exists():
            return 0.0
        with _COUNTERS.open() as file:
            ticks = file.readline().split()[8]
        self._looked_at = time.monotonic()
        self._taken = int(ticks) / os.sysconf("SC_CLK_TCK")
        return self._taken

    def recent(self) -> float:
        """The same, at most a moment old: reading it takes longer than most actions."""
        is_long_ago = time.monotonic() - self._looked_at > LONG_SECONDS
        return self.read() if is_long_ago else self._taken


STOLEN_TIME = StolenTime()


class CpuTimer:
    """The work of this thread from here on."""

    def __init__(self) -> None:
        self._taken = STOLEN_TIME.recent()
        self._began = stopwatch()

    def seconds(self) -> float:
        spent = stopwatch() - self._began
        return spent if spent < LONG_SECONDS else spent - (STOLEN_TIME.read() - self._taken)


@asynccontextmanager
async def watch_event_loop(watch: LatencyGuard = GUARD) -> AsyncIterator[None]:
    """Watch the running event loop: work that blocks it delays this watch."""

    async def on_collection() -> None:
        while True:
            stretch = CpuTimer()
            await asyncio.sleep(SAMPLE_SECONDS)
            watch.note("loop", stretch.seconds(), "")

    looking = asyncio.create_task(on_collection())
    try:
        yield
    finally:
        looking.cancel()


class WatchedDatabase(Database):
    """Measures how long actions of the server block the writer; those of test setup do not
    count."""

    def start(
        self,
        fetch_updates: Callable[..., Any],
        deliver: Callable[..., None],
        compose_updates: Callable[..., Any],
        fast_insert: FastInsert,
        encode_sends: Callable[..., Any] = lambda appended: ([], {}),
        applier: Any = None,
        prepare_fast: Callable[..., Any] = lambda realm_id, action, args: None,
    ) -> None:
        super().start(
            _timed(fetch_updates),
            deliver,
            _timed(compose_updates),
            fast_insert,
            encode_sends,
            applier,
            prepare_fast,
        )

    def _submit(self, job: PendingWrite) -> None:
        if getattr(job.action, "__module__", "").startswith("tertulia."):
            action = job.action if job.person == SERVER else COUNTER.counted(job.action, stopwatch)
            job.action = _timed(action)
        super()._submit(job)


def _timed(action: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(action)
    def run(*args: Any) -> Any:
        stretch = CpuTimer()
        try:
            return action(*args)
        finally:
            GUARD.note("writer", stretch.seconds(), f" by {action.__qualname__}")

    return run
