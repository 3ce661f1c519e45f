"""The stage: one server for each database and test run, one organization for each test."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

pytest.register_assert_rewrite("tests.support")

from tests.support import conformance  # noqa: E402
from tests.support.databases import Databases, Kind, unreachable  # noqa: E402
from tests.support.people import Chat  # noqa: E402
from tests.support.post import PostOffice  # noqa: E402
from tests.support.server import Server  # noqa: E402
from tests.support.slapd import DIRECTORY, SLAPD, Slapd, slapd_running  # noqa: E402
from tests.support.watch import WATCH  # noqa: E402

from tertulia import logs  # noqa: E402
from tertulia.config import LdapDirectory  # noqa: E402

TESTS = Path(__file__).parent
TURNS: list[Kind] = ["sqlite", "postgres", "sqlite", "sqlite", "sqlite"]  # it takes its time
API_SCENES = ("api", "abuse", "web", "jobs")
MOST_SCENES = 100  # on one server
KINDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--both", action="store_true", help="play everything on both databases")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Not everything is played on both databases, for time's sake; `--both` does that.

    The rows of a table take turns. The scenes of the API, of which there are very many, are played
    on SQLite, and every twelfth one on PostgreSQL too; what is long and about HTTP alone is marked
    `on_one`. All other scenes are played on both. Where there is no PostgreSQL, every row has its
    turn on SQLite.
    """
    if config.getoption("both") or unreachable():
        return
    rows: dict[str, list[str]] = {}
    scenes = [item for item in items if _is_scene_of_the_api(item)]
    waiting = set(scenes).difference(scenes[::12])
    for item in items:
        if item.get_closest_marker("on_one") and item.get_closest_marker("postgres"):
            waiting.add(item)
        found = _row_of_a_table(item)
        if found is not None:
            table, row, kind = found
            seen = rows.setdefault(table, [])
            if row not in seen:
                seen.append(row)
            if kind != TURNS[seen.index(row) % len(TURNS)]:
                waiting.add(item)
    items[:] = [item for item in items if item not in waiting]
    config.hook.pytest_deselected(items=list(waiting))


def pytest_configure() -> None:
    """Lines of the log as a server writes them: to dress them up takes longer than a request."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            logs.tell_error,
            structlog.processors.JSONRenderer(),
        ]
    )


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was collected stays to the end: no collector of garbage has to look at it again."""
    gc.collect()
    gc.freeze()


MET: set[str] = set()  # of the contract, by those who played a part of the tests


