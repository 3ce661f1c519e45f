"""The schema: one file for a new database, and numbered migrations for existing ones.

`migrations/0001_schema.sql` is the whole schema, and migrations after it are `NNNN_name.sql` beside
it. Those in `migrations/from_0_3` bring data of 0.3.0, the oldest that can be upgraded, to that
schema; a new database counts as having them. Missing ones are applied at start, all or none.

Everything is written once for both databases; `{serial}`, `{blob}`, `{bytewise}` and `{clustered}`
are placeholders for what the two spell differently. The applied migrations are a set, so the order
in which two of them were finished does not matter. A migration adds only what an older server can
ignore, so old and new servers work side by side. One that does not says
`-- older servers cannot work with this` on a line of its own, and older servers refuse to start.
"""

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tertulia.database.dialect import Conflict, Dialect
from tertulia.database.tx import Tx
from tertulia.errors import StartupError
from tertulia.log import log

FOLDER = Path(__file__).parent / "migrations"
WHOLE_SCHEMA = "0001_schema.sql"
OF_0_3 = 184  # the last migration of 0.3.0
BREAKING = "-- older servers cannot work with this"
MAX_ATTEMPTS = 10  # to migrate beside servers that use the tables
REPEAT_SECONDS = 1.0  # between two attempts, so that queued statements run first


class SchemaTooNew(StartupError):
    """A newer server wrote the data, and this one could not understand it."""

    def __init__(self, needed: int, known: int) -> None:
        super().__init__(
            f"This data was written by a newer Tertulia (it needs schema {needed}, this server"
            f" knows up to {known}). Please start the newer version, or restore a backup from"
            " before it."
        )


class SchemaTooOld(StartupError):
    """The data is of a version before 0.3.0, from which this one cannot upgrade."""

    def __init__(self) -> None:
        super().__init__(
            "This data was written by a Tertulia before 0.3.0. Please start version 0.3.0 with it"
            " once, which upgrades it, and then this version."
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
    includes: frozenset[int] = frozenset()  # the migrations that a whole schema has

    @property
    def text(self) -> str:
        """Read on demand: most databases have all migrations already."""
        return self.read()

    @property
    def must_be_known(self) -> bool:
        return BREAKING in self.text.splitlines()

    @property
    def numbers(self) -> frozenset[int]:
        return self.includes | {self.number}


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

    @property
    def is_too_old(self) -> bool:
        return not (self.is_empty or self.is_too_new or OF_0_3 in self.applied)

    def check(self) -> None:
        """Raises SchemaTooNew or SchemaTooOld."""
        if self.is_too_new:
            raise SchemaTooNew(self.must_know, latest())
        if self.is_too_old:
            raise SchemaTooOld()

    def missing(self) -> list[Migration]:
        """What an empty database, or data since 0.3.0, lacks."""
        whole = [whole_schema()] if self.is_empty else []
        known = self.applied.union(*(each.numbers for each in whole))
        return whole + [each for each in migrations() if each.number not in known]

    @property
    def is_upgraded_one_way(self) -> bool:
        """Whether older servers cannot work with this data after the missing migrations."""
        if self.is_empty or self.is_too_new or self.is_too_old:
            return False
        return any(each.must_be_known for each in self.missing())


def migrations() -> list[Migration]:
    """All migrations since 0.3.0, in order."""
    return _numbered(FOLDER / "from_0_3") + _numbered(FOLDER)


def whole_schema() -> Migration:
    """The schema of a new database, which has all migrations from 0.3.0 to it."""
    included = _numbered(FOLDER / "from_0_3")
    needed = max(each.number for each in included if each.must_be_known)
    return _whole(FOLDER, needed, {OF_0_3, *(each.number for each in included)})


def as_of(applied: Collection[int]) -> list[Migration]:
    """What creates the schema of a database that has these migrations."""
    whole = whole_schema()
    if not whole.numbers.issubset(applied):
        whole = _whole(FOLDER / "from_0_3", OF_0_3, set())
    later = [each for each in migrations() if each.number not in whole.numbers]
    return [whole, *(each for each in later if each.number in applied)]


def _whole(folder: Path, number: int, included: Collection[int]) -> Migration:
    return Migration(
        number, partial((folder / WHOLE_SCHEMA).read_text, "utf-8"), frozenset(included)
    )


def _numbered(folder: Path) -> list[Migration]:
    files = sorted(each for each in folder.glob("*.sql") if each.name != WHOLE_SCHEMA)
    return [Migration(int(each.name[:4]), partial(each.read_text, "utf-8")) for each in files]


def latest() -> int:
    return migrations()[-1].number


def find_state(tx: Tx) -> SchemaState:
    """The migrations of the database; none if it is empty."""
    if not tx.has_table("schema_version"):
        return SchemaState(frozenset(), 0)
    must_know = tx.number("SELECT version AS value FROM schema_version")
    if not tx.has_table("schema_change"):  # until 0.1.0
        return SchemaState(frozenset({must_know}), must_know)
    return SchemaState(frozenset(tx.column("SELECT number FROM schema_change")), must_know)


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
    for number in sorted(frozenset().union(*(each.numbers for each in new))):
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
