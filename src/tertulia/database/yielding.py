"""Cooperative yielding: long work on a thread pauses while newer requests are being answered.

All threads share one interpreter. A request gives up the interpreter lock about ten times before it
is answered, and would wait each time for the thread. PostgreSQL on the same machine shares the
processors with us, too.
"""

import time

MAX_ANSWER_SECONDS = 0.006  # nearly all requests but polls are answered within this
SLEEP_SECONDS = 0.0002
NEVER = float("-inf")


class RequestActivity:
    """When the last request arrived, unless one was answered since."""

    def __init__(self) -> None:
        self.arrived_at = NEVER

    def request_started(self) -> None:
        self.arrived_at = time.perf_counter()

    def request_finished(self) -> None:
        self.arrived_at = NEVER


class YieldPoint:
    """Sleeps while newer requests are being answered, for at most half of the time it exists.

    `requests` is `tx.yields_to`: None if others wait for this work, on the event loop or in the
    writer. Then it never sleeps.
    """

    def __init__(self, requests: RequestActivity | None) -> None:
        self._requests = requests
        self._began_at = time.perf_counter()
        self._slept_seconds = 0.0

    @property
    def has_yielded(self) -> bool:
        return self._slept_seconds > 0

    def yield_to_requests(self) -> None:
        """Call this every few dozen microseconds, and before anything that takes longer."""
        requests = self._requests
        while requests is not None and requests.arrived_at > self._began_at:
            now = time.perf_counter()
            if now - requests.arrived_at > MAX_ANSWER_SECONDS:
                return
            if self._slept_seconds > (now - self._began_at) / 2:
                return
            time.sleep(SLEEP_SECONDS)
            self._slept_seconds += time.perf_counter() - now
