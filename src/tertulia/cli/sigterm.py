"""Clean-up of a command that receives SIGTERM."""

import contextlib
import signal
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def clean_up_on_sigterm() -> Iterator[None]:
    """On SIGTERM, run the cleanup that removes partial files."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
