"""What PostgreSQL's errors mean for a write: the cause, and whether it may have been committed."""

import psycopg

# Codes that PostgreSQL may send after the commit has become durable: it shuts down while it waits
# for a standby, crashes, fails to write to the disk, or reports that it does not know.
_AFTER_COMMIT = frozenset({"40003", "57P01", "57P02", "58030"})

_DISK_FAILURES = {
    "25006": "25006: the database is read-only",
    "53100": "53100 (ENOSPC): the disk of the database is full",
    "58030": "58030: the disk of the database fails",
}


def disk_failure(error: BaseException) -> str | None:
    """The name of a disk error; None for other errors."""
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return None if code is None else _DISK_FAILURES.get(code)


def may_have_committed(error: BaseException) -> bool:
    """Whether a COMMIT, or a statement that is its own transaction, may have been committed
    although it raised this error. With any other code, the transaction was rolled back."""
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return code is None or code in _AFTER_COMMIT or code.startswith("08")
