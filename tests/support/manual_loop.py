"""An event loop whose clock only tests move: timers fire when a test says that time has passed."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

ROUNDS = 20  # of the event loop, more than what one moment causes takes


class ManualLoop(asyncio.SelectorEventLoop):
    now = 1000.0

    def time(self) -> float:
        return self.now

    async def pass_time(self, seconds: float) -> None:
        """Let this much time pass, and everything happen that is due then."""
        self.now += seconds
        for _ in range(ROUNDS):
            await asyncio.sleep(0)


def run(scene: Callable[[ManualLoop], Coroutine[Any, Any, T]]) -> T:
    loop = ManualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(scene(loop))
