"""What PostgreSQL's errors mean for a write: whose fault it is, and what may have been done."""

import psycopg

# Codes that PostgreSQL may send after the commit has become durable: it is told to stop while it
# waits for a standby, crashes, fails to write to the disk, or says itself that it does not know.
_AFTER_COMMIT = frozenset({"40003", "57P01", "57P02", "58030"})


def may_have_committed(error: BaseException) -> bool:
    """Whether a COMMIT, or a statement that is its own transaction, may have been done although it
    raised this. Any other code is an answer: the transaction was rolled back."""
    code = error.sqlstate if isinstance(error, psycopg.Error) else None
    return code is None or code in _AFTER_COMMIT or code.startswith("08")
