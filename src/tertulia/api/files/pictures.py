"""Pictures that come with a request, and where pictures are drawn.

To draw takes long and much memory, so it is done one at a time, on a thread on which nothing else
waits.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tertulia import domain
from tertulia.api.call import Call
from tertulia.errors.http import RateLimited
from tertulia.errors.messages import BadImage, FileTooLarge
from tertulia.http.forms import UploadedFile, media_type

MOST_AT_ONCE = 4  # of one account: what waits to be drawn is in memory

_DRAWING = ThreadPoolExecutor(1, thread_name_prefix="pictures")
_waiting: Counter[int] = Counter()  # by account

D = TypeVar("D")
T = TypeVar("T")


async def drawn(draw: Callable[[D], T], data: D) -> T:
    return await asyncio.get_running_loop().run_in_executor(_DRAWING, draw, data)


async def drawn_for(call: Call, draw: Callable[[bytes], T], data: bytes) -> T:
    """Drawn for somebody who waits; raises if they wait for several already."""
    account = call.user.id
    if _waiting[account] >= MOST_AT_ONCE:
        raise RateLimited(retry_after=1)
    _waiting[account] += 1
    try:
        return await drawn(draw, data)
    finally:
        _waiting[account] -= 1
        if not _waiting[account]:
            del _waiting[account]


def picture_in(file: UploadedFile, most_bytes: int) -> bytes:
    if len(file.data) > most_bytes:
        raise FileTooLarge(limit=most_bytes >> 20)
    if media_type(file.content_type) not in domain.files.images.CONTENT_TYPES:
        raise BadImage(reason="Invalid image format")
    return file.data
