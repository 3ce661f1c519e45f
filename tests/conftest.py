"""Shared fixtures: one server per database and test run, one organization per test."""

import asyncio
import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import hypothesis
import pytest
import structlog
from _pytest.assertion.rewrite import AssertionRewritingHook
from hypothesis import HealthCheck
from playwright.sync_api import Browser

pytest.register_assert_rewrite("tests.support")
# Pytest would rewrite the whole package, because it has a plugin, also on other threads.
for finder in sys.meta_path:
    if isinstance(finder, AssertionRewritingHook):
        finder._must_rewrite.discard("tertulia")

from tests.support import (  # noqa: E402
    cheap_hashing,
    conformance,
    database_plan,
    operation_coverage,
    phone_app,
    precompile,
)
from tests.support.browser_user import running_chromium  # noqa: E402
from tests.support.databases import Databases, Kind  # noqa: E402
from tests.support.fake_smtp import FakeSmtp  # noqa: E402
from tests.support.latency_guard import GUARD  # noqa: E402
from tests.support.people import Chat, Person  # noqa: E402
from tests.support.server import Server  # noqa: E402
from tests.support.shared_servers import SharedServers  # noqa: E402
from tests.support.slapd import DIRECTORY, SLAPD, Slapd, slapd_running  # noqa: E402

from tertulia import actions  # noqa: E402
from tertulia.config.login_providers import LdapDirectory  # noqa: E402
from tertulia.database import BlockingDatabase  # noqa: E402
from tertulia.database.dialects.postgres import Postgres  # noqa: E402
from tertulia.domain.organization.realm import Realm  # noqa: E402
from tertulia.server import logging_config  # noqa: E402

gc.disable()  # until all tests are collected

T = TypeVar("T")

# Started first, the longest before all others, so that none of them runs alone at the end.
LONG_ONES = (
    "simulation/",
    "test_readme",
    "test_package",
    "web/test_accessibility",
    "web/test_scrolling",
    "laws/",
    "crash/",
    "web/",
)
KINDS = [
    pytest.param("sqlite", marks=pytest.mark.sqlite),
    pytest.param("postgres", marks=pytest.mark.postgres),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    database_plan.add_options(parser)
    parser.addoption("--random", action="store_true", help="generate other examples in each run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=_place_in_line)
    database_plan.select(config, items)


def pytest_configure(config: pytest.Config) -> None:
    """Configure hypothesis and the log.

    Generated examples are the same in every run, unless `--random` is given. The log is written as
    plain JSON: the console's format takes longer than a request.
    """
    patient = [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ]
    hypothesis.settings.register_profile(
        "patient",
        deadline=None,
        derandomize=not config.getoption("random"),
        max_examples=100 if config.getoption("both") else 40,
        database=None,
        suppress_health_check=patient,
    )
    hypothesis.settings.load_profile("patient")
    cheap_hashing.use()
    # On a busy machine a thread inside a transaction can wait longer than 1.5 s for a core.
    # tests/crash/test_paused_server.py tests the real limit, with real servers.
    Postgres.write_limits = {"idle_in_transaction_session_timeout": "20s"}
    # No test cuts the power, so none has to wait for a disk. Servers of tests/crash do in `--both`.
    Postgres.durability = {"synchronous_commit": "off"}
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            logging_config.format_error,
            structlog.processors.JSONRenderer(),
        ]
    )


def pytest_sessionstart(session: pytest.Session) -> None:
    precompile.precompile_share(session.config)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Collected tests stay until the end: the garbage collector need not look at them.

    It runs less often than usual, which saves a twentieth of the time of tests without a server.
    """
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


MET: set[str] = set()  # parts of the contract that the workers have seen


def pytest_sessionfinish(session: pytest.Session) -> None:
    MET.update(conformance.the_contract().met | phone_app.met() | operation_coverage.met())
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["met"] = sorted(MET)
    elif operation_coverage.is_complete(session.config) and operation_coverage.missing(MET):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    MET.update(getattr(node, "workeroutput", {}).get("met", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if MET:
        terminalreporter.write_line(conformance.summary(MET))
        terminalreporter.write_line(phone_app.summary(MET))
        if operation_coverage.is_complete(terminalreporter.config):
            for each in operation_coverage.missing(MET):
                terminalreporter.write_line(f"FAILED not tested on {each}")
            for each in operation_coverage.missing_events(MET):
                terminalreporter.write_line(f"Not received on {each}")
    terminalreporter.write_line(database_plan.summary(terminalreporter))


def _place_in_line(item: pytest.Item) -> int:
    begun_first = (f"tests/{name}" for name in LONG_ONES)
    found = (n for n, begins in enumerate(begun_first) if item.nodeid.startswith(begins))
    return next(found, len(LONG_ONES))


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether this run checks everything, as `--both` does, or the quick list of each test."""
    return bool(request.config.getoption("both"))


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """Empty databases; all are dropped at the end."""
    made = Databases()
    yield made
    made.drop_all()


@pytest.fixture(scope="session")
def servers(databases: Databases) -> Iterator[SharedServers]:
    with SharedServers(databases) as servers:
        yield servers


