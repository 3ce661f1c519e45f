"""Returns freed memory to the system.

By default glibc keeps freed blocks for reuse: each large block that is freed raises the size above
which it returns blocks, each thread has its own heap, and gaps between blocks stay. A server that
once needed much memory would stay large. Without glibc this module does nothing.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

_MMAP_THRESHOLD = -3  # mallopt: larger blocks are mapped individually
_ARENA_MAX = -8  # mallopt: number of heaps for all threads
LARGE_BYTES = 1 << 17
HEAPS = 2

TRIM_THRESHOLD_BYTES = 16 << 20  # difference from the usual size
WARMUP_CHECKS = 8  # the usual size moves towards the current one by this fraction
_RESIDENT = Path("/proc/self/statm")


def configure_malloc() -> None:
    """Call it before any thread starts."""
    mallopt = _of_libc("mallopt")
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_ARENA_MAX, HEAPS)


def resident_bytes() -> int:
    return int(_RESIDENT.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class MallocTrimmer:
    """Tracks the usual size of the process, and trims the heaps when it is much larger or just
    was. Trimming takes milliseconds, so it is not done more often."""

    def __init__(self, resident_bytes: Callable[[], int] = resident_bytes) -> None:
        self._resident_bytes = resident_bytes
        self._trim = _of_libc("malloc_trim")
        self._usual_bytes = 0 if self._trim is None else resident_bytes()
        self.trims = 0

    def check(self) -> bool:
        """Call it every few seconds. Returns whether the process is still much larger than
        usual."""
        if self._trim is None:
            return False
        resident = self._resident_bytes()
        if abs(resident - self._usual_bytes) > TRIM_THRESHOLD_BYTES:
            self._trim(0)
            self.trims += 1
            resident = self._resident_bytes()
        above = resident - self._usual_bytes
        self._usual_bytes += above // WARMUP_CHECKS
        return above > TRIM_THRESHOLD_BYTES


def _of_libc(name: str) -> "ctypes._NamedFuncPointer | None":
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), name, None)
