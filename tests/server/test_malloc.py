"""Memory that goes back: gaps between blocks, too, once much was taken."""

import ctypes
import sys

import pytest

from tertulia.server import malloc

BLOCK_BYTES = 1 << 15  # too small to be taken from the system by itself
BLOCKS = 3200  # a hundred megabytes
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs glibc")


def test_free_memory_is_returned_after_a_peak():
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    malloc.configure_malloc()
    tide = malloc.MallocTrimmer()
    before = malloc.resident_bytes()

    blocks = [libc.malloc(BLOCK_BYTES) for _ in range(BLOCKS)]
    for block in blocks:
        ctypes.memset(block, 1, BLOCK_BYTES)
    for block in blocks[:-1]:  # the last one keeps the heap from shrinking by itself
        libc.free(block)
    taken = malloc.resident_bytes() - before
    is_still_much = tide.check()
    left = malloc.resident_bytes() - before
    libc.free(blocks[-1])

    assert taken > BLOCKS * BLOCK_BYTES / 2
    assert left < taken / 4
    assert not is_still_much


def test_memory_at_the_usual_size_is_not_trimmed():
    sizes = iter([*[300 << 20] * 20, *[310 << 20] * 20, *[295 << 20] * 20])
    tide = malloc.MallocTrimmer(lambda: next(sizes))

    for _ in range(59):
        tide.check()

    assert tide.trims == 0


def test_check_is_true_while_memory_is_above_the_usual_size():
    sizes = iter([100 << 20, *[150 << 20] * 2000])
    tide = malloc.MallocTrimmer(lambda: next(sizes))

    text = [tide.check() for _ in range(100)]

    assert text[0]
    assert not text[-1], "by now it is usual"
