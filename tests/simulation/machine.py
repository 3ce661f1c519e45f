"""The machine: what the operating system gives to a process, replaced by what a seed decides.

`install` replaces the clock, sleep, random bytes, threads and thread pools of the standard library,
for this process and for ever. Nothing of Tertulia is replaced. Import it before Tertulia, whose
modules may keep references to functions of the standard library.
"""

import concurrent.futures
import os
import random
import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from greenlet import greenlet

EPOCH = 1_800_000_000.0  # the wall clock when a run begins
CPU_SECONDS_PER_READ = 1e-7  # of a clock, so that a loop that waits for a time ends

cpu_seconds, real_time = time.process_time, time.time  # the real ones


class DiskSpace(NamedTuple):
    total: int
    used: int
    free: int


class Clock:
    """Virtual time. It moves only when the schedule, a sleep or a fault moves it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.monotonic = 0.0
        self._wall_ahead = EPOCH
        self.latest_wall = 0.0  # from which the wall clock was put back

    def read(self) -> float:
        self.monotonic += CPU_SECONDS_PER_READ
        return self.monotonic

    def wall(self) -> float:
        return self._wall_ahead + self.monotonic

    def advance(self, seconds: float) -> None:
        self.monotonic += max(0.0, seconds)

    def step_wall(self, seconds: float) -> None:
        """Set the wall clock, as an administrator or NTP does."""
        self.latest_wall = max(self.latest_wall, self.wall())
        self._wall_ahead += seconds


CLOCK = Clock()
ENTROPY = random.Random(0)


class Scheduler:
    """What simulated threads need from the schedule; `schedule.Schedule` is the only one."""

    def wake(self, thread: "Thread", seconds: float | None = None) -> None:
        """Continue a thread after some virtual seconds; by default when the schedule likes."""
        raise NotImplementedError

    def finish(self, thread: "Thread") -> None:
        """Run a thread to its end, because its caller waits for it and blocks the event loop."""
        raise NotImplementedError

    def report(self, problem: str) -> None:
        raise NotImplementedError

    def log(self, line: str) -> None:
        raise NotImplementedError


SCHEDULERS: list[Scheduler] = []  # the last one is in use


class Thread:
    """A thread that runs on the only real one, and gives way where it would block."""

    def __init__(
        self,
        group: None = None,
        target: Callable[..., object] | None = None,
        name: str | None = None,
        args: Any = (),
        kwargs: Any = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        self.name, self.daemon = name or "thread", daemon
        self._run = lambda: target(*args, **(kwargs or {})) if target is not None else None
        self.stack: greenlet | None = None
        self.is_done = False
        self.parks = 0  # a wake is for one park; later ones ignore it

    def start(self) -> None:
        self.stack = greenlet(self._main)
        SCHEDULERS[-1].wake(self)

    def join(self, timeout: float | None = None) -> None:
        if self.stack is not None and not self.is_done:
            SCHEDULERS[-1].finish(self)

    def is_alive(self) -> bool:
        return self.stack is not None and not self.is_done

    def park(self) -> None:
        """Let others run until something wakes this thread."""
        assert self.stack is not None
        assert self.stack.parent is not None
        self.stack.parent.switch()
        self.parks += 1

    def _main(self) -> None:
        try:
            self._run()
        except BaseException as error:
            SCHEDULERS[-1].report(f"a thread ended with {error!r}")
        self.is_done = True


class Running:
    """Which simulated thread runs; None while the event loop does."""

    thread: Thread | None = None


class Condition(threading.Condition):
    """Waiting threads give way to the schedule."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__(lock)
        self._threads: list[Thread] = []

    def wait(self, timeout: float | None = None) -> bool:
        thread = Running.thread
        assert thread is not None, "the event loop would block for ever"
        self._threads.append(thread)
        saved = self._release_save()  # type: ignore[attr-defined]
        if timeout is not None:
            SCHEDULERS[-1].wake(thread, timeout)
        thread.park()
        self._acquire_restore(saved)  # type: ignore[attr-defined]
        was_notified = thread not in self._threads
        if not was_notified:
            self._threads.remove(thread)
        return was_notified

    def notify(self, n: int = 1) -> None:
        for thread in self._threads[:n]:
            SCHEDULERS[-1].wake(thread)
        del self._threads[:n]

    def notify_all(self) -> None:
        self.notify(len(self._threads))


class Executor(concurrent.futures.Executor):
    """A pool: each item is a thread of its own. `FairQueue` bounds how many there are."""

    def __init__(self, max_workers: int | None = None, thread_name_prefix: str = "") -> None:
        self._name = thread_name_prefix or "pool"
        self._running: list[Thread] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        thread = Thread(target=run, name=self._name)
        self._running = [each for each in self._running if not each.is_done]
        self._running.append(thread)
        thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for thread in self._running if wait else ():
            thread.join()


def sleep(seconds: float) -> None:
    thread = Running.thread
    if thread is None:
        CLOCK.advance(seconds)  # the event loop is blocked meanwhile
    else:
        SCHEDULERS[-1].wake(thread, seconds)
        thread.park()


def install() -> None:
    os.environ["TZ"] = "Europe/Berlin"  # summer time begins in the months after EPOCH
    time.tzset()
    time.monotonic = time.perf_counter = CLOCK.read
    time.time = CLOCK.wall
    time.sleep = sleep  # type: ignore[assignment]
    os.urandom = lambda size: ENTROPY.randbytes(size)
    random._urandom = os.urandom  # type: ignore[attr-defined]
    shutil.disk_usage = lambda path: DiskSpace(1 << 40, 1 << 39, 1 << 39)  # type: ignore[assignment, return-value]
    threading.Thread = Thread  # type: ignore[assignment, misc]
    threading.Condition = Condition  # type: ignore[misc]
    concurrent.futures.ThreadPoolExecutor = Executor  # type: ignore[assignment, misc]
