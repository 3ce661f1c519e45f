"""Waiting for what happens by itself."""

import time
from collections.abc import Callable

# Longer than anything takes, even with fifteen busy processes per core; it is no promise.
TIMEOUT_SECONDS = 180.0


def eventually(holds: Callable[[], object]) -> None:
    """Repeat until a condition holds; fails after a long time."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"it did not happen within {TIMEOUT_SECONDS:.0f} s"
        time.sleep(0.005)
