"""The schema: numbered migrations. Missing ones are applied at start, all or none.

A migration is `migrations/NNNN_name.sql`, written once for both databases; `{serial}`, `{blob}`,
`{bytewise}` and `{clustered}` are placeholders for what the two spell differently. The applied
migrations are a set, so the order in which two of them were finished does not matter. A migration
adds only what an older server can ignore, so old and new servers work side by side. One that does
not says `-- older servers cannot work with this` on a line of its own, and older servers refuse to
start.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tertulia.database.dialect import Conflict, Dialect
from tertulia.database.tx import Tx
from tertulia.errors import StartupError
from tertulia.log import log

FOLDER = Path(__file__).parent / "migrations"
BREAKING = "-- older servers cannot work with this"
MAX_ATTEMPTS = 10  # to migrate beside servers that use the tables
REPEAT_SECONDS = 1.0  # between two attempts, so that queued statements run first
REQUIRED_UP_TO = 23  # migrations from before servers of two versions could share a database


class SchemaTooNew(StartupError):
    """A newer server wrote the data, and this one could not understand it."""

    def __init__(self, needed: int, known: int) -> None:
        super().__init__(
            f"This data was written by a newer Tertulia (it needs schema {needed}, this server"
            f" knows up to {known}). Please start the newer version, or restore a backup from"
            " before it."
        )


class TablesInUse(StartupError):
    """Other processes keep using the tables that a migration changes."""

    def __init__(self, conflict: Conflict) -> None:
        causes: dict[Conflict, str] = {
            "lock": "its tables are in use: something reads them for long, such as a backup or a"
            " report. Nothing was changed. Please start the server again when that has ended.",
            "deadlock": "it met deadlocks with running servers, which use the same tables in"
            " another order. Nothing was changed. Please stop those servers, and start this one"
            " again.",
        }
        super().__init__(f"The database could not be upgraded, because {causes[conflict]}")


class Migration(NamedTuple):
    number: int
    read: Callable[[], str]

    @property
    def text(self) -> str:
        """Read on demand: most databases have all migrations already."""
        return self.read()

    @property
    def must_be_known(self) -> bool:
        return self.number <= REQUIRED_UP_TO or BREAKING in self.text.splitlines()


class SchemaState(NamedTuple):
    """The migrations that a database has."""

    applied: frozenset[int]
    must_know: int  # the newest migration that a server must know to work with this data

    @property
    def is_empty(self) -> bool:
        return not self.applied

    @property
    def is_too_new(self) -> bool:
        return self.must_know > latest()

    def check(self) -> None:
        """Raises SchemaTooNew."""
        if self.is_too_new:
            raise SchemaTooNew(self.must_know, latest())

    def missing(self) -> list[Migration]:
        return [each for each in migrations() if each.number not in self.applied]

    @property
    def is_upgraded_one_way(self) -> bool:
        """Whether older servers cannot work with this data after the missing migrations."""
        if self.is_empty or self.is_too_new:
            return False
        return any(each.must_be_known for each in self.missing())


def migrations() -> list[Migration]:
    """All migrations, in order."""
    files = sorted(FOLDER.glob("*.sql"))
    return [Migration(int(each.name[:4]), partial(each.read_text, "utf-8")) for each in files]


def latest() -> int:
    return migrations()[-1].number


def find_state(tx: Tx) -> SchemaState:
    """The migrations of the database; none if it is empty."""
    if not tx.has_table("schema_version"):
        return SchemaState(frozenset(), 0)
    must_know = tx.number("SELECT version AS value FROM schema_version")
    if tx.has_table("schema_change"):
        rows = tx.all("SELECT number FROM schema_change")
        return SchemaState(frozenset(row["number"] for row in rows), must_know)
    # Compat: until 0.1.0 a database had all migrations up to its version.
    numbers = (each.number for each in migrations())
    return SchemaState(frozenset(n for n in numbers if n <= must_know), must_know)


def migrate(connection: Any, dialect: Dialect) -> list[int]:
    """Bring the schema up to date in one transaction. Returns the migrations that were missing.

    A transaction that conflicts with running servers is repeated. Raises TablesInUse.
    """
    conflict: Conflict | None = None
    for attempt in range(1, MAX_ATTEMPTS + 1):
        if conflict is not None:
            time.sleep(REPEAT_SECONDS)
        try:
            return _migrate(connection, dialect)
        except Exception as error:
            conflict = dialect.failures.migration_conflict(error)
            if conflict is None:
                raise
            kind = type(error).__name__
            log.warning("database.migration_blocked", attempt=attempt, error=kind)
    assert conflict is not None
    raise TablesInUse(conflict)


def _migrate(connection: Any, dialect: Dialect) -> list[int]:
    dialect.begin_write(connection)
    try:
        dialect.lock_schema(connection)
        dialect.limit_migration(connection)
        before = find_state(Tx(connection, dialect, 0, 0.0))
        before.check()
        missing = apply(connection, dialect, before.missing())
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return missing


def apply(connection: Any, dialect: Dialect, missing: list[Migration]) -> list[int]:
    """Apply migrations within a running transaction. Returns their numbers."""
    before = find_state(Tx(connection, dialect, 0, 0.0))
    for migration in missing:
        _apply(connection, dialect, migration.text)
    if missing:
        _record(connection, dialect, before, missing)
    return [each.number for each in missing]


def _record(connection: Any, dialect: Dialect, before: SchemaState, new: list[Migration]) -> None:
    numbers = {each.number for each in new}
    if not dialect.has_table(connection, "schema_change"):
        connection.execute("CREATE TABLE schema_change (number INTEGER NOT NULL PRIMARY KEY)")
        numbers |= before.applied
    for number in sorted(numbers):
        connection.execute(f"INSERT INTO schema_change (number) VALUES ({number})")

    needed = [each.number for each in new if each.must_be_known]
    connection.execute("DELETE FROM schema_version")
    connection.execute(
        f"INSERT INTO schema_version (version) VALUES ({max([before.must_know, *needed])})"
    )


def _apply(connection: Any, dialect: Dialect, text: str) -> None:
    code = text
    for word, meaning in dialect.sql.types.items():
        code = code.replace("{" + word + "}", meaning)
    for statement in statements(code):
        connection.execute(statement)


def statements(code: str) -> Iterator[str]:
    """The statements of a migration, each with the comments before it.

    SQLite decides where a statement ends, so a semicolon in a text, a comment or a trigger does not
    end it.
    """
    *pieces, last = code.split(";")
    begun = ""
    for piece in pieces:
        begun += f"{piece};"
        if sqlite3.complete_statement(begun):
            yield begun
            begun = ""
    rest = begun + last
    lines = (line.strip() for line in rest.splitlines())
    if any(line and not line.startswith("--") for line in lines):
        yield rest  # the last one may lack a semicolon