@pytest.fixture(autouse=True)
def latency_guard() -> Iterator[None]:
    """The latency guard: no test blocks the event loop or the writer of its servers for long."""
    GUARD.begin()
    yield
    problems = GUARD.problems()
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="session")
def running_browser() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """One per worker, and the event loop that it keeps running on our thread."""
    with running_chromium() as browser:
        loop = asyncio.get_running_loop()
        yield browser, loop
        asyncio._set_running_loop(loop)


@pytest.fixture
def chromium(running_browser: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """A browser. Other code can run its own event loops while it is unused."""
    browser, loop = running_browser
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def running_slapd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slapd]:
    if SLAPD is None:
        pytest.skip("slapd is not installed")
    with slapd_running(tmp_path_factory.mktemp("slapd")) as found:
        yield found


@pytest.fixture
def slapd(running_slapd: Slapd) -> Slapd:
    """An empty LDAP directory."""
    running_slapd.clear()
    return running_slapd


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """The database of this test; `tests/support/database_plan.py` says when each one is used."""
    found: Kind = request.param
    return found


@pytest.fixture
def chat(kind: Kind, servers: SharedServers) -> Chat:
    """A new organization on a running server."""
    return servers.chat_on(kind)


# --- people ---


@pytest.fixture
def channels() -> list[str]:
    """The channels of the people below: none, unless a test or a file of tests says otherwise."""
    return []


@pytest.fixture
def in_kitchen(channels: list[str]) -> None:
    """People after it in the arguments of a test are in the channel kitchen."""
    channels.append("kitchen")


@pytest.fixture
def ana(chat: Chat, channels: list[str]) -> Person:
    return chat.person("ana", channels=channels)


@pytest.fixture
def ben(chat: Chat, channels: list[str]) -> Person:
    return chat.person("ben", channels=channels)


@pytest.fixture
def cleo(chat: Chat, channels: list[str]) -> Person:
    return chat.person("cleo", channels=channels)


@pytest.fixture
def eve(chat: Chat, channels: list[str]) -> Person:
    return chat.person("eve", channels=channels)


@pytest.fixture
def gus(chat: Chat, channels: list[str]) -> Person:
    return chat.person("gus", role="guest", channels=channels)


@pytest.fixture
def admin(chat: Chat, channels: list[str]) -> Person:
    return chat.person("admin", role="admin", channels=channels)


@pytest.fixture
def owner(chat: Chat, channels: list[str]) -> Person:
    return chat.person("owner", role="owner", channels=channels)


# --- other organizations and their servers ---


@pytest.fixture(scope="session")
def smtp() -> Iterator[FakeSmtp]:
    """A mail server that all tests share; their mails differ by address."""
    server = FakeSmtp().open()
    yield server
    server.close()


@pytest.fixture(scope="session")
def mailing_servers(databases: Databases, smtp: FakeSmtp) -> Iterator[SharedServers]:
    with SharedServers(databases, **smtp.settings, lmtp_listen="127.0.0.1:0") as servers:
        yield servers


@pytest.fixture
def mail_chat(kind: Kind, mailing_servers: SharedServers, smtp: FakeSmtp) -> Chat:
    """An organization on a server that sends mail."""
    smtp.received.clear()
    return mailing_servers.chat_on(kind)


@pytest.fixture(scope="session")
def servers_with_ldap(databases: Databases, running_slapd: Slapd) -> Iterator[SharedServers]:
    directory = LdapDirectory(**running_slapd.settings(**DIRECTORY))
    with SharedServers(databases, ldap=(directory,)) as servers:
        yield servers


@pytest.fixture
def ldap_chat(kind: Kind, servers_with_ldap: SharedServers, slapd: Slapd) -> Chat:
    """An organization with an LDAP directory."""
    return servers_with_ldap.chat_on(kind)


@pytest.fixture
def start_server(kind: Kind, databases: Databases) -> Iterator[Callable[..., Server]]:
    """Start a server with its own data: `start_server(rate_limit=Rate(5))`."""
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
    """The only organization of a server that no other test uses, to stop and start it."""
    return Chat.found(start_server(), "")


@pytest.fixture
def two_servers(databases: Databases) -> Iterator[tuple[Chat, Server]]:
    """An organization at one server, and another server on the same database and clock."""
    url, folder = databases.ready("postgres")
    one = Server(url, folder).start()
    chat = Chat.found(one, "")
    other = Server(url, folder, clock=one.clock).start()
    yield chat, other
    other.stop()
    one.stop()
    databases.give_back(url)


@pytest.fixture
def database(kind: Kind, databases: Databases) -> Iterator[BlockingDatabase]:
    """An empty database with its schema, and no server."""
    url, _ = databases.ready(kind)
    made = BlockingDatabase.at(url)
    made.reuse_connections()
    made.migrate()
    yield made
    made.close()
    databases.give_back(url)


@pytest.fixture
def on_sqlite(databases: Databases) -> BlockingDatabase:
    """For questions about the schema, which is the same on both databases."""
    made = BlockingDatabase.at(databases.ready("sqlite")[0])
    made.migrate()
    return made


@pytest.fixture
def realm(database: BlockingDatabase) -> Realm:
    return database.of(0).write(actions.organization.creation.create, "Casa", "casa")
