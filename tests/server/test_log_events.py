"""Log events: every call of `log` has a name that the table, and so `docs/logs.md`, describes."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tertulia.server.log_events import AREAS, log_events

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tertulia"
LEVELS = ("debug", "info", "warning", "error", "critical")
FILE_NAMES = (".py", ".js", ".md", ".db", ".toml", ".json", ".css")
EXCEPTION_FIELDS = {"error", "trace"}  # what `exc_info` becomes

TABLE = log_events()


def test_the_table_describes_exactly_the_events_that_the_source_logs():
    logged: dict[str, set[str]] = defaultdict(set)  # fields by event; `**` if there are others
    faults = []

    for path in sorted(SOURCE.rglob("*.py")):
        for line, fault, *found in log_calls(path.read_text()):
            if fault:
                faults.append(f"{path.relative_to(SOURCE)}, line {line}: {fault}")
            for name, fields in found:
                logged[name] |= fields

    assert not faults, "\n" + "\n".join(faults)
    assert logged.keys() == TABLE.keys()
    for name, fields in logged.items():
        listed = set(TABLE[name].fields.split())
        assert fields - {"**"} <= listed if "**" in fields else fields == listed, name


def test_events_are_listed_in_a_known_area_with_sentences():
    assert {name.partition(".")[0] for name in TABLE} == AREAS.keys()
    events = TABLE.values()
    assert all(each.meaning.endswith(".") and each.response.endswith(".") for each in events)


def test_the_docs_name_only_events_that_exist():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    quoted = {
        each for page in pages for each in re.findall(r"`([a-z]+\.[a-z_]+)`", page.read_text())
    }
    in_an_area = {name for name in quoted if name.partition(".")[0] in AREAS}

    assert {name for name in in_an_area if not name.endswith(FILE_NAMES)} <= TABLE.keys()


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ('log.info("server.certificate_reloaded")', ""),
        ('log.log(level, "server.library_message", text="")', ""),
        ('log.info("certificate reloaded")', "no dotted name"),
        ('log.info(f"server.{name}")', "no dotted name"),
        ('log.info("server.started")', "server.started is not in the table"),
        ('log.error("server.certificate_reloaded")', "server.certificate_reloaded is info"),
        ("write = log.info", "log.info is not called here"),
        ("import logging", "only log.py and logging_config.py import logging"),
        ("from structlog import get_logger", "only log.py and logging_config.py import structlog"),
    ],
)
def test_a_call_that_breaks_a_rule_is_found(source, fault):
    assert [found for _, found, *_ in log_calls(source)] == [fault]


Found = tuple[int, str, tuple[str, set[str]]] | tuple[int, str]


def log_calls(source: str) -> Iterator[Found]:
    """The line, the fault if there is one, and the event with its fields, of each use of `log`."""
    tree = ast.parse(source)
    called = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    is_logging_itself = "structlog.configure(" in source
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and not is_logging_itself:
            names = [each.name for each in node.names]
            for module in [getattr(node, "module", None) or "", *names]:
                if module.split(".")[0] in ("logging", "structlog"):
                    yield node.lineno, f"only log.py and logging_config.py import {module}"
        if not (isinstance(node, ast.Attribute) and _is_log(node.value)):
            continue
        if node.attr not in (*LEVELS, "exception", "log"):
            continue
        if id(node) not in called:
            if not (node.attr == "log" and _is_log(node)):
                yield node.lineno, f"log.{node.attr} is not called here"
            continue
        yield _read_call(called[id(node)], node.attr)


def _is_log(node: ast.expr) -> bool:
    """Whether this is `log`, or `log.log` where the module is imported."""
    if isinstance(node, ast.Attribute):
        return node.attr == "log" and isinstance(node.value, ast.Name) and node.value.id == "log"
    return isinstance(node, ast.Name) and node.id == "log"


def _read_call(call: ast.Call, method: str) -> Found:
    args = call.args[1:] if method == "log" else call.args
    name = args[0].value if args and isinstance(args[0], ast.Constant) else None
    if not isinstance(name, str) or name.count(".") != 1 or " " in name:
        return call.lineno, "no dotted name"
    if name not in TABLE:
        return call.lineno, f"{name} is not in the table"
    level = "error" if method == "exception" else method
    if level in LEVELS and TABLE[name].level != level:
        return call.lineno, f"{name} is {TABLE[name].level}"
    fields = {each.arg or "**" for each in call.keywords} - {"exc_info"}
    if method == "exception" or any(each.arg == "exc_info" for each in call.keywords):
        fields |= EXCEPTION_FIELDS
    return call.lineno, "", (name, fields)
