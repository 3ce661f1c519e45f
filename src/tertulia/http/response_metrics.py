"""Counts responses by kind and duration, for `/metrics`.

Counting here costs a fraction of what a metrics library takes per request; the numbers are
formatted when `/metrics` is read.
"""

import time
from bisect import bisect_left
from collections import defaultdict, deque
from typing import NamedTuple

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)  # upper bounds
SLOW_SECONDS = 1.0
MAX_SLOW_RESPONSES = 20
LONG_POLL = "/events"  # its duration is not measured


class SlowResponse(NamedTuple):
    at: float
    method: str
    route: str
    status: int
    seconds: float


class ResponseCounts:
    def __init__(self) -> None:
        self.by_kind: defaultdict[tuple[str, str, int], int] = defaultdict(int)
        self.within = [0] * (len(SECONDS) + 1)  # one per bound, and one for longer ones
        self.seconds = 0.0
        self.slow: deque[SlowResponse] = deque(maxlen=MAX_SLOW_RESPONSES)  # the last ones

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        self.by_kind[method, route, status] += 1
        if route != LONG_POLL:
            self.within[bisect_left(SECONDS, seconds)] += 1
            self.seconds += seconds
            if seconds >= SLOW_SECONDS:
                self.slow.append(SlowResponse(time.time(), method, route, status, seconds))
