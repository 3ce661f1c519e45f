"""Integrity check of a SQLite file, table by table: one damaged table does not hide others."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tertulia.log import log

MAX_QUICK_CHECK_BYTES = 1 << 30  # reading more would keep the disk busy for long after a start
WHAT_TO_DO = (
    "Stop the server, keep a copy of the file, and restore the last backup; or save what can be"
    " read: sqlite3 tertulia.db .recover | sqlite3 recovered.db"
)

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def problems(connection: Any) -> list[str]:
    """Damaged tables with what to do about them, then rows with missing references."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    names = [row[0] for row in tables.fetchall()]
    damaged = [f"the table {name}: {why}" for name in names if (why := _damage(connection, name))]
    elsewhere = _first_line(connection, "PRAGMA integrity_check")
    if elsewhere != "ok" and not damaged:
        damaged = [elsewhere]
    if damaged:
        return [*damaged, WHAT_TO_DO]
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    return [f"a row of {row[0]} refers to nothing" for row in dangling]


def damage(error: BaseException) -> str | None:
    """The name of an error that means that the file is damaged; None for other errors."""
    code = getattr(error, "sqlite_errorcode", None)
    return _name(error) if code is not None and code & 0xFF in _DAMAGED else None


def quick_check(file: Path, on_damage: Callable[[str], None]) -> None:
    """Read the file once, and report and log whether it is damaged.

    Runs on a thread while the server already answers.
    """
    size = file.stat().st_size
    if size > MAX_QUICK_CHECK_BYTES:
        log.info("database.quick_check_skipped", size_bytes=size)
        return
    began = time.monotonic()
    try:
        connection = sqlite3.connect(file)
        try:
            found = _first_line(connection, "PRAGMA quick_check(1)")
        finally:
            connection.close()
    except sqlite3.Error as error:
        found = _name(error)
    if found == "ok":
        took = round(time.monotonic() - began, 3)
        log.info("database.quick_check_passed", size_bytes=size, duration_s=took)
    else:
        log.error("database.quick_check_failed", size_bytes=size, reason=found)
        on_damage(found)


def _damage(connection: Any, table: str) -> str:
    """The damage of a table; empty if there is none."""
    found = _first_line(connection, f"PRAGMA integrity_check('{table}')")
    return "" if found == "ok" else found


def _first_line(connection: Any, pragma: str) -> str:
    """The first line of SQLite's answer."""
    try:
        lines = str(connection.execute(pragma).fetchone()[0]).splitlines()
    except sqlite3.DatabaseError as error:
        return _name(error)
    return next((line for line in lines if not line.startswith("***")), "damaged")


def _name(error: BaseException) -> str:
    return str(getattr(error, "sqlite_errorname", None) or type(error).__name__)
