"""Several servers share the database's clock."""

import time

import pytest
from structlog.testing import capture_logs
from tests.support.databases import Databases, Kind

from tertulia import data_dir
from tertulia.database import BlockingDatabase


def with_clock(kind: Kind, databases: Databases, ahead: float) -> BlockingDatabase:
    url, _ = databases.ready(kind)
    return BlockingDatabase.at(url, lambda: time.time() + ahead)


@pytest.mark.postgres
@pytest.mark.parametrize(
    "ahead, words", [(3600, "3600 seconds ahead of"), (-3600, "3600 seconds behind")]
)
def test_a_server_with_a_wrong_clock_does_not_start(databases, ahead, words):
    database = with_clock("postgres", databases, ahead)

    with pytest.raises(data_dir.WrongClock, match=words):
        data_dir.check_clock(database)


@pytest.mark.postgres
def test_a_server_with_a_different_clock_uses_the_database_clock_and_warns(databases):
    database = with_clock("postgres", databases, ahead=20)

    with capture_logs() as logs:
        data_dir.check_clock(database)

    assert [line["behind_s"] for line in logs] == [pytest.approx(-20, abs=15)]
    assert database.clock() == pytest.approx(time.time(), abs=15)


@pytest.mark.postgres
@pytest.mark.parametrize("weeks", [3, -3])
def test_a_clock_that_jumps_changes_nothing_on_a_shared_database(databases, monkeypatch, weeks):
    url, _ = databases.ready("postgres")
    database, now = BlockingDatabase.at(url), time.time()
    database.compare_clocks()

    monkeypatch.setattr(time, "time", lambda: now + weeks * 7 * 86400)

    assert database.clock() == pytest.approx(now, abs=60)
    assert database.compare_clocks() == pytest.approx(0, abs=60)


def test_sqlite_uses_the_clock_of_the_server(databases):
    database = with_clock("sqlite", databases, ahead=3600)

    data_dir.check_clock(database)

    assert database.clock() == pytest.approx(time.time() + 3600, abs=60)
