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


def test_so_many_calls_pass_at_once_and_then_one_per_drip(clock):
    limiter = Limiter(Rate(200, 60), clock)

    burst = [limiter.check("ana") for _ in range(200)]
    refused = limiter.check("ana")

    assert [each.remaining for each in burst] == list(range(199, -1, -1))
    assert refused.retry_after == pytest.approx(0.3, abs=0.001)
    clock.now += 0.3
    assert limiter.check("ana").is_allowed
    assert not limiter.check("ana").is_allowed


def test_the_headers_say_when_the_bucket_is_empty_again(clock):
    limiter = Limiter(Rate(2, 60), clock)

    limiter.check("ana")
    decision = limiter.check("ana")

    assert decision.headers() == {
        "X-RateLimit-Limit": "2",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(clock.now) + 60),
    }


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_put_forward_or_back_shuts_nobody_out(clock, hours):
    limiter = Limiter(Rate(2, 60), clock)
    for _ in range(3):
        limiter.check("ana")

    clock.now += 3600 * hours

    assert [limiter.check("ana").is_allowed for _ in range(3)] == [True, True, False]
    assert limiter.check("ben").is_allowed


def test_keys_do_not_disturb_each_other(clock):
    limiter = Limiter(Rate(1), clock)

    assert limiter.check("ana").is_allowed
    assert limiter.check("ben").is_allowed
    assert not limiter.check("ana").is_allowed


def test_looking_does_not_count(clock):
    limiter = Limiter(Rate(1), clock)

    assert [limiter.peek("ana").is_allowed for _ in range(3)] == [True] * 3
    limiter.check("ana")
    assert not limiter.peek("ana").is_allowed


def test_buckets_that_are_empty_again_are_forgotten(clock):
    limiter = Limiter(Rate(1, 10), clock)
    for number in range(100):
        limiter.check(number)

    clock.now += 11
    for number in range(100):
        limiter.check(("later", number))

    assert len(limiter) <= 100


def test_memory_is_bounded_whatever_comes(clock):
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
def test_whoever_has_a_network_counts_as_one(address, counted_as):
    assert address_bucket(address) == counted_as


@given(
    st.integers(1, 50),
    st.integers(1, 100),
    st.lists(st.floats(0, 30), min_size=1, max_size=200),
)
def test_no_window_lets_through_twice_the_limit(requests, seconds, pauses):
    clock = Clock()
    limiter = Limiter(Rate(requests, seconds), clock)
    passed = []
    for pause in pauses:
        clock.now += pause
        if limiter.check("ana").is_allowed:
            passed.append(clock.now)

    for start in passed:
        assert sum(start <= moment < start + seconds for moment in passed) <= 2 * requests
