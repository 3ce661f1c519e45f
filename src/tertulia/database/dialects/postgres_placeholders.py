"""Translates our SQL to PostgreSQL's placeholders."""

import re

from tertulia.memo import memoized

_NAME = re.compile(r"(?<![:\w]):([a-z_][a-z_0-9]*)")
_IN_LIST = re.compile(r"\bIN :([a-z_]+)")
_NOT_IN_LIST = re.compile(r"\bNOT IN :([a-z_]+)")
_PLUS = re.compile(r"(?<=[ (])\+(?=[a-z]+\.)")


@memoized("postgres_sql_named", 2048)
def named(sql: str) -> str:
    """SQL with named parameters for psycopg."""
    return _NAME.sub(r"%(\1)s", _translated(sql.replace("%", "%%")))


@memoized("postgres_sql_numbered", 2048)
def numbered(sql: str) -> tuple[str, tuple[str, ...]]:
    """SQL with numbered parameters for libpq, and the names of the parameters in order."""
    names: list[str] = []

    def number(found: re.Match[str]) -> str:
        name = found[1]
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _NAME.sub(number, _translated(sql)), tuple(names)


def _translated(sql: str) -> str:
    # The plus hides a column from SQLite's planner; PostgreSQL has statistics.
    sql = _PLUS.sub("", sql)
    sql = _NOT_IN_LIST.sub(r"<> ALL(:\1)", sql)
    return _IN_LIST.sub(r"= ANY(:\1)", sql)
