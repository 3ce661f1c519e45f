"""Whether a failed write may have been done: a 503 promises that it was not."""

import asyncio
import sqlite3
import threading

import psycopg
import pytest
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import storage
from tertulia.database import Database
from tertulia.database.dialects.postgres import Postgres
from tertulia.database.dialects.sqlite import Sqlite
from tertulia.errors import BadRequest, outcome
from tertulia.errors.http import (
    AttemptsExhausted,
    OutcomeUnknown,
    RateLimited,
    ServerStopping,
    ServiceUnavailable,
)


async def served(blocking, scene) -> None:
    """Run a function with the writing part of a server."""
    fast_insert, database = storage.messages.fast_insert, Database(blocking)
    database.start(lambda tx, realms: None, lambda news, answer: answer(), list, fast_insert)
    try:
        await scene(database)
    finally:
        await database.stop()


def reported(error) -> str:
    return outcome.checked(error).code


def test_a_503_after_a_commit_of_the_same_request_is_replaced(database, realm):
    async def scene(database) -> None:
        outcome.start_request()
        with pytest.raises(BadRequest):
            await database.of(realm.id).write(refuse)
        assert reported(ServiceUnavailable()) == "SERVICE_UNAVAILABLE"

        await database.of(realm.id).write(lambda tx: None)
        assert reported(ServiceUnavailable()) == "OUTCOME_UNKNOWN"
        assert reported(BadRequest("no")) == "BAD_REQUEST"

        outcome.start_request()
        assert reported(ServiceUnavailable()) == "SERVICE_UNAVAILABLE"

    asyncio.run(served(database, scene))


def test_a_429_after_a_commit_of_the_same_request_is_replaced(database, realm):
    async def scene(database) -> None:
        outcome.start_request()
        assert reported(RateLimited(retry_after=1)) == "RATE_LIMIT_HIT"
        await database.of(realm.id).write(lambda tx: None)
        assert reported(RateLimited(retry_after=1)) == "OUTCOME_UNKNOWN"
        assert reported(AttemptsExhausted(retry_after=1)) == "RATE_LIMIT_HIT"

    asyncio.run(served(database, scene))


def test_a_503_after_a_write_of_unknown_outcome_is_replaced(database, realm):
    def lose_the_answer(tx) -> None:
        raise OutcomeUnknown()

    async def scene(database) -> None:
        outcome.start_request()
        with pytest.raises(OutcomeUnknown):
            await database.of(realm.id).write(lose_the_answer)
        assert reported(ServiceUnavailable()) == "OUTCOME_UNKNOWN"

    asyncio.run(served(database, scene))


def test_a_request_that_is_stopped_while_it_writes_does_not_answer_503(database, realm):
    async def scene(database) -> None:
        loop, is_inside, goes_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def slow(tx) -> None:
            loop.call_soon_threadsafe(is_inside.set)
            goes_on.wait(TIMEOUT_SECONDS)

        async def request(is_writing: bool) -> str:
            outcome.start_request()
            try:
                await (database.of(realm.id).write(slow) if is_writing else asyncio.Event().wait())
            except asyncio.CancelledError:
                return reported(ServerStopping())
            raise AssertionError("it was not stopped")

        waiting = asyncio.create_task(request(is_writing=False))
        writing = asyncio.create_task(request(is_writing=True))
        await is_inside.wait()
        waiting.cancel()
        writing.cancel()
        codes = [await waiting, await writing]
        goes_on.set()

        assert codes == ["SERVICE_UNAVAILABLE", "OUTCOME_UNKNOWN"]

    asyncio.run(served(database, scene))


def test_balancers_do_not_repeat_the_status_of_an_unknown_outcome():
    assert OutcomeUnknown().status == 500
    assert "Retry-After" not in OutcomeUnknown().reply_headers()


def refuse(tx) -> None:
    raise BadRequest("no")


def sqlite_error(name: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError()
    error.sqlite_errorcode, error.sqlite_errorname = getattr(sqlite3, name), name
    return error


@pytest.mark.on_one
@pytest.mark.parametrize(
    ("name", "is_unknown"),
    [
        ("SQLITE_FULL", False),
        ("SQLITE_BUSY", False),
        ("SQLITE_IOERR_WRITE", False),
        ("SQLITE_IOERR_FSYNC", True),
        ("SQLITE_IOERR", True),
    ],
)
def test_which_errors_of_a_commit_leave_it_unknown_in_sqlite(tmp_path, name, is_unknown):
    assert Sqlite(tmp_path / "x.db").failures.may_have_committed(sqlite_error(name)) is is_unknown


@pytest.mark.on_one
@pytest.mark.parametrize(
    ("error", "is_unknown"),
    [
        (psycopg.OperationalError("the connection is lost"), True),
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.ConnectionFailure(), True),
        (psycopg.errors.DiskFull(), False),
        (psycopg.errors.SerializationFailure(), False),
        (psycopg.errors.IdleInTransactionSessionTimeout(), False),
        (MemoryError(), True),
    ],
)
def test_which_errors_of_a_commit_leave_it_unknown_in_postgres(error, is_unknown):
    assert Postgres("postgresql://nowhere/x").failures.may_have_committed(error) is is_unknown
