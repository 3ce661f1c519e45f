"""When the database will not do, in words for the person at the keyboard."""

import re
import sqlite3
import sys


def in_words(error: BaseException) -> str | None:
    """One sentence about what is wrong; None if the database is not to blame.

    What stands in quotes is left out: in an address that cannot be read, it may be a password.
    """
    if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
        return f"The database cannot be used: {error}."
    psycopg = sys.modules.get("psycopg")  # who has not loaded it can have no error of its making
    if psycopg is None or isinstance(error, psycopg.IntegrityError | psycopg.DataError):
        return None
    if isinstance(error, psycopg.Error):
        reason = re.sub(r'"[^"]*"', "…", str(error).partition("\n")[0]).rstrip(".")
        return f"The database cannot be used: {reason or type(error).__name__}."
    return None
