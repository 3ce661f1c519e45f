"""Answers made smaller, for clients that can read them so.

JSON shrinks to a tenth. What fits into one packet gains nothing by it, and what is large is
compressed on a thread, person by person in turn.
"""

import re
import zlib
from functools import partial

from tertulia.fair_queue import FairQueue, Person

MIN_BYTES = 1300
QUICK_BYTES = 1 << 15  # a quarter of a millisecond
LEVEL = 4  # higher ones take longer and gain nothing with JSON

_ASKED = re.compile(r"(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[0-9.]+\s*)?(?:,|$)")

COMPRESSION = FairQueue("compression", slots=1, max_waiting=100)


def is_wanted(accept_encoding: str | None, size: int) -> bool:
    return (
        size >= MIN_BYTES
        and accept_encoding is not None
        and _ASKED.search(accept_encoding.lower()) is not None
    )


async def compressed(person: Person, body: bytes) -> bytes:
    if len(body) <= QUICK_BYTES:
        return gzip(body)
    return await COMPRESSION.run(person, partial(gzip, body))


def gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, wbits=31)
    return packer.compress(body) + packer.flush()


class GzipInParts:
    """An answer whose beginning goes out while the rest is still being made."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(LEVEL, wbits=31)

    def begin(self, part: bytes) -> bytes:
        return self._packer.compress(part) + self._packer.flush(zlib.Z_SYNC_FLUSH)

    async def end(self, person: Person, part: bytes) -> bytes:
        return await COMPRESSION.run(person, partial(self._end, part))

    def _end(self, part: bytes) -> bytes:
        return self._packer.compress(part) + self._packer.flush()
