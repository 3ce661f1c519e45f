"""The schema: numbered migrations, applied in order at start, all of them or none.

A migration is `migrations/NNNN_name.sql`, written once for both databases; `{serial}`,
`{blob}` and `{clustered}` stand for what the two spell differently.
"""

from importlib import resources
from typing import Any

from tertulia.errors import CannotStart
from tertulia.storage.database.tx import Dialect, Tx


class SchemaTooNew(CannotStart):
    """The data was written by a newer server than this one."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(
            f"This data was written by a newer Tertulia (schema {found}, this server knows up to"
            f" {known}). Please start the newer version, or restore a backup from before it."
        )


def migrations() -> list[tuple[int, str]]:
    """The numbers and texts of all migrations, in order."""
    folder = resources.files("tertulia.storage.database") / "migrations"
    files = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), (folder / name).read_text(encoding="utf-8")) for name in files]


def latest_version() -> int:
    return migrations()[-1][0]


def version_of(connection: Any, dialect: Dialect) -> int:
    """The version of the schema that is there; 0 for an empty database."""
    if not dialect.has_table(connection, "schema_version"):
        return 0
    tx = Tx(connection, dialect, 0, 0.0)
    return int(tx.value("SELECT version AS value FROM schema_version") or 0)


def migrate(connection: Any, dialect: Dialect) -> int:
    """Bring the schema up to date in one transaction; gives the version it found."""
    dialect.begin_write(connection)
    try:
        dialect.lock_schema(connection)
        found = version_of(connection, dialect)
        known = migrations()
        if found > known[-1][0]:
            raise SchemaTooNew(found, known[-1][0])

        for number, text in known:
            if number > found:
                _apply(connection, dialect, text)
        if found < known[-1][0]:
            connection.execute("DELETE FROM schema_version")
            connection.execute(f"INSERT INTO schema_version (version) VALUES ({known[-1][0]})")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return found


def _apply(connection: Any, dialect: Dialect, text: str) -> None:
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    for word, meaning in dialect.types.items():
        code = code.replace("{" + word + "}", meaning)
    for statement in code.split(";"):
        if statement.strip():
            connection.execute(statement)
