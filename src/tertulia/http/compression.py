"""Compresses responses for clients that accept it.

JSON shrinks to a tenth. A response that fits into one packet is not compressed, and a large one is
compressed on a thread, users in turn.
"""

import re
import zlib
from functools import partial

from tertulia.fair_queue import FairQueue, Person

MIN_BYTES = 1300
QUICK_BYTES = 1 << 15  # a quarter of a millisecond
LEVEL = 4  # higher levels take longer and do not shrink JSON further

_ACCEPTED = re.compile(
    r"(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[0-9.]+\s*)?(?:,|$)"
)

COMPRESSION = FairQueue("compression", slots=1, max_waiting=100)


def is_accepted(accept_encoding: str | None, size: int) -> bool:
    return (
        size >= MIN_BYTES
        and accept_encoding is not None
        and _ACCEPTED.search(accept_encoding.lower()) is not None
    )


async def compressed(person: Person, body: bytes) -> bytes:
    if len(body) <= QUICK_BYTES:
        return gzip(body)
    return await COMPRESSION.run(person, partial(gzip, body))


def gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, wbits=31)
    return packer.compress(body) + packer.flush()


class GzipInParts:
    """Compresses a response whose beginning is sent while the rest is still computed."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(LEVEL, wbits=31)

    def begin(self, part: bytes) -> bytes:
        return self._packer.compress(part) + self._packer.flush(zlib.Z_SYNC_FLUSH)

    async def end(self, person: Person, part: bytes) -> bytes:
        return await COMPRESSION.run(person, partial(self._end, part))

    def _end(self, part: bytes) -> bytes:
        return self._packer.compress(part) + self._packer.flush()
