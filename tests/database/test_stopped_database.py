"""A database that has stopped refuses writes in a way that clients repeat."""

import asyncio

import pytest

from tertulia.database import BlockingDatabase, Database
from tertulia.errors.http import ServerStopping


def test_a_write_after_the_stop_is_refused_and_may_be_repeated(kind, databases):
    url, _ = databases.new(kind)
    database = Database(BlockingDatabase.at(url))

    async def stop_and_write() -> None:
        await database.stop()
        await database.of(1).write(lambda tx: None)

    with pytest.raises(ServerStopping):
        asyncio.run(stop_and_write())
