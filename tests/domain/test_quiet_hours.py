"""Quiet hours: when they are on, and when they end."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tertulia.domain.people.user import Role, User
from tertulia.domain.personal.quiet_hours import quiet_until


def at(day: str, clock: str, zone: str = "Europe/Madrid") -> float:
    return datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=ZoneInfo(zone)).timestamp()


def ana(hours: str, zone: str = "Europe/Madrid") -> User:
    return User(
        id=1,
        realm_id=1,
        email="ana@example.com",
        full_name="Ana",
        role=Role.MEMBER,
        is_active=True,
        joined_at=0.0,
        timezone=zone,
        settings={"quiet_hours": hours},
    )


@pytest.mark.parametrize(
    "hours, clock, until",
    [
        ("22:00-07:00", "22:00", ("2026-05-02", "07:00")),
        ("22:00-07:00", "23:59", ("2026-05-02", "07:00")),
        ("22:00-07:00", "06:59", ("2026-05-01", "07:00")),
        ("13:00-14:30", "14:29", ("2026-05-01", "14:30")),
    ],
)
def test_quiet_hours_end_at_their_next_end(hours, clock, until):
    assert quiet_until(ana(hours), at("2026-05-01", clock)) == at(*until)


@pytest.mark.parametrize(
    "hours, clock",
    [("", "03:00"), ("22:00-07:00", "07:00"), ("22:00-07:00", "21:59"), ("13:00-14:30", "14:30")],
)
def test_outside_of_them_nothing_waits(hours, clock):
    assert quiet_until(ana(hours), at("2026-05-01", clock)) == 0


def test_they_end_by_the_clock_on_the_wall_also_when_it_changes():
    evening = at("2026-03-28", "23:00")

    until = quiet_until(ana("22:00-07:00"), evening)

    assert until == at("2026-03-29", "07:00")
    assert until - evening == 7 * 3600  # an hour was left out


def test_they_are_in_the_time_zone_of_the_user_and_in_utc_without_one():
    noon = at("2026-05-01", "12:00", "UTC")

    assert quiet_until(ana("20:00-22:00", "Asia/Tokyo"), noon) == noon + 3600
    assert quiet_until(ana("11:00-13:00", ""), noon) == noon + 3600
