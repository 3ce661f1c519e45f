"""Errors of PostgreSQL that are outages and not errors of one statement."""

import psycopg

# Codes of errors that the machine or another process causes. All others are errors of one
# statement: no request may look like an outage of the database.
_OUTAGES = frozenset(
    {
        "25006",  # read-only: this is a standby now, and another server is the primary
        "25P03",  # the transaction was idle for too long
        "40003",  # PostgreSQL does not know whether the statement was completed
        "40P01",  # deadlock
        "53000", "53100", "53200", "53300",  # no resources, disk space, memory or connections
        "55000",  # a standby that was not promoted yet
        "55P03",  # lock timeout
        "57014",  # statement timeout
        "57P01", "57P02", "57P03", "57P05",  # shutdown, crash, start-up, idle session timeout
        "58030",  # disk error
    }
)  # fmt: skip


def is_outage(error: BaseException) -> bool:
    if isinstance(error, psycopg.InterfaceError):
        return True  # the connection is closed on our side
    if not isinstance(error, psycopg.Error):
        return False
    code = error.sqlstate
    if code is None:  # the connection was lost or never made
        return isinstance(error, psycopg.OperationalError)
    return code in _OUTAGES or code.startswith("08")
