"""Queries that travel together have the same results as separate ones."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace
from tests.support.waiting import eventually

from tertulia import actions, events, storage
from tertulia.caches.all_caches import Caches
from tertulia.database import Database
from tertulia.database.dialects.postgres_connection import Connection
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import Role, User
from tertulia.errors.authentication import AccountDeactivated
from tertulia.errors.parameters import NulInText
from tertulia.events.listener import Options
from tertulia.events.snapshot.cached_register import CachedRegister
from tertulia.events.snapshot.snapshot_data import RequestedParts, SnapshotData, SnapshotQuery
from tertulia.events.snapshot.unread_query import MAX_ARRIVED


def test_a_query_may_have_no_one_or_several_statements(database, realm):
    def count_up(tx: Tx, start: int, *, times: int) -> int:
        for _ in range(times):
            start = tx.value("SELECT :number + 1 AS value", number=start)
        return start

    def scene(tx: Tx) -> list[Any]:
        numbers = [tx.defer(count_up, 10, times=times) for times in range(4)]
        here = tx.defer(lambda tx: tx.value("SELECT :realm AS value"))
        rows = tx.defer(lambda tx: tx.tuples("SELECT 1 AS one UNION SELECT 2 ORDER BY one"))
        assert tx.value("SELECT 'between' AS value") == "between"
        return [*(found() for found in reversed(numbers)), here(), rows()]

    assert database.read_now(realm.id, scene) == [13, 12, 11, 10, realm.id, [(1,), (2,)]]


def test_a_connection_survives_errors(database, realm):
    def wrong(tx: Tx) -> Any:
        right = tx.defer(lambda tx: tx.value("SELECT 1 AS value"))
        tx.defer(lambda tx: tx.value("SELECT value FROM nowhere"))
        return right()

    def with_nul(tx: Tx) -> Any:
        return tx.defer(lambda tx: tx.value("SELECT :text AS value", text="a\0b"))()

    connection = database.dialect.connect()
    with pytest.raises(Exception, match="nowhere"):
        database._read(realm.id, wrong, connection)
    with pytest.raises(NulInText):
        database._read(realm.id, with_nul, connection)
    assert database._read(realm.id, lambda tx: None, connection) is None
    assert database._read(realm.id, storage.organization.current, connection) == realm
    assert database._query(realm.id, storage.organization.current, connection) == realm
    connection.close()


def test_a_transaction_reads_one_snapshot(database, realm):
    def add(tx: Tx) -> None:
        storage.log.append(tx, "joined", "", "")

    def scene(tx: Tx) -> tuple[int, ...]:
        before = tx.defer(storage.log.head)()
        database.write_now(realm.id, add)
        again = tx.defer(storage.log.head)
        return before, again(), storage.log.head(tx)

    before, *after = database.read_now(realm.id, scene)

    assert after == [before, before]
    assert database.read_now(realm.id, storage.log.head) == before + 1


@pytest.fixture
def on_postgres(databases):
    url, _ = databases.ready("postgres")
    made = Database.at(url)
    made.migrate()
    made.write_now(0, actions.organization.create, "Casa", "casa")
    yield made
    databases.give_back(url)


@pytest.fixture
def ways(monkeypatch) -> list[str]:
    """Counts the round trips of this thread; other servers keep running."""
    gone: list[str] = []
    here = threading.get_ident()

    def counted(name: str) -> None:
        known = getattr(Connection, name)

        def go(*args: Any) -> Any:
            if threading.get_ident() == here:
                gone.append(name)
            return known(*args)

        monkeypatch.setattr(Connection, name, go)

    counted("flush")
    counted("run")
    return gone


def facts_of(
    database: Database, user: User, cached: CachedRegister | None = None
) -> tuple[SnapshotData, CachedRegister]:
    """The register state of a user, and what is cached of it."""

    def read(tx: Tx) -> tuple[SnapshotData, CachedRegister]:
        head = tx.defer(storage.log.head_and_rules)
        requested = SnapshotQuery(
            tx,
            user.id,
            RequestedParts(None),
            Caches().locations,
            cached,
            cached and cached.rules,
        )
        rules = head().rules
        facts = requested.facts(frozenset(), rules)
        events.snapshot.unread.encode(user, facts, empty_topic_name=True)
        cached_register = facts.cached_register(rules)
        assert cached_register is not None
        return facts, cached_register

    return database.read_now(1, read)


@pytest.mark.postgres
def test_a_register_needs_two_round_trips(on_postgres, ways):
    ana = on_postgres.write_now(1, person)
    on_postgres.write_now(1, storage.personal.alert_words.insert, ana.id, ["soup"])
    on_postgres.write_now(1, actions.messages.read_state.catch_up, ana.id)
    soup = on_postgres.write_now(1, says_to_self, ana)
    ways.clear()

    facts, _ = facts_of(on_postgres, ana)

    assert (facts.max_message_id, facts.lists["alert_words"]) == (soup, ["soup"])
    assert ways == ["flush", "flush"]


@pytest.mark.postgres
def test_a_repeated_register_needs_one_round_trip(on_postgres, ways):
    ana = on_postgres.write_now(1, person)
    on_postgres.write_now(1, storage.personal.alert_words.insert, ana.id, ["soup"])
    waiting = on_postgres.write_now(1, says_to_self, ana, read=False)
    _, cached = facts_of(on_postgres, ana)
    on_postgres.write_now(1, storage.personal.alert_words.insert, ana.id, ["stew"])
    ways.clear()

    facts, _ = facts_of(on_postgres, ana, cached)

    assert facts.unread is not None
    assert list(facts.unread.waiting) == [waiting]
    assert facts.lists["alert_words"] == ["soup", "stew"]
    assert ways == ["flush"]


def test_new_data_since_the_last_register_is_found(database, realm):
    ana = database.write_now(realm.id, person)
    _, cached = facts_of(database, ana)
    database.write_now(realm.id, storage.personal.alert_words.insert, ana.id, ["soup"])

    def says_much(tx: Tx) -> list[int]:
        return [says_to_self(tx, ana, read=False) for _ in range(MAX_ARRIVED + 1)]

    waiting = database.write_now(realm.id, says_much)

    facts, again = facts_of(database, ana, cached)

    assert facts.unread is not None
    assert (facts.lists["alert_words"], list(facts.unread.waiting)) == (["soup"], waiting)
    assert facts_of(database, ana, again)[0].unread == replace(
        facts.unread, locations=[], unknown=[], described=[]
    )


@pytest.mark.postgres
def test_a_queue_is_stored_while_another_transaction_writes(on_postgres):
    ana = on_postgres.write_now(1, person)
    with psycopg.connect(on_postgres.dialect.url) as writer:
        writer.execute("SELECT FROM log_head FOR UPDATE")

        keep_queue(on_postgres, ana)

    assert len(on_postgres.read_now(1, storage.queues.of_user, ana.id)) == 1


@pytest.mark.postgres
def test_a_queue_is_stored_before_an_account_ends_or_not_at_all(on_postgres):
    ana = on_postgres.write_now(1, person)
    with psycopg.connect(on_postgres.dialect.url) as ending, ThreadPoolExecutor() as threads:
        ending.execute("UPDATE account SET is_active = false WHERE id = %s", (ana.id,))
        keeping = threads.submit(keep_queue, on_postgres, ana)
        with psycopg.connect(on_postgres.dialect.url, autocommit=True) as watching:
            eventually(lambda: is_a_lock_awaited(watching) or keeping.done())
        ending.commit()

        with pytest.raises(AccountDeactivated):
            keeping.result()

    assert on_postgres.read_now(1, storage.queues.of_user, ana.id) == []


def person(tx: Tx) -> User:
    return storage.people.insert(tx, email="ana@example.com", full_name="Ana", role=Role.MEMBER)


def says_to_self(tx: Tx, user: User, *, read: bool = True) -> int:
    alone = storage.messages.conversations.get_or_start(tx, [user.id])
    draft = Draft("Soup!", "<p>Soup!</p>", 0, "test", read_by_sender=read)
    return storage.messages.insert_in_conversation(tx, user.id, alone, draft)


def keep_queue(database: Database, user: User) -> None:
    start = database.read_now(user.realm_id, storage.log.end)
    queue = actions.queues.new(user, Options(), start, 600, database.clock())
    connection = database.dialect.connect()
    try:
        database._query(user.realm_id, lambda tx: actions.queues.store(tx, user, queue), connection)
    finally:
        connection.close()


def is_a_lock_awaited(connection: psycopg.Connection[Any]) -> bool:
    found = connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted LIMIT 1")
    return found.fetchone() is not None
