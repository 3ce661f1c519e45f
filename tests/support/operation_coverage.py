"""Which operations of the API had a good call and a refusal on PostgreSQL, and which event types
were received there.

A complete run fails if an operation is missing (`tests/conftest.py`), so a new one cannot be tested
on SQLite alone. It names missing event types.
"""

import msgspec
import pytest
from tests.contract.shapes import EVENT, event_name
from tests.support.conformance import example, the_contract
from tests.support.databases import unreachable

from tertulia.api.routes import ROUTES

GOOD, REFUSED = "a good call", "a refusal"

_met: set[str] = set()


def note(url: str, method: str, path: str, status: int, body: bytes) -> None:
    """Record an answer of a server with this database."""
    if not url.startswith("postgres"):
        return
    contract = the_contract()
    name = contract.endpoint(method, path.partition("?")[0])
    if name is None:
        return
    _met.add(_entry(name, GOOD if status in (200, 302) else REFUSED))
    if name == "GET /events" and status == 200:
        received = msgspec.json.decode(body)["events"]
        _met.update(_entry(event_name(contract.table, each)) for each in received)


def met() -> set[str]:
    return _met


def missing(seen: set[str]) -> list[str]:
    """The operations without a good call or a refusal on PostgreSQL."""
    contract = the_contract()
    names = {contract.endpoint(route.method, example(route.path)) or "" for route in ROUTES}
    wanted = {_entry(name, what) for name in names for what in (GOOD, REFUSED)}
    return sorted(wanted - seen)


def missing_events(seen: set[str]) -> list[str]:
    """The event types that were received on SQLite alone; `seen` has what any database met, too."""
    return sorted({_entry(name) for name in seen if name.startswith(EVENT)} - seen)


def is_complete(config: pytest.Config) -> bool:
    """Whether this run had all tests on PostgreSQL."""
    option = config.getoption
    return (
        option("both")
        and config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and not option("keyword")
        and option("markexpr") == "not soak"
        and not any(map(option, ("lf", "maxfail", "collectonly")))
        and not unreachable()
    )


def _entry(name: str, what: str = "") -> str:
    return f"PostgreSQL: {name}{f' with {what}' if what else ''}"
