"""Which tests run on which database. This module alone decides it.

A test that uses the fixture `kind`, itself or through `chat` and the like, exists twice: once
marked `sqlite`, once marked `postgres`.

    make test                   SQLite; PostgreSQL too for the paths in ON_BOTH and marked tests
    make test ARGS=--sqlite     SQLite only: the quick run while you work
    make test ARGS=--both       both databases, everything, as .ci/run does

Two marks change the plan of a single test in `make test`: `on_both` adds PostgreSQL, `on_one` (the
test is about no database) removes it. Tests that exist for PostgreSQL alone always run.
"""

import os
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

# Below tests/: everything that runs SQL. Pages, the command line and mail use the same actions.
ON_BOTH = (
    "abuse/",
    "actions/",
    "api/",  # a good call and every refusal of every operation; see `operation_coverage.py`
    "crash/",
    "database/",
    "events/",
    "jobs/",
    "laws/",
    "storage/",
    "transfer/",
)

NEEDS_POSTGRES = {"pair", "two_servers"}  # fixtures that start servers on PostgreSQL by themselves


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("databases")
    group.addoption("--sqlite", action="store_true", help="run tests on SQLite only")
    group.addoption("--both", action="store_true", help="run every test on both databases")


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Drop the tests that the plan leaves out."""
    if config.getoption("sqlite"):
        os.environ["TERTULIA_TEST_POSTGRES"] = ""
    missing = [path for path in ON_BOTH if not (TESTS / path).exists()]
    if missing:
        raise pytest.UsageError(f"ON_BOTH names paths that do not exist: {missing}")
    names = {item.nodeid for item in items}
    left_out = [item for item in items if not _is_planned(item, config, names)]
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=left_out)


def _is_planned(item: pytest.Item, config: pytest.Config, names: set[str]) -> bool:
    if NEEDS_POSTGRES.intersection(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.postgres)
    if config.getoption("both") or not item.get_closest_marker("postgres"):
        return True
    if config.getoption("sqlite"):
        return False
    if item.nodeid.replace("postgres", "sqlite") not in names:
        return True
    if item.get_closest_marker("on_one"):
        return False
    path = item.nodeid.removeprefix("tests/")
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
