"""A server paused inside a transaction: PostgreSQL ends the transaction, so others can write."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.support.databases import Databases
from tests.support.waiting import TIMEOUT_SECONDS, eventually

pytestmark = pytest.mark.postgres

LIMIT = "2s"  # for how long a paused server may block its organization
BLOCKED_BY = "SELECT pid FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
STATE = "SELECT state FROM pg_stat_activity WHERE pid = %s"


def test_a_server_paused_inside_a_transaction_blocks_its_organization_for_two_seconds_at_most(
    databases: Databases, new_server: NewServer
):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana ben")
    paused, other = new_server(url, folder / "a"), new_server(url, folder / "b")
    paused.start()
    other.start()
    ana, ben = people["ana"].at(paused.port), people["ben"].at(other.port)
    ben.joins("kitchen")

    with psycopg.connect(url, autocommit=True) as watcher, ThreadPoolExecutor() as threads:
        # Ana's transaction holds the row of the organization and waits for the row of her account.
        obstacle = psycopg.connect(url)
        obstacle.execute("SELECT FROM account WHERE id = %s FOR UPDATE", [people["ana"].id])
        renaming = threads.submit(ana.patch, "/settings", full_name="Anna")
        stuck = wait_for_blocked_pid(watcher, obstacle.info.backend_pid)
        paused.pause()
        obstacle.close()
        eventually(lambda: watcher.execute(STATE, [stuck]).fetchone() == ("idle in transaction",))
        locking = threads.submit(lock_organizations, url)
        wait_for_blocked_pid(watcher, stuck)
        sent = threads.submit(ben.says, "Soup's on", to="kitchen").result(TIMEOUT_SECONDS)
        paused.resume()

        locking.result(TIMEOUT_SECONDS)  # raises if the row was not free in time
        assert sent.status == 200, sent.body
        renamed = renaming.result(TIMEOUT_SECONDS)
        assert (renamed.status, renamed.code) == (503, "SERVICE_UNAVAILABLE")
        assert ana.get("/users/me")["full_name"] == "Ana"


def wait_for_blocked_pid(watcher: Any, holder: int) -> int:
    """Wait until a connection waits for a lock that `holder` has."""
    eventually(lambda: watcher.execute(BLOCKED_BY, [holder]).fetchall())
    return int(watcher.execute(BLOCKED_BY, [holder]).fetchone()[0])


def lock_organizations(url: str) -> None:
    """Lock as a writer does. PostgreSQL measures the time, so this may run on a slow host."""
    with psycopg.connect(url) as connection:
        connection.execute(f"SET lock_timeout = '{LIMIT}'")
        connection.execute("SELECT FROM log_head FOR NO KEY UPDATE")
