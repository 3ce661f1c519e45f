"""Error messages of the database for the command line."""

import re
import sqlite3
import sys

from tertulia.database.dialects import sqlite_check

# The name of a missing role or database is not secret, and it is the cause.
QUOTED = re.compile(r'(?<!role )(?<!database )"[^"]*"|"[^"]*[^"\w.-][^"]*"')


def describe(error: BaseException) -> str | None:
    """One sentence; None if the database is not the cause.

    Quoted parts are removed: those of a URL that cannot be parsed may contain a password.
    """
    if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
        advice = "" if sqlite_check.damage(error) is None else f" {sqlite_check.WHAT_TO_DO}"
        return f"The database cannot be used: {error}.{advice}"
    psycopg = sys.modules.get("psycopg")  # if it is not imported, the error is not one of its own
    if psycopg is None or isinstance(error, psycopg.IntegrityError | psycopg.DataError):
        return None
    if isinstance(error, psycopg.Error):
        reason = QUOTED.sub("…", str(error).partition("\n")[0]).rstrip(".")
        return f"The database cannot be used: {reason or type(error).__name__}."
    return None
