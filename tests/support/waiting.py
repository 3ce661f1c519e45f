"""Waiting for what happens by itself, where nobody says when."""

import time
from collections.abc import Callable

# Nothing takes as long, even on a machine that is busy with something else: it is no promise.
PATIENCE_SECONDS = 60.0


def eventually(holds: Callable[[], object]) -> None:
    """Look again and again until something holds; fails when nobody would still wait for it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"it did not happen within {PATIENCE_SECONDS:.0f} s"
        time.sleep(0.005)
