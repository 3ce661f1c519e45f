"""What happens when PostgreSQL continues on another timeline: a standby took over, or a backup was
replayed.

The last transactions may be missing there. Ids that they gave out must not be given to something
else, because clients know them. So all counters go ahead, once for each timeline, as they do after
`tertulia restore`; event queues continue, since they recognize the log by its contents.
"""

from typing import Any

from tertulia import storage
from tertulia.database.tx import Dialect, Tx
from tertulia.log import log

MAX_LOST_SECONDS = 7 * 86_400.0  # how long ago the missing transactions can have begun


def follow(connection: Any, dialect: Dialect, timeline: str) -> None:
    """Go on counting far ahead, unless another connection has done so on this timeline."""
    dialect.begin_write(connection)
    tx = Tx(connection, dialect, 0, dialect.time(connection) or 0.0)
    before = storage.installation.change_timeline(tx, timeline)
    if before:  # else it is the first one that was noted, or others were first
        by = storage.table_copy.leap_after(min(storage.log.idle_seconds(tx), MAX_LOST_SECONDS))
        storage.table_copy.leap_ids(tx, storage.table_copy.counters(tx), by)
        log.warning("database.timeline_changed", before=before, now=timeline, ids_skipped=by)
    dialect.command(connection, "COMMIT")
