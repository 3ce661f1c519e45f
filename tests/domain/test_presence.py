"""When times move, and when coming here is news."""

import pytest

from tertulia import domain
from tertulia.domain.people.presence import Presence

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    "doing, active_ago, idle_ago, after",
    [
        ("active", 55, 55, (-55, -55)),
        ("active", 56, 56, (0, 0)),
        ("active", 500, 10, (0, 0)),
        ("active", None, 10, (0, 0)),
        ("idle", 500, 55, (-500, -55)),
        ("idle", 500, 56, (-500, 0)),
        ("idle", None, 56, (None, 0)),
    ],
)
def test_times_move_at_most_every_fifty_five_seconds(doing, active_ago, idle_ago, after):
    active_at = None if active_ago is None else NOW - active_ago

    moved = Presence(active_at, NOW - idle_ago).pinged(doing, NOW)

    active, idle = after
    assert moved == Presence(None if active is None else NOW + active, NOW + idle)


@pytest.mark.parametrize(
    "doing, active_ago, is_news",
    [("active", 131, True), ("active", 130, False), ("active", None, True), ("idle", 500, False)],
)
def test_becoming_active_after_a_while_is_reported(doing, active_ago, is_news):
    active_at = None if active_ago is None else NOW - active_ago

    assert Presence(active_at, NOW).becomes_active(doing, NOW) is is_news


@pytest.mark.parametrize("doing", ["active", "idle"])
def test_future_times_are_corrected_when_the_clock_is_put_back(doing):
    early = Presence(NOW + 3600, NOW + 3600)

    assert early.pinged(doing, NOW) == Presence(NOW, NOW)
    assert Presence(NOW - 500, NOW + 3600).pinged("idle", NOW) == Presence(NOW - 500, NOW)
    assert Presence(None, NOW + 3600).pinged("idle", NOW) == Presence(None, NOW)


def test_presence_times_never_decrease():
    later = Presence(NOW + 100, NOW + 200)

    assert later.pinged("active", NOW) is later
    assert domain.people.presence.first("idle", NOW) == Presence(None, NOW)
