"""Giving way: whoever thinks for long on a thread lets those go first who have just asked.

All threads share one interpreter. A request passes it on some ten times before it is answered, and
would wait each time until the thread has had its turn. PostgreSQL, where it is on the same machine,
shares the processors with us.
"""

import threading
import time

SOON_SECONDS = 0.006  # nearly all that is asked for is answered within; a poll is not
NAP_SECONDS = 0.0002
LONG_AGO = float("-inf")


class RequestActivity:
    """When the last one came, unless something has been answered since."""

    def __init__(self) -> None:
        self.came_at = LONG_AGO

    def come(self) -> None:
        self.came_at = time.perf_counter()

    def go(self) -> None:
        self.came_at = LONG_AGO


REQUESTS = RequestActivity()  # of all that this process serves
_HERE = threading.local()


def allow_yield_in_thread() -> None:
    """Nobody waits for it but who has asked for the thought."""
    _HERE.may_rest = True


class YieldPoint:
    """Rests while there are requests that came later, but not for more than half of its time, and
    only where it may: all others wait for the loop, and for whoever writes."""

    def __init__(self) -> None:
        self._may_rest = getattr(_HERE, "may_rest", False)
        self._began_at = time.perf_counter()
        self._rested_seconds = 0.0

    @property
    def has_rested(self) -> bool:
        return self._rested_seconds > 0

    def give_way(self) -> None:
        """To be called every few dozens of microseconds, and before whatever takes longer."""
        while self._may_rest and REQUESTS.came_at > self._began_at:
            now = time.perf_counter()
            if now - REQUESTS.came_at > SOON_SECONDS:
                return
            if self._rested_seconds > (now - self._began_at) / 2:
                return
            time.sleep(NAP_SECONDS)
            self._rested_seconds += time.perf_counter() - now
