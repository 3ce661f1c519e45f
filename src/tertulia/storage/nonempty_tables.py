"""Of which kinds somebody, or their organization, has anything at all.

Most people have no drafts, reminders or devices. Whoever is to be told of everything is asked about
here first, by one statement, and only what there is has to be read.
"""

from collections.abc import Collection, Set
from functools import cache

from tertulia.database.tx import Tx

MINE, OURS = "user_id = :user", "realm_id = :realm"
# What is not found by the person whose it is.
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
FEW = 2  # are read without asking


def those(tx: Tx, user_id: int, tables: Collection[str]) -> Set[str]:
    """The tables, of some, in which there may be something for somebody."""
    if len(tables) <= FEW:
        return set(tables)
    row = tx.one(_question(tuple(sorted(tables))), user=user_id)
    assert row is not None
    return {table for table in tables if row[table]}


@cache
def _question(tables: tuple[str, ...]) -> str:
    found = (
        f"EXISTS (SELECT 1 FROM {each} WHERE {OTHERWISE.get(each, MINE)}) AS {each}"
        for each in tables
    )
    return f"SELECT {', '.join(found)}"
