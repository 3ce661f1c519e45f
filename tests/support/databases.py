"""Databases of the tests: a temporary folder, or a PostgreSQL database.

The folder is in memory if possible: no test cuts the power, so no test has to wait for a disk.

PostgreSQL is on this machine, or where `TERTULIA_TEST_POSTGRES` says. Every database is dropped
when the test run ends.
"""

import os
import secrets
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.support.waiting import TIMEOUT_SECONDS

from tertulia.database import BlockingDatabase

Kind = Literal["sqlite", "postgres"]

POSTGRES = os.environ.get("TERTULIA_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432")

MAX_CONCURRENT_DROPS = 16


class Databases:
    """Provides empty databases. A returned one is emptied and used again, because PostgreSQL
    takes longer to create and drop a database than most tests last."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tertulia-test-", dir=memory_folder()))
        self.lent: list[str] = []
        self._made: list[str] = []
        self._idle: list[str] = []
        self._form = ""  # a PostgreSQL database with our tables

    def new(
        self, kind: Kind, *, untouched: bool = False, form: str = "template1"
    ) -> tuple[str, Path]:
        """The URL of an empty database, and a data folder.

        An untouched one does not even have tables.
        """
        name = f"tertulia_test_{secrets.token_hex(8)}"
        folder = self._folder / name
        folder.mkdir(parents=True)
        if kind == "sqlite":
            self.lent.append(f"sqlite:///{folder / 'tertulia.db'}")
            return self.lent[-1], folder
        assert kind == "postgres", f"there is no database called {kind}"
        problem = unreachable()
        if problem:
            pytest.skip(f"PostgreSQL cannot be reached: {problem}")
        if self._idle and not untouched:
            self.lent.append(self._idle.pop())
            return self.lent[-1], folder
        with _connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {form}")
        self._made.append(name)
        if not untouched:  # a test may have created other tables there
            self.lent.append(_url(name))
        return _url(name), folder

    def ready(self, kind: Kind) -> tuple[str, Path]:
        """The same with our tables: copying them is faster than creating them."""
        if kind == "sqlite":
            url, folder = self.new(kind)
            (folder / "tertulia.db").write_bytes(sqlite_with_tables())
            return url, folder
        if not (self._form or self._idle):
            self._form, _ = self.new(kind, untouched=True)
            BlockingDatabase.at(self._form).migrate()
        return self.new(kind, form=_name_in(self._form))

    def give_back(self, url: str) -> None:
        if url not in self.lent:
            return
        self.lent.remove(url)
        if url.startswith("sqlite"):
            shutil.rmtree(Path(url.removeprefix("sqlite:///")).parent, ignore_errors=True)
        else:
            _empty(url)
            self._idle.append(url)

    def drop_all(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        with ThreadPoolExecutor(MAX_CONCURRENT_DROPS) as pool:
            list(pool.map(_drop, self._made))


def memory_folder() -> str | None:
    """A folder in memory; None where there is none."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@cache
def sqlite_with_tables() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tertulia.db"
        BlockingDatabase.at(f"sqlite:///{file}").migrate()
        return file.read_bytes()


@cache
def unreachable() -> str:
    """Why PostgreSQL cannot be used here; empty if it can."""
    if os.environ.get("TERTULIA_TEST_POSTGRES") == "":
        return "it is switched off (--sqlite)"
    try:
        _connect().close()
    except psycopg.OperationalError as error:
        return str(error).splitlines()[0]
    return ""


def _empty(url: str) -> None:
    """Deleting few rows is faster than truncating many tables, and most tables are empty; tables
    that refer to others were created after them. Where it is allowed, references are not
    checked."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        with suppress(psycopg.errors.InsufficientPrivilege):
            connection.execute("SET session_replication_role = replica")
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname NOT LIKE 'schema_%'"
            " AND relname <> 'installation'"
            " AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0"
            " ORDER BY oid DESC"
        )
        connection.execute("".join(f"DELETE FROM {name};" for (name,) in tables))
        connection.execute(
            "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)"
            " FROM pg_sequences"
        )


def _drop(name: str) -> None:
    """PostgreSQL writes everything to disk first: for many databases at once it does so once."""
    with _connect() as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _url(name: str) -> str:
    return urlsplit(POSTGRES)._replace(path=f"/{name}").geturl()


def _name_in(url: str) -> str:
    return url.rpartition("/")[2]


def _connect() -> psycopg.Connection:
    return psycopg.connect(_url("postgres"), autocommit=True, connect_timeout=int(TIMEOUT_SECONDS))
