"""Errors of PostgreSQL that are an outage, and no fault of one statement."""

import psycopg

# What the machine or another process does to us, by PostgreSQL's codes. Everything else is the
# fault of one statement: what a person sends must never look like a database that is gone.
_OUTAGES = frozenset(
    {
        "25006",  # it only reads: it is a mere copy now, and another one leads
        "25P03",  # we were silent for too long within a transaction
        "40003",  # it does not know itself whether a statement was completed
        "40P01",  # two waited for each other
        "53000", "53100", "53200", "53300",  # no room, disk, memory or connections
        "55000",  # it is a copy that has not taken over yet
        "55P03",  # a lock was not to be had in time
        "57014",  # a statement took too long
        "57P01", "57P02", "57P03", "57P05",  # it stops, has crashed, starts, or hangs up
        "58030",  # the disk fails
    }
)  # fmt: skip


def is_outage(error: BaseException) -> bool:
    if isinstance(error, psycopg.InterfaceError):
        return True  # our end of the connection is closed
    if not isinstance(error, psycopg.Error):
        return False
    code = error.sqlstate
    if code is None:  # the connection was lost, or never made
        return isinstance(error, psycopg.OperationalError)
    return code in _OUTAGES or code.startswith("08")
