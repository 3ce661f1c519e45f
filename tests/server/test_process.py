"""The server as a process: how it starts, what it says, how it ends."""

import errno
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from configparser import ConfigParser
from contextlib import closing
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from tests.http.sample_api import SampleApi
from tests.support.cli_runner import ServerCommand, Terminal, clean_environment
from tests.support.databases import Databases, Kind
from tests.support.fake_oidc import misbehaving_provider
from tests.support.waiting import eventually

from tertulia.config import Config
from tertulia.data_dir import check_vault, open_database, open_vault
from tertulia.domain.people.keys import WrongSecret
from tertulia.server.connection_limits import ConnectionLimiter
from tertulia.server.http_server import uvicorn_config
from tertulia.server.sockets import CannotListen, listen


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal with an empty data folder; a test that starts without one uses
    `either_terminal`."""
    terminal = Terminal(tmp_path / "data").creates_tables()
    yield terminal
    terminal.close()


@pytest.fixture
def either_terminal(kind: Kind, databases: Databases) -> Iterator[Terminal]:
    """A terminal for the scenes that are played on both databases."""
    url, folder = databases.new(kind)
    terminal = Terminal(folder, url)
    yield terminal
    terminal.close()


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerCommand]:
    """A server for scenes that leave nothing behind."""
    terminal = Terminal(tmp_path_factory.mktemp("shared") / "data")
    yield terminal.serves()
    terminal.close()


# --- starting ---


def test_a_new_server_answers(either_terminal):
    server = either_terminal.serves()

    status, settings = server.asks("GET", "/server_settings")

    assert (status, settings["realm_name"]) == (200, "Tertulia")


def test_the_first_commands_may_run_at_once(terminal):
    with ThreadPoolExecutor() as people:
        starting = people.submit(terminal.serves)
        founding = [
            people.submit(terminal.runs_process, "org", "create", name, "--subdomain", name)
            for name in ("earth", "moon")
        ]

    assert [(founded.result().code, founded.result().err[:7]) for founded in founding] == [
        (0, "Created")
    ] * 2
    starting.result().eventually_answers(200, "/server_settings", who="", host="moon.localhost")
    assert {"earth", "moon"} <= set(terminal.runs("org", "list").out.split())


def test_a_second_server_on_the_same_folder_is_refused(terminal):
    terminal.serves()

    second = terminal.runs_process("serve", "--port", "0")

    assert (second.code, second.out) == (1, "")
    assert second.err == (
        f"Error: Another Tertulia server is running on the data in {terminal.data}.\n"
    )


@pytest.mark.postgres
def test_a_second_server_on_the_same_postgresql_starts(databases):
    url, folder = databases.new("postgres")
    with closing(Terminal(folder, url)) as terminal:
        first, second = terminal.serves(), terminal.serves()

        ana = terminal.adds("ana")

        first.eventually_answers(200, "/users/me", who=ana)
        second.eventually_answers(200, "/users/me", who=ana)


@pytest.mark.postgres
def test_of_several_postgresql_hosts_the_primary_is_used(databases):
    url, folder = databases.new("postgres")
    leader = urlsplit(url)
    hosts = leader.netloc.replace("@", "@127.0.0.1:1,", 1)  # no server listens at the first address
    several = leader._replace(netloc=hosts, query="target_session_attrs=read-write").geturl()
    with closing(Terminal(folder, several)) as terminal:
        ana = terminal.creates_organization().adds("ana")

        terminal.serves().eventually_answers(200, "/users/me", who=ana)

        checked = terminal.runs("check").out
        assert "the primary has no standby" in checked
        assert checked.endswith("Problems found: 1.\n")


def test_a_port_in_use_is_reported_in_one_line(terminal):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        refused = terminal.runs_process("serve", "--port", port)

    assert (refused.code, refused.out) == (1, "")
    expected = f"Error: Port {port} on 127.0.0.1 is in use; choose another one with --port.\n"
    assert refused.err == expected


def test_data_of_a_newer_server_is_refused(terminal):
    terminal.creates_organization().adds("ana")
    with sqlite3.connect(terminal.data / "tertulia.db") as database:
        database.execute("UPDATE schema_version SET version = 9999")

    refused = terminal.runs_process("serve", "--port", "0")

    assert refused.code == 1
    assert "written by a newer Tertulia (it needs schema 9999" in refused.err
    errors = [each for each in refused.err.splitlines() if "database.waiting" not in each]
    assert len(errors) == 1  # a slow machine also logs that the start waits


def test_a_name_with_two_addresses_gets_one_port():
    sockets = listen(Config(host="localhost", port=0))

    assert len({each.getsockname()[1] for each in sockets}) == 1
    for each in sockets:
        each.close()


def test_an_address_of_another_machine_cannot_be_listened_on():
    with pytest.raises(CannotListen, match=r"Cannot listen on 192\.0\.2\.1, port 9: "):
        listen(Config(host="192.0.2.1", port=9))


def test_an_asterisk_listens_on_ipv4_and_ipv6_with_the_same_port():
    listening = listen(Config(host="*", port=0))
    try:
        port = listening[0].getsockname()[1]
        for address in ("127.0.0.1", "::1"):
            with socket.create_connection((address, port), 5) as client:
                own = client.getsockname()[0]
                server = next(each for each in listening if each.family == client.family)
                connection, peer = server.accept()
                connection.close()
                assert peer[0] == own
    finally:
        for each in listening:
            each.close()


# --- the secret ---


def test_the_secret_is_created_once_and_readable_by_its_owner_only(tmp_path):
    config = Config(data=tmp_path)

    vaults = [open_vault(config) for _ in range(2)]

    assert vaults[0].fingerprint("a key") == vaults[1].fingerprint("a key")
    assert stat.S_IMODE(config.secret_file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize(
    "meddle, sentence",
    [
        (lambda file: file.unlink(), "The secret that belongs to this data is missing"),
        (lambda file: file.write_text("x" * 64), "sealed with another secret"),
        (lambda file: file.write_text("short"), "does not hold a secret"),
    ],
)
def test_a_missing_or_wrong_secret_is_refused(terminal, meddle, sentence):
    terminal.creates_organization().adds("ana")
    config = Config(data=terminal.data)
    meddle(config.secret_file)

    with pytest.raises(WrongSecret, match=sentence):
        check_vault(config, open_database(config))


# --- while it runs ---


def test_a_running_server_sees_changes_by_commands(either_terminal):
    server = either_terminal.serves()
    ana = either_terminal.adds("ana", "--role", "owner")
    server.eventually_answers(200, "/users/me", who=ana)

    new_key = either_terminal.runs("user", "reset-key", "ana@example.com").out.strip()
    server.eventually_answers(401, "/users/me", who=ana)
    ana = f"ana@example.com:{new_key}"
    server.eventually_answers(200, "/users/me", who=ana)

    either_terminal.adds("ben", "--role", "owner")
    either_terminal.runs("user", "deactivate", "ana@example.com")
    server.eventually_answers(401, "/users/me", who=ana)


def test_a_new_organization_is_reached_by_its_subdomain_at_once(terminal):
    server = terminal.serves()

    terminal.runs("org", "create", "The Second", "--subdomain", "second")
    ana, host = terminal.adds("ana", "--org", "second"), "second.localhost"

    server.eventually_answers(200, "/users/me", who=ana, host=host)
    assert server.asks("GET", "/server_settings", host=host)[1]["realm_name"] == "The Second"
    site = f"site=http://{host}:{server.port}\n"
    assert site in terminal.runs("user", "zuliprc", "ana@example.com", "--org", "second").out


def test_endless_headers_are_refused_in_json(shared_server):
    with socket.create_connection(("127.0.0.1", shared_server.port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nx: " + b"x" * 328_000)

        response = line.recv(10_000)

    assert response.startswith(b"HTTP/1.1 431 ")
    assert b'"code":"REQUEST_HEADER_FIELDS_TOO_LARGE"' in response


def test_invalid_http_is_refused_in_json(shared_server):
    with socket.create_connection(("127.0.0.1", shared_server.port)) as line:
        line.sendall(b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n")

        response = line.recv(10_000)

    assert response.startswith(b"HTTP/1.1 400 ")
    assert b'"result":"error"' in response


def test_a_request_with_two_hosts_is_refused(shared_server):
    with socket.create_connection(("127.0.0.1", shared_server.port)) as line:
        line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nhost: elsewhere\r\n\r\n")

        response = b"".join(iter(lambda: line.recv(65536), b""))

    assert response.startswith(b"HTTP/1.1 400 ")
    assert b'"result":"error"' in response
    assert response.count(b"HTTP/1.1") == 1


def test_metrics_are_refused_to_an_unconfigured_proxy(shared_server):
    """nginx speaks HTTP/1.0 and asks for the address that it was given."""
    with socket.create_connection(("127.0.0.1", shared_server.port)) as line:
        line.sendall(b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:9009\r\n\r\n")

        assert line.recv(10_000).startswith(b"HTTP/1.1 404 ")


# --- behind a proxy ---


@pytest.mark.parametrize(
    "peer, forwarded, address, scheme",
    [
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1", "http"),  # no proxy of ours
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7", "https"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.7, 10.0.0.2"], "198.51.100.7", "https"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.7"], "198.51.100.7", "https"),
        ("10.0.0.1", ["2001:db8::7"], "2001:db8::7", "https"),
        ("10.0.0.1", ["unknown"], "unknown", "https"),
        ("10.0.0.1", [""], "10.0.0.1", "https"),
        ("10.0.0.1", [], "10.0.0.1", "https"),
    ],
)
def test_forwarded_headers_are_accepted_from_trusted_proxies_only(peer, forwarded, address, scheme):
    config = Config(trusted_proxies=(ip_network("10.0.0.0/8"),))

    assert whoami(config, peer, forwarded) == [address, scheme]


def test_without_trusted_proxies_forwarded_headers_are_ignored(monkeypatch):
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")  # uvicorn's own setting

    assert whoami(Config(), "127.0.0.1", ["198.51.100.7"]) == ["127.0.0.1", "http"]


def test_a_proxy_that_is_not_trusted_is_logged_once(terminal):
    serving = terminal.serves()
    request = f"http://127.0.0.1:{serving.port}/health"
    forwarded = Request(request, headers={"X-Forwarded-For": "198.51.100.7"})

    for _ in range(3):
        urlopen(forwarded).close()

    eventually(lambda: "server.proxy_not_trusted" in serving.output.err)
    assert serving.output.err.count("server.proxy_not_trusted") == 1
    assert "address=127.0.0.1" in serving.output.err


def test_a_trusted_proxy_is_not_logged(terminal):
    serving = terminal.serves("--trusted-proxies", "127.0.0.1")
    request = f"http://127.0.0.1:{serving.port}/health"

    urlopen(Request(request, headers={"X-Forwarded-For": "198.51.100.7"})).close()

    serving.stops()
    assert "server.proxy_not_trusted" not in serving.output.err


def whoami(config: Config, peer: str, forwarded: list[str]) -> Any:
    """The address and the scheme that an endpoint sees."""
    kitchen = SampleApi()
    served = uvicorn_config(config, kitchen.api, ConnectionLimiter(config))
    served.load()
    kitchen.api = served.loaded_app
    headers = [(b"x-forwarded-proto", b"https")]
    headers += [(b"x-forwarded-for", each.encode()) for each in forwarded]
    _, response = kitchen.raw({"path": "/api/v1/whoami", "headers": headers, "client": peer})
    return response["pots"][2:]


# --- ending ---


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stopping_server_answers_parked_polls_and_logs_no_error(terminal, how):
    ana = terminal.creates_organization().adds("ana")
    server = terminal.serves()
    queue_id = server.asks("POST", "/register", who=ana)[1]["queue_id"]
    poll = park(server, ana, queue_id)
    stalled = socket.create_connection(("127.0.0.1", server.port))
    stalled.sendall(b"POST /api/v1/messages HTTP/1.1\r\nHost: never finis")

    server.stops(how)

    assert (server.output.code, server.logged) == (0, [])
    assert poll() == (200, [])
    stalled.close()


def park(server: ServerCommand, who: str, queue_id: str):
    """Start a poll that waits; gives a function that tells its answer."""
    responses = []

    def ask() -> None:
        params: dict[str, Any] = {"queue_id": queue_id, "last_event_id": -1}
        status, body = server.asks("GET", "/events", who=who, **params)
        responses.append((status, body["events"]))

    thread = threading.Thread(target=ask)
    thread.start()
    eventually(lambda: "tertulia_parked_polls 1.0" in metrics(server))

    def answer() -> tuple[int, list[object]]:
        thread.join()
        found: tuple[int, list[object]] = responses[0]
        return found

    return answer


def metrics(server: ServerCommand) -> str:
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return b"".join(iter(lambda: line.recv(65536), b"")).decode()


# --- logs ---


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_refusal_is_one_line_on_stderr_and_none_on_stdout(terminal, log_format):
    server = terminal.serves("--log-format", log_format)

    server.asks("GET", "/users/me", who="ana@example.com:not-a-key", secret="hush")

    assert "refused" not in server.output.out
    (line,) = server.logged
    assert "http.request_refused" in line
    assert "hush" not in line
    assert "not-a-key" not in line
    assert line.startswith("{") is (log_format == "json")


REQUEST = """
import asyncio, logging, sys
from tertulia.config import Config
from tertulia.external.sso.provider_http import ProviderRequest, fetch_json
from tertulia.server import logging_config