def pytest_sessionfinish(session: pytest.Session) -> None:
    MET.update(conformance.the_contract().met)
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["met"] = sorted(MET)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    MET.update(getattr(node, "workeroutput", {}).get("met", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if MET:
        terminalreporter.write_line(conformance.summary(MET))


def _is_scene_of_the_api(item: pytest.Item) -> bool:
    """On PostgreSQL, that is."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return item.path.relative_to(TESTS).parts[0] in API_SCENES and params == {"kind": "postgres"}


def _row_of_a_table(item: pytest.Item) -> tuple[str, str, Kind] | None:
    """Which table, which of its rows, and on which database; None for a scene."""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    chooses_itself = any("kind" in mark.args[0] for mark in item.iter_markers("parametrize"))
    if "kind" not in params or len(params) == 1 or chooses_itself:
        return None
    kind: Kind = params["kind"]
    table, _, row = item.nodeid.partition("[")
    return table, row.replace(kind, "", 1), kind


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """Empty databases; all are dropped at the end."""
    made = Databases()
    yield made
    made.drop_all()


@pytest.fixture(scope="session")
def servers(databases: Databases) -> Iterator[Callable[[Kind], Server]]:
    """The server that tests of one database share, started when the first one asks.

    After many organizations a fresh one takes over: nobody wants to drag all of them along.
    """
    running: dict[Kind, Server] = {}

    def server_on(kind: Kind) -> Server:
        known = running.get(kind)
        if known is not None and len(known.application.delivery.organizations) > MOST_SCENES:
            known.stop()
            databases.give_back(known.url)
            del running[kind]
        if kind not in running:
            running[kind] = Server(*databases.ready(kind)).start()
            Chat.found(running[kind])  # with one organization any host would reach it
        return running[kind]

    yield server_on
    for server in running.values():
        server.stop()


@pytest.fixture(autouse=True)
def nobody_is_held_up() -> Iterator[None]:
    """Whatever a test does, the loop and the writer of its servers are soon there for others."""
    WATCH.begin()
    yield
    problems = WATCH.problems()
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="session")
def running_slapd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slapd]:
    if SLAPD is None:
        pytest.skip("slapd is not installed")
    with slapd_running(tmp_path_factory.mktemp("slapd")) as found:
        yield found


@pytest.fixture
def slapd(running_slapd: Slapd) -> Slapd:
    """An LDAP directory with nobody in it."""
    running_slapd.clear()
    return running_slapd


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Every scene is played on both databases."""
    found: Kind = request.param
    return found


@pytest.fixture
def chat(kind: Kind, servers: Callable[[Kind], Server]) -> Chat:
    """An organization of one's own on a running server, where it is the time it is."""
    server = servers(kind)
    server.clock.ahead = 0.0
    return Chat.found(server)


@pytest.fixture(scope="session")
def post() -> Iterator[PostOffice]:
    """A mail server that all tests share; addresses tell their letters apart."""
    office = PostOffice().open()
    yield office
    office.close()


@pytest.fixture(scope="session")
def mailing_servers(databases: Databases, post: PostOffice) -> Iterator[Callable[[Kind], Server]]:
    running: dict[Kind, Server] = {}

    def server_on(kind: Kind) -> Server:
        if kind not in running:
            running[kind] = Server(*databases.new(kind), post.settings).start()
            Chat.found(running[kind])
        return running[kind]

    yield server_on
    for server in running.values():
        server.stop()


@pytest.fixture
def mailing(kind: Kind, mailing_servers: Callable[[Kind], Server], post: PostOffice) -> Chat:
    """An organization on a server that sends mail."""
    server = mailing_servers(kind)
    server.clock.ahead = 0.0
    post.received.clear()
    return Chat.found(server)


@pytest.fixture(scope="session")
def servers_with_ldap(
    databases: Databases, running_slapd: Slapd
) -> Iterator[Callable[[Kind], Server]]:
    """The server that all scenes with a directory share."""
    running: dict[Kind, Server] = {}

    def server_on(kind: Kind) -> Server:
        if kind not in running:
            settings = {"ldap": (LdapDirectory(**running_slapd.settings(**DIRECTORY)),)}
            running[kind] = Server(*databases.new(kind), settings).start()
            Chat.found(running[kind])
        return running[kind]

    yield server_on
    for server in running.values():
        server.stop()


@pytest.fixture
def ldap_chat(kind: Kind, servers_with_ldap: Callable[[Kind], Server], slapd: Slapd) -> Chat:
    """An organization whose people are in a directory."""
    server = servers_with_ldap(kind)
    server.clock.ahead = 0.0
    return Chat.found(server)


@pytest.fixture
def start_server(kind: Kind, databases: Databases) -> Iterator[Callable[..., Server]]:
    """Start a server on data of its own: `start_server(rate_limit=Rate(5))`."""
    started: list[Server] = []

    def start(**settings: Any) -> Server:
        started.append(Server(*databases.ready(kind), settings).start())
        return started[-1]

    yield start
    for server in started:
        server.stop()
        databases.give_back(server.url)


@pytest.fixture
def own_chat(start_server: Callable[..., Server]) -> Chat:
    """The only organization of a server that no other test uses: to stop and start it."""
    return Chat.found(start_server(), "")
