"""Memory that goes back: what was taken for something large is the system's again afterwards.

Left to itself glibc learns from every large block that is freed to keep the next one, and gives
each thread a heap of its own: a server that was once asked for much would be large for good.
"""

import ctypes
import sys

_MMAP_THRESHOLD = -3  # of mallopt: blocks from this size on are taken from the system one by one
_ARENA_MAX = -8  # of mallopt: heaps for all threads together
LARGE_BYTES = 1 << 17
HEAPS = 2


def give_back() -> None:
    """Best done before threads are started; elsewhere than on glibc nothing is done."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_ARENA_MAX, HEAPS)
