"""Which kinds of data a user or their organization has.

Most users have no drafts, reminders or devices. A snapshot first asks here, in one statement, and
then reads only the tables with rows.
"""

from collections.abc import Mapping, Set
from functools import cache

from tertulia.database.tx import Tx

MINE, OURS = "user_id = :user", "realm_id = :realm"
MAX_TABLES_READ_DIRECTLY = 2  # so few tables are read without asking


def which(tx: Tx, user_id: int, tables: Mapping[str, str]) -> Set[str]:
    """Those of some tables that have rows under their condition."""
    if len(tables) <= MAX_TABLES_READ_DIRECTLY:
        return set(tables)
    row = tx.one(_exists_query(tuple(sorted(tables.items()))), user=user_id)
    assert row is not None
    return {table for table in tables if row[table]}


@cache
def _exists_query(tables: tuple[tuple[str, str], ...]) -> str:
    found = (
        f"EXISTS (SELECT 1 FROM {table} WHERE {condition}) AS {table}"
        for table, condition in tables
    )
    return f"SELECT {', '.join(found)}"
