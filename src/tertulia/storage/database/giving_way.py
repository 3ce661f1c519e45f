"""Giving way: whoever thinks for long on a thread lets those go first who have just asked.

All threads share one interpreter. A request passes it on some ten times before it is answered, and
would wait each time until the thread has had its turn.
"""

import time

SOON_SECONDS = 0.0015  # most that is asked for is answered within
NAP_SECONDS = 0.0002


class Requests:
    """When the last one came."""

    def __init__(self) -> None:
        self.came_at = float("-inf")

    def come(self) -> None:
        self.came_at = time.perf_counter()


REQUESTS = Requests()  # of all that this process serves


class LongThought:
    """Rests while there are requests, but not for more than half of its time."""

    def __init__(self) -> None:
        self._began_at = time.perf_counter()
        self._rested_seconds = 0.0

    def give_way(self) -> None:
        """To be called every few dozens of microseconds."""
        now = time.perf_counter()
        while (
            now - REQUESTS.came_at < SOON_SECONDS
            and self._rested_seconds < (now - self._began_at) / 2
        ):
            time.sleep(NAP_SECONDS)
            lay_down_at, now = now, time.perf_counter()
            self._rested_seconds += now - lay_down_at
