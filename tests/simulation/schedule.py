"""The schedule: an event loop that never waits, and threads that are steps of it.

Time jumps to the next timer when nothing is ready. Threads are greenlets: they run until they would
block, and the seed decides when they continue. Everything that belongs to a simulated process runs
in a context with its `Host`. A killed host is not unwound: its callbacks are never called again,
and the stack that runs at this moment is abandoned, even in the middle of a write to the disk.
"""

import asyncio
import heapq
import random
import selectors
import threading
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar
from typing import Any

from greenlet import getcurrent, greenlet
from tests.simulation.machine import CLOCK, SCHEDULERS, Executor, Running, Scheduler, Thread

CPU_SECONDS_PER_CALLBACK = 1e-5
MEAN_DELAY_SECONDS = 0.002
LONG_DELAY_SHARE = 0.03
MAX_LONG_DELAY_SECONDS = 2.0


class Host:
    """A simulated process. `kill_in_steps` counts down its callbacks to a kill; -1 is never."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_alive = True
        self.kill_in_steps = -1
        self.paused: list[asyncio.Handle] | None = None  # callbacks of a paused process
        self.on_death: Callable[[], None] = lambda: None
        self.context = Context()
        self.context.run(HOST.set, self)

    @property
    def is_silent(self) -> bool:
        return not self.is_alive or self.paused is not None


HOST: ContextVar[Host | None] = ContextVar("host", default=None)


MAX_STEPS = 500_000  # of one run, hundreds of times as many as usual


class Stuck(Exception):
    """Nothing is ready and no timer is set, or the callbacks never end."""


class Schedule(Scheduler):
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.loop = VirtualLoop()
        self.loop.set_exception_handler(self._on_exception)
        self.problems: list[str] = []
        self.on_log: Callable[[str], None] = lambda line: None
        self.steps = 0
        self._graves: list[Any] = []  # what dead hosts leave: it must never be finalized
        self._controller: greenlet | None = None
        SCHEDULERS.append(self)

    def run(self, main: Coroutine[Any, Any, Any]) -> None:
        """Run until a coroutine has ended. A kill abandons the stack, and another one goes on."""
        self._controller = getcurrent()
        task = self.loop.create_task(main)
        while not task.done():
            stack = greenlet(self._run_until_done)
            stack.switch(task)
            if not task.done():
                self._graves.append(stack)
        asyncio._set_running_loop(None)
        task.result()

    def delay(self) -> float:
        """Until a thread or a packet continues: mostly short, sometimes as on a busy machine."""
        if self._rng.random() < LONG_DELAY_SHARE:
            return self._rng.uniform(0.05, MAX_LONG_DELAY_SECONDS)
        return self._rng.expovariate(1 / MEAN_DELAY_SECONDS)

    def kill(self, host: Host) -> None:
        """End a host at once. Does not return if the caller is a callback or thread of it."""
        host.is_alive = False
        self._graves += asyncio.all_tasks(self.loop)
        self.loop.call_soon(host.on_death, context=Context())
        if HOST.get() is host:
            self.abandon()

    def abandon(self) -> None:
        if (task := asyncio.current_task(self.loop)) is not None:
            asyncio.tasks._leave_task(self.loop, task)
        self._graves += [getcurrent(), Running.thread]
        Running.thread = None
        assert self._controller is not None
        self._controller.switch()

    def pause(self, host: Host) -> None:
        host.paused = []

    def resume(self, host: Host) -> None:
        self.loop._ready.extend(host.paused or ())
        host.paused = None

    # --- threads ---

    def wake(self, thread: Thread, seconds: float | None = None) -> None:
        host = HOST.get()
        assert thread.stack is not None
        if host is not None and not thread.stack and thread.stack.gr_context is None:
            thread.stack.gr_context = host.context.copy()
        seconds = self.delay() if seconds is None else seconds
        self.loop.call_later(seconds, self._switch_to, thread, thread.parks)

    def finish(self, thread: Thread) -> None:
        if Running.thread is not None:
            raise NotImplementedError("a thread that waits for a thread")
        while not thread.is_done:
            CLOCK.advance(self.delay())
            self._switch_to(thread, thread.parks)

    def report(self, problem: str) -> None:
        self.problems.append(problem)

    def log(self, line: str) -> None:
        self.on_log(line)

    def _switch_to(self, thread: Thread, parks: int) -> None:
        assert thread.stack is not None
        if thread.is_done or thread.parks != parks:
            return
        thread.stack.parent = getcurrent()
        Running.thread = thread
        asyncio._set_running_loop(None)
        thread.stack.switch()
        asyncio._set_running_loop(self.loop)
        Running.thread = None

    # --- callbacks ---

    def _run_until_done(self, task: "asyncio.Task[Any]") -> None:
        asyncio._set_running_loop(self.loop)
        while not task.done():
            self._run_next()

    def _run_next(self) -> None:
        handle = self.loop.next_handle()
        host = handle._context.get(HOST)  # type: ignore[attr-defined]
        if host is not None:
            if not host.is_alive:
                self._graves.append(handle)
                return
            if host.paused is not None:
                host.paused.append(handle)
                return
            host.kill_in_steps -= 1
            if host.kill_in_steps == 0:
                self._graves.append(handle)
                self.kill(host)
                return
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Stuck(f"{MAX_STEPS} callbacks; the last one is {handle!r}")
        CLOCK.advance(CPU_SECONDS_PER_CALLBACK)
        handle._run()

    def _on_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.report(f"unhandled: {context.get('message')}: {error!r}")


class _NoSelector(selectors.BaseSelector):
    """There are no sockets."""

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        raise NotImplementedError("a socket in a simulation")

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        raise NotImplementedError

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        raise NotImplementedError("the schedule runs the loop")

    def get_map(self) -> Any:
        return {}


class VirtualLoop(asyncio.SelectorEventLoop):
    """asyncio's loop with its queues; the schedule takes the callbacks out, one by one."""

    _ready: Any

    def __init__(self) -> None:
        super().__init__(_NoSelector())
        self._thread_id = threading.get_ident()  # it counts as running
        self._pool = Executor()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []  # a heap
        self._timer_count = 0
        self.connect: Callable[[Any], asyncio.Transport] | None = None  # to the only other host

    def time(self) -> float:
        return CLOCK.monotonic

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._timer_count += 1
        heapq.heappush(self._timers, (when, self._timer_count, timer))
        return timer

    def next_handle(self) -> asyncio.Handle:
        """The next callback that is not cancelled; time moves on to the next timer if it must."""
        ready, timers = self._ready, self._timers
        while True:
            while not ready:
                self._take_timer()
            while timers and timers[0][0] <= CLOCK.monotonic:
                self._take_timer()
            handle: asyncio.Handle = ready.popleft()
            if not handle._cancelled:
                return handle

    def _take_timer(self) -> None:
        if not self._timers:
            raise Stuck
        when, _, timer = heapq.heappop(self._timers)
        if not timer._cancelled:
            CLOCK.monotonic = max(CLOCK.monotonic, when)
            self._ready.append(timer)

    async def create_connection(
        self, protocol_factory: Callable[[], Any], *_: Any, **__: Any
    ) -> Any:
        assert self.connect is not None
        protocol = protocol_factory()
        return self.connect(protocol), protocol

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> Any:
        return asyncio.wrap_future((executor or self._pool).submit(func, *args), loop=self)

    def _make_self_pipe(self) -> None:
        """Nothing wakes the loop from outside."""

    def _write_to_self(self) -> None:
        """The same."""
