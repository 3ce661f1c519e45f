"""What SQLite's errors mean: an outage, a full disk, damaged data, a commit of unknown outcome."""

import sqlite3

from tertulia.database.dialect import Conflict
from tertulia.database.dialects.sqlite_check import damage

__all__ = [
    "damage",
    "disk_failure",
    "is_lock_timeout",
    "is_outage",
    "may_have_committed",
    "migration_conflict",
]

# Errors that the operating system or another process causes, not our SQL.
_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
    }
)

_DISK_FAILURES = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
    }
)


def is_outage(error: BaseException) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.Error) and code is not None and code & 0xFF in _OUTAGES


def is_lock_timeout(error: BaseException) -> bool:
    """Never: organizations have no locks of their own."""
    return False


def may_have_committed(error: BaseException) -> bool:
    """Whether a COMMIT may have been done although it raised this error.

    A commit writes its frames to the log in order, and the last one makes it valid. A failed
    write is therefore no commit. If the frames were written and could not be synced, the next
    process that opens the file may find a valid commit.
    """
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return True
    return code & 0xFF == sqlite3.SQLITE_IOERR and code != sqlite3.SQLITE_IOERR_WRITE


def disk_failure(error: BaseException) -> str | None:
    """The name of a disk error; None for other errors."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None or code & 0xFF not in _DISK_FAILURES:
        return None
    name = str(getattr(error, "sqlite_errorname", code))
    is_full = code & 0xFF == sqlite3.SQLITE_FULL
    return f"{name} (ENOSPC): the disk is full" if is_full else name


def migration_conflict(error: BaseException) -> Conflict | None:
    """Never, for the same reason."""
    return None
