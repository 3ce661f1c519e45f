"""How the cost grows with the length of a text: ratios, which are the same on every machine."""

import time
from collections.abc import Callable

TIMES = 10
LINEAR = 3 * TIMES  # ten times the text may cost thirty times as much
TRIES = 5


def grows_linearly(work: Callable[[int], object], size: int) -> bool:
    """Whether ten times the size costs about ten times as much; the best of several runs counts."""
    small = large = float("inf")
    for _ in range(TRIES):
        small = min(small, cost(lambda: work(size)))
        large = min(large, cost(lambda: work(TIMES * size)))
        if large <= LINEAR * small:
            return True
    return False


def cost(work: Callable[[], object]) -> float:
    """CPU time of this thread, so that other processes hardly matter."""
    started = time.thread_time()
    work()
    return time.thread_time() - started
