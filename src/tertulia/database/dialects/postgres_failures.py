"""What PostgreSQL's errors mean: an outage, a lock, a full disk, damaged data, a commit of unknown
outcome."""

import psycopg

from tertulia.database.dialect import Conflict

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

# Codes that PostgreSQL may send after the commit has become durable: it shuts down while it waits
# for a standby, crashes, fails to write to the disk, or reports that it does not know.
_AFTER_COMMIT = frozenset({"40003", "57P01", "57P02", "58030"})

_DISK_FAILURES = {
    "25006": "25006: the database is read-only",
    "53100": "53100 (ENOSPC): the disk of the database is full",
    "58030": "58030: the disk of the database fails",
}


def is_outage(error: BaseException) -> bool:
    if isinstance(error, psycopg.InterfaceError):
        return True  # the connection is closed on our side
    if not isinstance(error, psycopg.Error):
        return False
    code = error.sqlstate
    if code is None:  # the connection was lost or never made
        return isinstance(error, psycopg.OperationalError)
    return code in _OUTAGES or code.startswith("08")


def is_lock_timeout(error: BaseException) -> bool:
    return isinstance(error, psycopg.errors.LockNotAvailable)


def migration_conflict(error: BaseException) -> Conflict | None:
    if isinstance(error, psycopg.errors.DeadlockDetected):
        return "deadlock"
    return "lock" if is_lock_timeout(error) else None


def disk_failure(error: BaseException) -> str | None:
    """The name of a disk error; None for other errors."""
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return None if code is None else _DISK_FAILURES.get(code)


def damage(error: BaseException) -> str | None:
    """The name of an error that means that data or an index is damaged; None for other errors."""
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return code if code in ("XX001", "XX002") else None


def may_have_committed(error: BaseException) -> bool:
    """Whether a COMMIT, or a statement that is its own transaction, may have been committed
    although it raised this error. With any other code, the transaction was rolled back."""
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return code is None or code in _AFTER_COMMIT or code.startswith("08")
