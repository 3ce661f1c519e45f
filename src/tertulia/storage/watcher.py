"""Noticing what others write: the command line beside us, or another server.

SQLite is asked a few times a second whether its file has changed; PostgreSQL tells us itself,
and is asked now and then all the same, in case its connection was lost.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg
import structlog

from tertulia.errors import ServiceUnavailable
from tertulia.storage.database import Database
from tertulia.storage.dialects.postgres import CHANNEL, WHISPERS, Postgres
from tertulia.storage.dialects.sqlite import Sqlite

log = structlog.get_logger()

LOOK_EVERY_SECONDS = 0.1
ASK_EVERY_SECONDS = 5.0
RECONNECT_AFTER_SECONDS = 1.0

Changed = Callable[[], Awaitable[None]]
Overheard = Callable[[str], None]


async def watch(database: Database, changed: Changed, overheard: Overheard) -> None:
    """Call `changed` whenever somebody else may have committed; runs until cancelled.

    `overheard` is given what other servers hand around without writing it down.
    """
    if isinstance(database.dialect, Sqlite):
        await _watch_file(database.dialect, changed)
    elif isinstance(database.dialect, Postgres):
        await _watch_server(database.dialect, changed, overheard)


async def _watch_file(dialect: Sqlite, changed: Changed) -> None:
    connection = dialect.connect()
    try:
        known = dialect.data_version(connection)
        while True:
            await asyncio.sleep(LOOK_EVERY_SECONDS)
            try:
                version = dialect.data_version(connection)
                if version != known:
                    await changed()
                    known = version
            except Exception as error:
                _tell(error, dialect.is_outage(error))
    finally:
        connection.close()


async def _watch_server(dialect: Postgres, changed: Changed, overheard: Overheard) -> None:
    loop = asyncio.get_running_loop()
    told = asyncio.Event()
    stopping = threading.Event()
    thread = threading.Thread(
        target=_listen,
        args=(dialect, loop, told, overheard, stopping),
        name="listener",
        daemon=True,
    )
    thread.start()
    try:
        while True:
            try:
                await asyncio.wait_for(told.wait(), ASK_EVERY_SECONDS)
            except TimeoutError:
                pass
            told.clear()
            try:
                await changed()
            except Exception as error:
                _tell(error, is_outage=False)
                await asyncio.sleep(RECONNECT_AFTER_SECONDS)
    finally:
        stopping.set()


def _tell(error: Exception, is_outage: bool) -> None:
    """Whatever went wrong, we go on watching: a server that does not notice is of no use."""
    if is_outage or isinstance(error, ServiceUnavailable):
        log.warning("the database cannot be read", reason=type(error).__name__)
    else:
        log.error("what others wrote could not be taken in", exc_info=error)


def _listen(
    dialect: Postgres,
    loop: asyncio.AbstractEventLoop,
    told: asyncio.Event,
    overheard: Overheard,
    stopping: threading.Event,
) -> None:
    """Wait for NOTIFY on a connection of our own; connect again when it is lost."""
    while not stopping.is_set():
        try:
            connection: psycopg.Connection[Any] = dialect.connect()
            with connection:
                connection.execute(f"LISTEN {CHANNEL}")
                connection.execute(f"LISTEN {WHISPERS}")
                loop.call_soon_threadsafe(told.set)  # of what was said while nobody listened
                while not stopping.is_set():
                    for notice in connection.notifies(timeout=0.5, stop_after=1):
                        if notice.channel == WHISPERS:
                            loop.call_soon_threadsafe(overheard, notice.payload)
                        elif notice.payload != dialect.node:  # our own writer has told us already
                            loop.call_soon_threadsafe(told.set)
        except psycopg.Error as error:
            log.warning("lost the database's notices", reason=type(error).__name__)
            stopping.wait(RECONNECT_AFTER_SECONDS)
        except RuntimeError:  # the loop is closed: the server has stopped
            return
