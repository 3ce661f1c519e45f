"""Turns: so many do something at once, so many of them for one caller, and the others wait."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class Turns:
    def __init__(self, at_once: int, for_one: int) -> None:
        self._everybody = asyncio.Semaphore(at_once)
        self._for_one = for_one
        self._of_one: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, caller: Hashable) -> AsyncIterator[None]:
        own = self._of_one.setdefault(caller, asyncio.Semaphore(self._for_one))
        async with own, self._everybody:
            yield
