"""Rate limits: how many calls pass, when the next one may, and what is remembered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertulia.config import Rate
from tertulia.http.ratelimit import Limiter, address_bucket


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_burst_is_allowed_and_then_one_call_per_interval(clock):
    limiter = Limiter(Rate(200, 60), clock)

    burst = [limiter.check("ana") for _ in range(200)]
    refused = limiter.check("ana")

    assert [each.remaining for each in burst] == list(range(199, -1, -1))
    assert refused.retry_after == pytest.approx(0.3, abs=0.001)
    clock.now += 0.3
    assert limiter.check("ana").is_allowed
    assert not limiter.check("ana").is_allowed


def test_the_headers_have_the_reset_time(clock):
    limiter = Limiter(Rate(2, 60), clock)

    limiter.check("ana")
    decision = limiter.check("ana")

    assert decision.headers() == {
        "X-RateLimit-Limit": "2",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(clock.now) + 60),
    }


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_jump_locks_out_no_one(clock, hours):
    limiter = Limiter(Rate(2, 60), clock)
    for _ in range(3):
        limiter.check("ana")

    clock.now += 3600 * hours

    assert [limiter.check("ana").is_allowed for _ in range(3)] == [True, True, False]
    assert limiter.check("ben").is_allowed


def test_keys_are_limited_independently(clock):
    limiter = Limiter(Rate(1), clock)

    assert limiter.check("ana").is_allowed
    assert limiter.check("ben").is_allowed
    assert not limiter.check("ana").is_allowed


def test_peeking_does_not_count(clock):
    limiter = Limiter(Rate(1), clock)

    assert [limiter.peek("ana").is_allowed for _ in range(3)] == [True] * 3
    limiter.check("ana")
    assert not limiter.peek("ana").is_allowed


def test_empty_buckets_are_evicted(clock):
    limiter = Limiter(Rate(1, 10), clock)
    for number in range(100):
        limiter.check(number)

    clock.now += 11
    for number in range(100):
        limiter.check(("later", number))

    assert len(limiter) <= 100


def test_the_memory_of_buckets_is_bounded(clock):
    limiter = Limiter(Rate(1, 1000), clock, max_keys=50)

    for number in range(1000):
        limiter.check(number)

    assert len(limiter) == 50


@pytest.mark.parametrize(
    "address, counted_as",
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%" + "x" * 1000, "fe80::/64"),
        ("unknown", ""),
        ("", ""),
    ],
)
def test_addresses_of_one_network_share_a_bucket(address, counted_as):
    assert address_bucket(address) == counted_as


@given(
    st.integers(1, 50),
    st.integers(1, 100),
    st.lists(st.floats(0, 30), min_size=1, max_size=200),
)
def test_no_window_allows_more_than_twice_the_limit(requests, seconds, pauses):
    clock = Clock()
    limiter = Limiter(Rate(requests, seconds), clock)
    passed = []
    for pause in pauses:
        clock.now += pause
        if limiter.check("ana").is_allowed:
            passed.append(clock.now)

    for start in passed:
        assert sum(start <= moment < start + seconds for moment in passed) <= 2 * requests
