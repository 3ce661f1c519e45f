"""kill -9 during the migration: the next start finds no tables or all of them, and continues.

With PostgreSQL; with SQLite the simulator kills servers (`tests/simulation`).
"""

import random
import time

import pytest
from tests.crash.client import request
from tests.crash.conftest import NewServer
from tests.support.databases import Databases

from tertulia.database import BlockingDatabase, schema

MAX_WAIT_SECONDS = 0.3  # approximate time from process start until it listens
KILLS = 2


@pytest.mark.postgres
def test_either_all_tables_exist_or_none(databases: Databases, new_server: NewServer):
    later = (each.number for each in schema.migrations())
    everything = schema.whole_schema().numbers.union(later)
    url, folder = databases.new("postgres", untouched=True)
    server = new_server(url, folder)
    for number in range(KILLS):
        server.start(wait=False)
        time.sleep(random.uniform(0, MAX_WAIT_SECONDS * (number + 1) / KILLS))
        server.kill()
        assert BlockingDatabase.at(url).schema().applied in (frozenset(), everything)

    server.start()
    assert request(server.port, "GET", "/api/v1/server_settings").status == 200
    server.kill()
    assert BlockingDatabase.at(url).integrity_problems() == []
    assert BlockingDatabase.at(url).schema().applied == everything
