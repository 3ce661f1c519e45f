"""The identity of an installation on PostgreSQL: its notification channels and advisory locks.

Both live in one namespace for the whole database, so their names contain the random id of the
installation. They also contain the oid of the table that holds the id: a schema that was copied
within a database has the same id, but not the same table.
"""

import hashlib
from typing import Any, NamedTuple

from tertulia.database.dialect import Dialect
from tertulia.database.dialects import postgres_timelines
from tertulia.database.dialects.postgres_connection import Connection

APPLICATION = "tertulia"
SERVING = " serving"  # ends the name of the notification connection that every server has

_PEERS = (
    "SELECT 1 FROM pg_stat_get_activity(NULL) a JOIN pg_database d ON d.oid = a.datid"
    " WHERE d.datname = current_database()"
    " AND (a.application_name LIKE :ours OR a.application_name LIKE :any"
    " AND a.application_name NOT LIKE :labelled) AND a.application_name NOT LIKE :mine LIMIT 1"
)

_SERVING_NODES = (
    "SELECT split_part(a.application_name, ' ', 3) AS node"
    " FROM pg_stat_get_activity(NULL) a JOIN pg_database d ON d.oid = a.datid"
    " WHERE d.datname = current_database() AND a.application_name LIKE :serving"
)


_WORKING = (
    "SELECT a.pid FROM pg_stat_get_activity(NULL) a"
    " WHERE a.application_name LIKE :mine AND a.state NOT LIKE 'idle%'"
)


class Installation(NamedTuple):
    id: str  # empty before the schema has a table for it
    table_oid: int

    def application_name(self, node: str) -> str:
        """The name of the connections of one process in `pg_stat_activity`."""
        return f"{APPLICATION} {self._label} {node}" if self.id else f"{APPLICATION} {node}"

    def peers_query(self, node: str) -> tuple[str, dict[str, str]]:
        """A statement that returns a row if another process of this installation is connected.

        Compat: before installations had an id, the names of connections had two words.
        """
        return _PEERS, {
            "ours": f"{APPLICATION} {self._label} %",
            "any": f"{APPLICATION} %",
            "labelled": f"{APPLICATION} % %",
            "mine": f"% {node}%",
        }

    def servers_query(self, node: str) -> tuple[str, dict[str, str]]:
        """The same for servers: commands and servers that are starting do not count.

        Compat: connections of servers of 0.2 have two words, too.
        """
        sql, params = self.peers_query(node)
        return sql, {**params, "ours": f"{APPLICATION} {self._label} %{SERVING}"}

    def working_sessions_query(self, node: str) -> tuple[str, dict[str, str]]:
        """A statement that returns the process ids of the sessions of one process that run a
        statement."""
        return _WORKING, {"mine": f"{APPLICATION} %{node}%"}

    def serving_nodes_query(self) -> tuple[str, dict[str, str]]:
        """A statement that returns the connected servers of this installation."""
        return _SERVING_NODES, {"serving": f"{APPLICATION} {self._label} %{SERVING}"}

    @property
    def _label(self) -> str:
        return self._digest("label").hex()[:8]

    def channel(self, name: str) -> str:
        return f"{name}_{self._digest('channel').hex()[:16]}"

    def lock(self, purpose: str) -> int:
        """The key of an advisory lock: a number of 64 bits."""
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


def enter(connection: Connection, dialect: Dialect) -> None:
    """Check the timeline of a new connection before its first use."""
    found = connection.execute(
        "SELECT timeline, pg_backend_pid() AS session, CASE WHEN pg_is_in_recovery() THEN NULL"
        " ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS current FROM installation"
    )
    row = found.fetchone()
    if row is not None:
        connection.record_session(row["session"])
    if row is not None and row["current"] is not None:
        connection.record_timeline(row["current"])
        if row["timeline"] != row["current"]:
            postgres_timelines.follow(connection, dialect, row["current"])
