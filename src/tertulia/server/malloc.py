"""Memory that goes back: what was taken for something large is the system's again afterwards.

Left to itself glibc learns from every large block that is freed to keep the next one, gives each
thread a heap of its own, and keeps what is free between two blocks: a server that was once asked
for much would be large for good. Elsewhere than on glibc nothing is done.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

_MMAP_THRESHOLD = -3  # of mallopt: blocks from this size on are taken from the system one by one
_ARENA_MAX = -8  # of mallopt: heaps for all threads together
LARGE_BYTES = 1 << 17
HEAPS = 2

TRIM_THRESHOLD_BYTES = 16 << 20  # more or less than usual
LOOKS_TO_LEARN = 8  # what is usual follows what there is, by such a part each time
_RESIDENT = Path("/proc/self/statm")


def give_back() -> None:
    """Best done before threads are started."""
    mallopt = _of_libc("mallopt")
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_ARENA_MAX, HEAPS)


def resident_bytes() -> int:
    return int(_RESIDENT.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class MallocTrimmer:
    """Knows how much memory is usual; when there is much more of it, or was until now, the gaps
    in the heaps are given back. That takes milliseconds, so it is not done all the time."""

    def __init__(self, resident_bytes: Callable[[], int] = resident_bytes) -> None:
        self._resident_bytes = resident_bytes
        self._trim = _of_libc("malloc_trim")
        self._usual_bytes = 0 if self._trim is None else resident_bytes()
        self.trims = 0

    def look(self) -> bool:
        """To be called every few seconds; says whether there is still much more than usual."""
        if self._trim is None:
            return False
        resident = self._resident_bytes()
        if abs(resident - self._usual_bytes) > TRIM_THRESHOLD_BYTES:
            self._trim(0)
            self.trims += 1
            resident = self._resident_bytes()
        above = resident - self._usual_bytes
        self._usual_bytes += above // LOOKS_TO_LEARN
        return above > TRIM_THRESHOLD_BYTES


def _of_libc(name: str) -> "ctypes._NamedFuncPointer | None":
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), name, None)