logging_config.configure(Config(log_level=sys.argv[2]))
print(asyncio.run(fetch_json(ProviderRequest(sys.argv[1]))))
"""


@pytest.mark.parametrize("log_level", ["info", "debug"])
def test_requests_to_others_are_not_logged_by_their_library(log_level):
    """It would log each with its address, and in a form that is not ours."""
    with misbehaving_provider() as site:
        site.answers = {"/": {"soup": "on"}}
        done = subprocess.run(
            [sys.executable, "-c", REQUEST, f"{site.address}/", log_level],
            capture_output=True,
            text=True,
            env=clean_environment(),
        )

    assert done.stdout.strip() == "{'soup': 'on'}"
    assert "HTTP Request" not in done.stderr
    assert "http" not in done.stderr


ACCIDENTS = """
import asyncio, logging, sys, threading, structlog
from tertulia.server import logging_config
from tertulia.config import Config
from tertulia.server.connection_limits import ConnectionLimiter

logging_config.configure(Config(log_format=sys.argv[1]))

def fail(hidden="hush"):
    raise ValueError("hush")

try:
    fail()
except ValueError:
    structlog.get_logger().exception("ours")
    logging.getLogger("uvicorn.error").exception("uvicorn's\\n")
logging.getLogger("psycopg").warning("theirs: %s", "hush")
logging.getLogger("httpx").info("HTTP Request: hush")  # is not logged
threading.Thread(target=fail).start()

