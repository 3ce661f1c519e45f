"""Which tests run, and on which database. This module alone decides it.

A test that uses the fixture `kind`, itself or through `chat` and the like, exists twice: once
marked `sqlite`, once marked `postgres`.

    make test                   SQLite; PostgreSQL too for the paths in ON_BOTH and marked tests
    make test ARGS=--sqlite     the quick run while you work: SQLite, no browser, not SLOW
    make test ARGS=--both       both databases, everything, as .ci/run does

Three marks change the plan of a single test in `make test`: `on_both` adds PostgreSQL, `on_one`
(the test is about no database) removes it, `thorough` leaves the test to `--both`. Tests that exist
for PostgreSQL alone always run.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]

# Below tests/: where the two databases differ most. `--both` runs everything else there, too.
ON_BOTH = (
    "api/test_openapi.py",  # a good call of every operation
    "crash/",
    "database/",
    "events/",
    "laws/",
    "storage/test_conversations.py",
    "storage/test_integrity.py",
    "storage/test_search.py",
    "transfer/test_round_trip.py",
)

# Fixtures and paths of the tests that `--sqlite` leaves out besides: they take most of the time.
BROWSERS = {"chromium", "window"}
SLOW = ("crash/", "laws/", "storage/test_search_batches.py")

NEEDS_POSTGRES = {"pair", "two_servers"}  # fixtures that start servers on PostgreSQL by themselves


def thorough_except(quick: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """Parameters of a test: `make test` runs the quick ones, `--both` all."""
    chosen = list(quick)
    return [
        pytest.param(each, marks=() if each in chosen else pytest.mark.thorough) for each in values
    ]


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("databases")
    group.addoption("--sqlite", action="store_true", help="the quick run: SQLite, no browser")
    group.addoption("--both", action="store_true", help="run every test on both databases")


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests that the plan leaves out."""
    if config.getoption("sqlite"):
        os.environ["TERTULIA_TEST_POSTGRES"] = ""
    missing = [path for path in (*ON_BOTH, *SLOW) if not (TESTS / path).exists()]
    if missing:
        raise pytest.UsageError(f"the plan names paths that do not exist: {missing}")
    names = {item.nodeid for item in items}
    left_out = [item for item in items if not _is_planned(item, config, names)]
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=left_out)


def _is_planned(item: pytest.Item, config: pytest.Config, names: set[str]) -> bool:
    path, fixtures = item.nodeid.removeprefix("tests/"), getattr(item, "fixturenames", ())
    if NEEDS_POSTGRES.intersection(fixtures):
        item.add_marker(pytest.mark.postgres)
    if config.getoption("both"):
        return True
    if item.get_closest_marker("thorough"):
        return False
    if config.getoption("sqlite"):
        is_slow = path.startswith(SLOW) or BROWSERS.intersection(fixtures)
        return not (is_slow or item.get_closest_marker("postgres"))
    if not item.get_closest_marker("postgres"):
        return True
    if item.nodeid.replace("postgres", "sqlite") not in names:
        return True
    if item.get_closest_marker("on_one"):
        return False
    return bool(item.get_closest_marker("on_both")) or path.startswith(ON_BOTH)


def summary(reporter: pytest.TerminalReporter) -> str:
    """How many tests ran on each database."""
    ran = [each for outcome in ("passed", "failed") for each in reporter.stats.get(outcome, [])]
    counts = {kind: sum(kind in each.keywords for each in ran) for kind in ("sqlite", "postgres")}
    without = len(ran) - sum(counts.values())
    return (
        f"Databases: {counts['sqlite']} tests on SQLite, {counts['postgres']} on PostgreSQL,"
        f" {without} without one"
    )
