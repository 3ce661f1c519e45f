"""Serving: from a configuration to a process that listens.

A data folder belongs to one server at a time, and to whoever holds its secret.
"""

import asyncio
import contextlib
import fcntl
import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import uvicorn

from tertulia.actions import organizations
from tertulia.app import Application
from tertulia.config import Config
from tertulia.domain.keys import Vault
from tertulia.domain.realms import Realm
from tertulia.storage import realms
from tertulia.storage.database import Database

GRACE_SECONDS = 1


class FolderInUse(Exception):
    """Another server works on this data folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"Another Tertulia server is running on the data in {folder}.")


def open_database(config: Config) -> Database:
    """The database with its schema up to date."""
    config.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    database = Database.at(config.database_url)
    database.migrate()
    return database


def open_vault(config: Config) -> Vault:
    """The vault of the server's secret, which is made up on the first start."""
    if config.secret:
        return Vault(config.secret.encode())
    path = config.secret_file
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return Vault(path.read_text(encoding="ascii").strip().encode())
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(48) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return Vault(path.read_text(encoding="ascii").strip().encode())


def first_organization(database: Database, name: str) -> tuple[Realm, bool]:
    """The first organization, and whether it had to be founded just now."""
    known = database.read_now(0, realms.all_of_them)
    if known:
        return known[0], False
    return database.write_now(0, organizations.create, name, ""), True


@contextlib.contextmanager
def folder_lock(config: Config) -> Iterator[None]:
    """Hold the data folder, so that no second server can work on it."""
    with open(config.data / "lock", "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUse(config.data) from None
        yield


class Server(uvicorn.Server):
    """uvicorn that says goodbye: parked polls are answered before anything is closed."""

    def __init__(self, config: uvicorn.Config, application: Application) -> None:
        super().__init__(config)
        self._application = application

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        asyncio.get_running_loop().call_soon_threadsafe(self._application.say_goodbye)


def serve(config: Config, application: Application) -> None:
    """Listen until told to stop."""
    settings = uvicorn.Config(
        application,
        host=config.host,
        port=config.port,
        http="httptools",
        loop="uvloop",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=config.max_header_bytes,
        backlog=2048,
    )
    Server(settings, application).run()
