"""The revocation barrier, where the server that revokes cannot apply the event by itself."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia import storage
from tertulia.database import BlockingDatabase, Database
from tertulia.database.dialects.postgres import Postgres
from tertulia.errors.http import ServiceUnavailable

pytestmark = pytest.mark.postgres


class Applier:
    """Applies the log in some way, and counts how often."""

    def __init__(self, apply: Callable[[int], Awaitable[bool]], lease_seconds: float) -> None:
        self.lease_seconds = lease_seconds
        self.calls = 0
        self._apply = apply

    async def apply_until(self, ends) -> bool:
        self.calls += 1
        return await self._apply(self.calls)


@pytest.fixture
def shared(databases):
    url, _ = databases.ready("postgres")
    yield Database(BlockingDatabase(Postgres(url)))
    databases.give_back(url)


def revoked(database: Database, applier: Applier) -> str:
    """The result of a write that revokes something."""

    def revoke(tx) -> str:
        tx.revoked[1] = 1
        return "revoked"

    async def scene() -> str:
        database.start(
            lambda tx, realms: None,
            lambda news, answer: answer(),
            list,
            storage.messages.fast_insert,
            applier=applier,
        )
        try:
            return await asyncio.wait_for(database.of(0).write(revoke), TIMEOUT_SECONDS)
        finally:
            await database.stop()

    return asyncio.run(scene())


def test_a_revocation_that_is_not_applied_within_the_lease_is_answered(shared):
    async def never(call: int) -> bool:
        return await asyncio.Future()

    assert revoked(shared, Applier(never, 0.2)) == "revoked"


def test_a_revocation_is_answered_where_the_database_is_lost_after_the_commit(shared):
    async def fail(call: int) -> bool:
        raise ServiceUnavailable()

    assert revoked(shared, Applier(fail, 0.2)) == "revoked"


def test_a_revocation_is_applied_again_if_that_fails_at_first(shared):
    async def fail_twice(call: int) -> bool:
        if call == 1:
            raise ServiceUnavailable()
        return call > 2

    applier = Applier(fail_twice, TIMEOUT_SECONDS)
    assert revoked(shared, applier) == "revoked"
    assert applier.calls == 3
