"""Decoding that takes long happens on one thread, one request after the other, while others are
served; what is short is not worth the way there."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

QUICK_BYTES = 1 << 14

_DECODING = ThreadPoolExecutor(1, thread_name_prefix="forms")

P = ParamSpec("P")
T = TypeVar("T")


async def decoded(size: int, decode: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What comes of so many bytes."""
    if size <= QUICK_BYTES:
        return decode(*args, **kwargs)
    work = partial(decode, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_DECODING, work)
