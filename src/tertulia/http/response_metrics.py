"""How many answers were given, of which kind, and how quickly.

Counted here, at a fraction of what a library for metrics takes for it on every request; put into
words when somebody asks for them.
"""

from bisect import bisect_left
from collections import defaultdict

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)  # counted up to each of these
LONG_POLL = "/events"  # how long it takes says nothing


class AnswerCounts:
    def __init__(self) -> None:
        self.by_kind: defaultdict[tuple[str, str, int], int] = defaultdict(int)
        self.within = [0] * (len(SECONDS) + 1)  # each bound, and beyond them all
        self.seconds = 0.0

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        self.by_kind[method, route, status] += 1
        if route != LONG_POLL:
            self.within[bisect_left(SECONDS, seconds)] += 1
            self.seconds += seconds
