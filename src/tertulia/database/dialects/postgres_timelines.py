"""PostgreSQL continues on another timeline: a standby took over, or a backup was replayed.

The last transactions may be missing there. All id counters jump ahead once for each timeline, as
they do after `tertulia restore`. Event queues continue, because they recognize the log by its
contents.
"""

from typing import Any

from tertulia.database import id_counters
from tertulia.database.dialect import Dialect
from tertulia.database.tx import Tx
from tertulia.log import log

MAX_LOST_SECONDS = 7 * 86_400.0  # how long ago the missing transactions can have begun


def follow(connection: Any, dialect: Dialect, timeline: str) -> None:
    """Move the id counters ahead, unless another connection has done so on this timeline."""
    dialect.begin_write(connection)
    tx = Tx(connection, dialect, 0, dialect.cluster.time(connection) or 0.0)
    before = _change_timeline(tx, timeline)
    if before:  # empty if this is the first timeline that is stored
        by = id_counters.jump_after(min(_idle_seconds(tx), MAX_LOST_SECONDS))
        id_counters.jump_ids(tx, id_counters.counters(tx), by)
        log.warning("database.timeline_changed", before=before, now=timeline, ids_skipped=by)
    dialect.command(connection, "COMMIT")


def _change_timeline(tx: Tx, timeline: str) -> str | None:
    """Store the timeline and return the one before; None if it is the same.

    Connections that do so at the same time take turns.
    """
    tx.execute("UPDATE installation SET timeline = timeline")  # locks the row
    row = tx.one("SELECT timeline FROM installation")
    if row is None or row["timeline"] == timeline:
        return None
    tx.execute("UPDATE installation SET timeline = :timeline", timeline=timeline)
    before: str = row["timeline"]
    return before


def _idle_seconds(tx: Tx) -> float:
    """Seconds since the last write with a time, in any organization."""
    newest = tx.value(
        "SELECT max(e.at) AS value FROM log_head h"
        " JOIN event e ON e.realm_id = h.realm_id AND e.seq = h.seq"
    )
    seen = tx.value("SELECT max(seen_at) AS value FROM queue")
    return tx.now - max(newest or 0.0, seen or 0.0)
