"""PostgreSQL is restarted again and again, cleanly and not, while users act."""

import itertools
import os
from pathlib import Path

import pytest
from tests.crash.cluster import cluster
from tests.crash.conftest import NewServer
from tests.crash.test_mixed_load import live_through

pytestmark = [pytest.mark.postgres, pytest.mark.soak]

RESTARTS = int(os.environ.get("TERTULIA_TEST_RESTARTS", "50"))


def test_database_restarts_lose_nothing(tmp_path: Path, new_server: NewServer):
    with cluster() as postgres:
        url = f"postgresql://postgres@{postgres.address}/postgres"
        server = new_server(url, tmp_path / "data")
        ways = itertools.cycle(["fast", "immediate"])

        live_through(url, server, lambda: postgres.restart(next(ways)), RESTARTS)
