"""Transactions and their connections, a repeated register, and writes outside of the log."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace
from tests.support.waiting import eventually

from tertulia import actions, events, storage
from tertulia.caches.all_caches import Caches
from tertulia.database import BlockingDatabase
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft
from tertulia.domain.people.user import Role, User
from tertulia.errors.authentication import AccountDeactivated
from tertulia.errors.parameters import NulInText
from tertulia.events.listener import Options
from tertulia.events.snapshot.cached_register import CachedRegister
from tertulia.events.snapshot.snapshot_data import RequestedParts, SnapshotData, SnapshotQuery
from tertulia.events.snapshot.unread_loader import MAX_ARRIVED


def test_a_connection_survives_errors(database, realm):
    def wrong(tx: Tx) -> Any:
        return tx.value("SELECT value FROM nowhere")

    def with_nul(tx: Tx) -> Any:
        return tx.value("SELECT :text AS value", text="a\0b")

    connection = database.dialect.connect()
    with pytest.raises(Exception, match="nowhere"):
        database.read_on(connection, realm.id, wrong)
    with pytest.raises(NulInText):
        database.read_on(connection, realm.id, with_nul)
    assert database.read_on(connection, realm.id, lambda tx: None) is None
    assert database.read_on(connection, realm.id, storage.organization.realms.current) == realm
    assert database.query_on(connection, realm.id, storage.organization.realms.current) == realm
    connection.close()


def test_a_transaction_reads_one_snapshot(database, realm):
    def add(tx: Tx) -> None:
        storage.log.append(tx, "joined", "", "")

    def scene(tx: Tx) -> tuple[int, ...]:
        before = storage.log.head(tx)
        database.of(realm.id).write(add)
        return before, storage.log.head(tx)

    before, after = database.of(realm.id).read(scene)

    assert after == before
    assert database.of(realm.id).read(storage.log.head) == before + 1


@pytest.fixture
def on_postgres(databases):
    url, _ = databases.ready("postgres")
    made = BlockingDatabase.at(url)
    made.migrate()
    made.of(0).write(actions.organization.creation.create, "Casa", "casa")
    yield made
    databases.give_back(url)


def facts_of(
    database: BlockingDatabase, user: User, cached: CachedRegister | None = None
) -> tuple[SnapshotData, CachedRegister]:
    """The register state of a user, and what is cached of it."""

    def read(tx: Tx) -> tuple[SnapshotData, CachedRegister]:
        rules = storage.log.head_and_rules(tx).rules
        requested = SnapshotQuery(
            tx,
            user.id,
            RequestedParts(None),
            Caches().locations,
            cached,
        )
        facts = requested.facts(frozenset(), rules)
        events.snapshot.unread.encode(user, facts, empty_topic_name=True)
        cached_register = facts.cached_register(rules)
        assert cached_register is not None
        return facts, cached_register

    return database.of(1).read(read)


def test_new_data_since_the_last_register_is_found(database, realm):
    ana = database.of(realm.id).write(person)
    _, cached = facts_of(database, ana)
    database.of(realm.id).write(storage.personal.alert_words.insert, ana.id, ["soup"])

    def says_much(tx: Tx) -> list[int]:
        return [says_to_self(tx, ana, read=False) for _ in range(MAX_ARRIVED + 1)]

    waiting = database.of(realm.id).write(says_much)

    facts, again = facts_of(database, ana, cached)

    assert facts.unread is not None
    assert (facts.lists["alert_words"], list(facts.unread.waiting)) == (["soup"], waiting)
    assert facts_of(database, ana, again)[0].unread == replace(
        facts.unread, locations=[], unknown=[], described=[]
    )


@pytest.mark.postgres
def test_a_queue_is_stored_while_another_transaction_writes(on_postgres):
    ana = on_postgres.of(1).write(person)
    with psycopg.connect(on_postgres.dialect.url) as writer:
        writer.execute("SELECT FROM log_head FOR UPDATE")

        keep_queue(on_postgres, ana)

    assert len(on_postgres.of(1).read(storage.queues.of_user, ana.id)) == 1


@pytest.mark.postgres
def test_a_queue_is_stored_before_an_account_ends_or_not_at_all(on_postgres):
    ana = on_postgres.of(1).write(person)
    with psycopg.connect(on_postgres.dialect.url) as ending, ThreadPoolExecutor() as threads:
        ending.execute("UPDATE account SET is_active = false WHERE id = %s", (ana.id,))
        keeping = threads.submit(keep_queue, on_postgres, ana)
        with psycopg.connect(on_postgres.dialect.url, autocommit=True) as watching:
            eventually(lambda: is_a_lock_awaited(watching) or keeping.done())
        ending.commit()

        with pytest.raises(AccountDeactivated):
            keeping.result()

    assert on_postgres.of(1).read(storage.queues.of_user, ana.id) == []


def person(tx: Tx) -> User:
    return storage.people.users.insert(
        tx, email="ana@example.com", full_name="Ana", role=Role.MEMBER
    )


def says_to_self(tx: Tx, user: User, *, read: bool = True) -> int:
    alone = storage.messages.conversations.get_or_start(tx, [user.id])
    draft = Draft("Soup!", "<p>Soup!</p>", 0, "test", read_by_sender=read)
    return storage.messages.table.insert_in_conversation(tx, user.id, alone, draft)


def keep_queue(database: BlockingDatabase, user: User) -> None:
    start = database.of(user.realm_id).read(storage.log.end)
    queue = actions.queues.new(user, Options(), start, 600, database.clock())
    database.of(user.realm_id).query(actions.queues.store, user, queue)


def is_a_lock_awaited(connection: psycopg.Connection[Any]) -> bool:
    found = connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted LIMIT 1")
    return found.fetchone() is not None
