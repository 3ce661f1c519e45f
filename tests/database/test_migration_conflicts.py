"""A migration beside servers that use its tables waits briefly and is repeated."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from structlog.testing import capture_logs
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database import BlockingDatabase, schema
from tertulia.database.dialects.postgres import Postgres
from tertulia.database.schema import Migration, TablesInUse

pytestmark = pytest.mark.postgres

BLOCKED = "database.migration_blocked"


@pytest.fixture
def url(databases, monkeypatch):
    """A database that lacks a migration, which changes a table."""
    url, _ = databases.new("postgres")
    BlockingDatabase.at(url).migrate()
    newer = Migration(998, lambda: "ALTER TABLE account ADD COLUMN shoe_size INTEGER")
    migrations = [*schema.migrations(), newer]
    monkeypatch.setattr(schema, "migrations", lambda: migrations)
    monkeypatch.setattr(schema, "REPEAT_SECONDS", 0.01)
    monkeypatch.setattr(Postgres, "migration_lock_timeout", "20ms", raising=False)
    return url


def reader(url: str) -> Any:
    """A connection whose transaction has read the table, such as a backup."""
    connection = psycopg.connect(url)
    connection.execute("SET statement_timeout = '60s'")
    connection.execute("SELECT count(*) FROM account")
    return connection


def test_a_migration_gives_up_if_a_table_stays_in_use(url, monkeypatch):
    monkeypatch.setattr(schema, "MAX_ATTEMPTS", 2)
    refused = pytest.raises(TablesInUse, match="Nothing was changed")
    with reader(url), capture_logs() as lines, refused:
        BlockingDatabase.at(url).migrate()

    assert [line["attempt"] for line in lines if line["event"] == BLOCKED] == [1, 2]
    assert BlockingDatabase.at(url).migrate() == [998]


def test_a_deadlock_with_a_running_server_is_named(url, monkeypatch):
    monkeypatch.setattr(schema, "MAX_ATTEMPTS", 1)
    monkeypatch.setattr(Postgres, "migration_lock_timeout", "60s")
    both = (
        "ALTER TABLE account ADD COLUMN shoe_size INTEGER; ALTER TABLE queue ADD COLUMN x INTEGER"
    )
    migrations = [*schema.migrations()[:-1], Migration(998, lambda: both)]
    monkeypatch.setattr(schema, "migrations", lambda: migrations)

    with ThreadPoolExecutor(1) as threads, psycopg.connect(url) as server:
        server.execute("SET deadlock_timeout = '600s'")  # the migration finds it
        server.execute("SELECT count(*) FROM queue")
        migrating = threads.submit(BlockingDatabase.at(url).migrate)
        with psycopg.connect(url, autocommit=True) as observer:
            waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'queue'::regclass"
            eventually(lambda: observer.execute(waits).fetchone() is not None)
        server.execute("SELECT count(*) FROM account")  # answered when the migration has failed

        with pytest.raises(TablesInUse, match="deadlocks with running servers"):
            migrating.result(TIMEOUT_SECONDS)


def test_a_migration_is_repeated_until_its_table_is_free(url, monkeypatch):
    monkeypatch.setattr(schema, "MAX_ATTEMPTS", 100_000)
    with ThreadPoolExecutor(1) as threads, capture_logs() as lines:
        with reader(url):
            migrating = threads.submit(BlockingDatabase.at(url).migrate)
            eventually(lambda: any(line["event"] == BLOCKED for line in lines))
        assert migrating.result(TIMEOUT_SECONDS) == [998]
