"""The identity of an installation on PostgreSQL: its notification channels and advisory locks.

Both live in one namespace for the whole database, so their names contain the random id of the
installation. They also contain the oid of the table that holds the id: a schema that was copied
within a database has the same id, but not the same table.
"""

import hashlib
from typing import Any, NamedTuple


class Installation(NamedTuple):
    id: str  # empty before the schema has a table for it
    table_oid: int

    @property
    def label(self) -> str:
        """A short name of it, for `pg_stat_activity`."""
        return self._digest("label").hex()[:8]

    def channel(self, name: str) -> str:
        return f"{name}_{self._digest('channel').hex()[:16]}"

    def lock(self, purpose: str) -> int:
        """The key of an advisory lock, which is one number of 64 bits."""
        return int.from_bytes(self._digest(purpose)[:8], signed=True)

    def _digest(self, purpose: str) -> bytes:
        return hashlib.sha256(f"{purpose} {self.id} {self.table_oid}".encode()).digest()


UNKNOWN = Installation("", 0)


def find(connection: Any) -> Installation:
    """The installation in the schema of a connection; `UNKNOWN` if the schema is too old."""
    table = connection.execute("SELECT to_regclass('installation')::oid::bigint AS oid").fetchone()
    if table["oid"] is None:
        return UNKNOWN
    row = connection.execute("SELECT id FROM installation").fetchone()
    return UNKNOWN if row is None else Installation(row["id"], table["oid"])
