"""The one row about this installation; the dialect of PostgreSQL says what its id is for."""

from tertulia.database.tx import Tx


def change_timeline(tx: Tx, timeline: str) -> str | None:
    """Note the timeline that the database is on; gives the one before, None if it is the same.

    Connections that do so at the same time take turns.
    """
    tx.execute("UPDATE installation SET timeline = timeline")  # locks the row
    row = tx.one("SELECT timeline FROM installation")
    if row is None or row["timeline"] == timeline:
        return None
    tx.execute("UPDATE installation SET timeline = :timeline", timeline=timeline)
    before: str = row["timeline"]
    return before
