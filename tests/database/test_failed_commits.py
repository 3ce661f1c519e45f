"""A write that PostgreSQL did not commit is not reported as done, and one that it may have
committed is not repeated."""

import asyncio
from collections.abc import Callable

import httpx
import psycopg
import pytest
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import storage
from tertulia.database import BlockingDatabase, Database
from tertulia.database.dialects.postgres import Postgres
from tertulia.database.tx import Tx

pytestmark = pytest.mark.postgres

FAILS_ONCE = """
    CREATE SEQUENCE attempts;
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40003'; END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER fails_once AFTER INSERT ON message
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_once();
"""  # at the commit


@pytest.fixture
def shared(databases):
    url, _ = databases.ready("postgres")
    yield Database(BlockingDatabase(Postgres(url)))
    databases.give_back(url)


async def write(database: Database, action: Callable[[Tx], object]) -> object:
    """The result or the error of an action."""
    database.start(
        lambda tx, realms: None,
        lambda news, answer: answer(),
        list,
        storage.messages.fast_insert,
    )
    try:
        return await database.of(0).write(action)
    except Exception as error:
        return error
    finally:
        await database.stop()


def test_a_transaction_that_postgres_rolls_back_at_the_commit_is_not_done(shared):
    def hide_a_failure(tx: Tx) -> str:
        try:
            tx.all("SELECT 1 / 0 AS value")
        except psycopg.errors.DivisionByZero:
            return "done"
        raise AssertionError("it was divided")

    result = asyncio.run(write(shared, hide_a_failure))

    assert isinstance(result, psycopg.errors.InFailedSqlTransaction)


@pytest.mark.parametrize("earlier", [3, 0], ids=["fast path", "writer"])
def test_a_send_that_may_have_been_completed_is_not_repeated(databases, earlier):
    url, folder = databases.new("postgres")
    server = Server(url, folder).start()
    chat = Chat.found(server, "")
    ana = chat.person("ana", channels=["kitchen"])
    for _ in range(earlier):  # after these, a send takes the fast path
        ana.says("before", to="kitchen > soup")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(FAILS_ONCE)

        response = httpx.post(
            f"http://127.0.0.1:{server.port}/api/v1/messages",
            data={"type": "channel", "to": "kitchen", "topic": "soup", "content": "once"},
            headers=ana.headers,
            timeout=TIMEOUT_SECONDS,
        )

        attempts = connection.execute("SELECT last_value FROM attempts").fetchone()
    server.stop()
    assert (response.status_code, response.json()["code"]) == (500, "OUTCOME_UNKNOWN")
    assert attempts == (1,)
