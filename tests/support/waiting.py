"""Waiting for what happens by itself, where nobody says when."""

import os
import time
from collections.abc import Callable


def eventually(holds: Callable[[], object], within_seconds: float = 30) -> None:
    """Look again and again until something holds; fails when it has taken too long."""
    deadline = time.monotonic() + within_seconds
    while not holds():
        assert time.monotonic() < deadline, f"it did not happen within {within_seconds} s"
        time.sleep(0.005)


def as_busy_as_it_is(seconds: float) -> float:
    """How long something may take here that takes so long on a machine with nothing else to do."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
