"""Which kinds of data a user or their organization has.

Most users have no drafts, reminders or devices. A snapshot first asks here, in one statement, and
then reads only the tables with rows.
"""

from collections.abc import Collection, Set
from functools import cache

from tertulia.database.tx import Tx

MINE, OURS = "user_id = :user", "realm_id = :realm"
# Tables without a column for the user.
OTHERWISE = {
    "bot": OURS,
    "channel_folder": OURS,
    "mail_domain": OURS,
    "message_flag": f"{MINE} AND flag = 'starred'",
    "playground": OURS,
    "reminder": "owner_id = :user",
    "scheduled_message": "owner_id = :user AND sent_at IS NULL",
    "user_status": OURS,
}
MAX_TABLES_READ_DIRECTLY = 2  # so few tables are read without asking


def which(tx: Tx, user_id: int, tables: Collection[str]) -> Set[str]:
    """Those of some tables that may have rows for a user."""
    if len(tables) <= MAX_TABLES_READ_DIRECTLY:
        return set(tables)
    row = tx.one(_exists_query(tuple(sorted(tables))), user=user_id)
    assert row is not None
    return {table for table in tables if row[table]}


@cache
def _exists_query(tables: tuple[str, ...]) -> str:
    found = (
        f"EXISTS (SELECT 1 FROM {each} WHERE {OTHERWISE.get(each, MINE)}) AS {each}"
        for each in tables
    )
    return f"SELECT {', '.join(found)}"