async def loop():
    asyncio.get_running_loop().set_exception_handler(logging_config.log_loop_error)
    asyncio.get_running_loop().call_soon(fail, "hush")
    await asyncio.sleep(0)
asyncio.run(loop())
fail()
"""


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_messages_of_exceptions_are_never_logged(log_format):
    done = subprocess.run(
        [sys.executable, "-c", ACCIDENTS, log_format],
        capture_output=True,
        text=True,
        env=clean_environment(),
    )

    lines = done.stderr.splitlines()
    assert len(lines) == 6, done.stderr
    assert "hush" not in done.stderr
    assert sum("ValueError" in line for line in lines) == 5


def test_an_unwritable_log_does_not_stop_the_server(terminal):
    ana = terminal.creates_organization().adds("ana")
    server = terminal.serves(log=Path("/dev/full"))

    assert server.asks("GET", "/users/me")[0] == 401
    assert server.asks("GET", "/users/me", who=ana)[0] == 200


# --- the demo ---


@pytest.mark.on_one
def test_the_demo_has_users_channels_and_messages(either_terminal):
    server = either_terminal.serves("--demo")
    ana = zuliprc(either_terminal.data / "zuliprc-aiko", server.port)

    state = server.asks("POST", "/register", who=ana)[1]
    history = server.asks(
        "GET", "/messages", who=ana, anchor="newest", num_before=1000, num_after=0
    )[1]["messages"]

    names = {row["name"] for row in state["subscriptions"]}
    assert {"general", "kitchen", "grant application", "board"} <= names
    assert 0 < state["unread_msgs"]["count"] < 60
    assert 200 < len(history) < 400
    assert history == sorted(history, key=lambda message: message["timestamp"])
    assert not [m for m in history if m["subject"] == "Lease"], "said before she was there"
    assert [m for m in history if m["subject"] == "Budget"]


def zuliprc(path: Path, port: int) -> str:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    file = ConfigParser()
    file.read(path)
    assert file["api"]["site"] == f"http://127.0.0.1:{port}"
    return f"{file['api']['email']}:{file['api']['key']}"


def test_the_demo_prints_its_logins_at_every_start(terminal):
    server = terminal.serves("--demo")
    text = server.output.out
    password = text.split("password ")[1].split()[0]

    assert "marta@linterna.example   Marta Olmedo, owner" in text
    assert "henrik@linterna.example  Henrik Dahl, guest" in text
    login = {"username": "henrik@linterna.example", "password": password}
    assert server.asks("POST", "/fetch_api_key", **login)[0] == 200
    assert "No problems found." in terminal.runs("check").out

    server.stops()
    again = terminal.serves("--demo")
    assert again.asks("POST", "/fetch_api_key", **login)[0] == 200
    assert again.output.out.split("Sample data.")[1] == text.split("Sample data.")[1]


def test_the_demo_refuses_a_database_with_data(terminal):
    terminal.serves().stops()
    terminal.runs("user", "add", "ana@example.com", "--name", "Ana", "--role", "owner")

    refused = terminal.runs_process("serve", "--demo", "--port", "0")

    assert refused.code == 1
    assert refused.err.startswith("Error: --demo is for new data, and in ")


def test_the_reason_for_a_refusal_to_listen_names_the_port():
    error = OSError(errno.EACCES, "Permission denied")

    assert "above 1023" in str(CannotListen("127.0.0.1", 80, error))


# --- mistakes of the first hour ---


def test_a_data_folder_that_is_a_file_is_named_as_one(tmp_path):
    (tmp_path / "data").write_text("not a folder")

    result = Terminal(tmp_path / "data").runs_process("serve", "--port", "0")

    assert result.err == (
        f"Error: The data folder {tmp_path}/data is a file. Choose another with --data.\n"
    )


@pytest.mark.postgres
def test_a_missing_role_of_postgresql_is_named(databases, tmp_path):
    url, _ = databases.new("postgres")
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    wrong = f"postgresql://no_such_role:secret@{host}{parts.path}?{parts.query}"

    result = Terminal(tmp_path / "data", wrong).runs_process("serve", "--port", "0")

    assert "no_such_role" in result.err
    assert "secret" not in result.err


def test_waiting_for_a_database_is_announced(tmp_path):
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"postgresql://someone@127.0.0.1:{silent.getsockname()[1]}/chat"

    result = Terminal(tmp_path / "data", url).runs_process("serve", "--port", "0")

    assert result.code == 1
    assert "database.waiting" in result.err
    silent.close()
