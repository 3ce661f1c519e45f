"""Waiting for what happens by itself, where nobody says when."""

import time
from collections.abc import Callable


def eventually(holds: Callable[[], object], within_seconds: float = 30) -> None:
    """Look again and again until something holds; fails when it has taken too long."""
    deadline = time.monotonic() + within_seconds
    while not holds():
        assert time.monotonic() < deadline, f"it did not happen within {within_seconds} s"
        time.sleep(0.005)
