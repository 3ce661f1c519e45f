"""Rate limiting: a leaky bucket per key.

A bucket is one number, the time at which it will be empty (GCRA), so it needs no timer and can be
deleted after that time. Written here because it is so small: no external store, no cleanup thread,
and a bounded number of buckets.
"""

import ipaddress
from collections.abc import Callable, Hashable
from typing import NamedTuple

from tertulia.config import Rate
from tertulia.memo import memoized

MAX_KEYS = 100_000
EVICTED_PER_CALL = 2  # more than one call can add, so that expired ones do not accumulate


class Decision(NamedTuple):
    limit: int
    remaining: int
    reset: float  # UNIX time at which the bucket will be empty
    retry_after: float | None  # seconds; None when the call is allowed

    @property
    def is_allowed(self) -> bool:
        return self.retry_after is None

    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(int(self.reset)),
        }


class Limiter:
    """`clock` returns UNIX seconds; at most `max_keys` buckets are kept."""

    def __init__(self, rate: Rate, clock: Callable[[], float], *, max_keys: int = MAX_KEYS) -> None:
        self._limit = rate.requests
        self._window = float(rate.seconds)
        self._drip = rate.seconds / rate.requests  # seconds until one call has drained
        self._clock = clock
        self._max_keys = max_keys
        self._empty_at: dict[Hashable, float] = {}  # least recently used first

    def check(self, key: Hashable) -> Decision:
        """Count a call, unless it is refused."""
        now = self._clock()
        decision = self._decide(key, now, calls=1)
        if decision.is_allowed:
            self._empty_at.pop(key, None)
            self._empty_at[key] = decision.reset
            self._evict(now)
        return decision

    def peek(self, key: Hashable) -> Decision:
        """The decision of `check` without counting, for limits that count only failures."""
        return self._decide(key, self._clock(), calls=0)

    def __len__(self) -> int:
        return len(self._empty_at)

    def _decide(self, key: Hashable, now: float, calls: int) -> Decision:
        before = max(self._empty_at.get(key, now), now)
        if before - now > self._window + self._drip:  # the clock was put back
            before = now
        excess = before + self._drip - now - self._window
        if excess > self._drip / 1000:  # more than a rounding error
            return Decision(self._limit, 0, before, excess)
        after = before + calls * self._drip
        room = (self._window - (after - now)) / self._drip
        return Decision(self._limit, int(room + 0.001), after, None)

    def _evict(self, now: float) -> None:
        for _ in range(EVICTED_PER_CALL):
            oldest = next(iter(self._empty_at))
            if self._empty_at[oldest] > now and len(self._empty_at) <= self._max_keys:
                return
            del self._empty_at[oldest]


@memoized("address_buckets", 1 << 10)
def address_bucket(address: str) -> str:
    """The key for an anonymous caller: an IPv4 address, or the /64 network of an IPv6 address.

    Anything that is not an IP address shares one key.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if parsed.version == 4:
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
