"""The caches of connections: what they have read, which they keep in case it is asked for again."""

from contextlib import suppress

from tertulia.database import Database
from tertulia.database.tx import Tx
from tertulia.errors.http import ServiceUnavailable


async def empty(database: Database) -> None:
    """Let go of what connections have read; it will be read again where it is needed."""
    if database.dialect.is_embedded:  # else they are the database's
        with suppress(ServiceUnavailable):
            for ask in (database.query, database.read_aside_in, database.write_in):
                await ask(0, _shrink)


def _shrink(tx: Tx) -> None:
    tx.execute("PRAGMA shrink_memory")
