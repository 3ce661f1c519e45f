"""Checks that each connection has a PostgreSQL session of its own.

A pooler that shares sessions would apply LISTEN, time limits and prepared statements to another
client.
"""

from typing import Any

from tertulia.errors import StartupError


class SessionsShared(StartupError):
    """A pooler between us and the database shares sessions."""

    def __init__(self) -> None:
        super().__init__(
            "The database is reached through a pooler that shares sessions, such as pgbouncer with"
            " pool_mode=transaction. Please use session mode, or connect to PostgreSQL itself."
        )


class WrongEncoding(StartupError):
    """The encoding of the database is not UTF-8."""

    def __init__(self, encoding: str) -> None:
        super().__init__(
            f"The database is in {encoding}, which cannot hold every letter. Please make one in"
            " UTF-8: createdb --encoding UTF8 --template template0 NAME"
        )


def check(one: Any, another: Any) -> None:
    """Raises SessionsShared if two connections do not have a backend each.

    A client with its own session stays in one backend, also while another client is inside a
    transaction, and no other client ever uses that backend. A pooler that resets sessions
    (`server_reset_query_always`) hides settings, but not the process id.
    """
    own = _backend_pid(one)
    another.execute("BEGIN")
    if own in (_backend_pid(another), None) or _backend_pid(one) != own:
        raise SessionsShared()


def _backend_pid(connection: Any) -> int | None:
    found = connection.execute("SELECT pg_backend_pid() AS pid").fetchone()
    return None if found is None else found["pid"]
