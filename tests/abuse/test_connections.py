"""Too many or too slow connections affect only the client that opens them."""

import contextlib
import re
import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support import missing_modules
from tests.support.cli_runner import ServerCommand, Terminal
from tests.support.database_plan import thorough_except
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.app import _emoji_table
from tertulia.config import Config
from tertulia.errors.http import TooManyConnections
from tertulia.server.connection_limits import MIN_BYTES_PER_SECOND, ConnectionLimiter

SLOW_CLIENT_SECONDS = Config().slow_client_seconds
GET = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_HEAD = b"GET /health HTTP/1.1\r\nHost: local"
HALF_BODY = (
    b"POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\ncontent="
)


class Lines:
    """Raw connections that send exactly what a test says."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.connections = server.connections
        self._stack = contextlib.ExitStack()

    def opens(self, sent: bytes, *, window: int = 0) -> socket.socket:
        """A connection that has sent something and received the answer."""
        known = self.connections.open
        line = self._stack.enter_context(socket.socket())
        line.settimeout(TIMEOUT_SECONDS)
        if window:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        line.connect(("127.0.0.1", self.server.port))
        line.sendall(sent)
        eventually(lambda: self.connections.open > known)
        return line

    def after(self, seconds: float) -> None:
        """Let the server check its connections as if this much time had passed."""

        self.server.sweep_connections(seconds)

    def waiting(self) -> list[Any]:
        """Connections that the server waits for."""
        return self.server.awaited_connections()

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def lines(start_server: Callable[..., Server]) -> Iterator[Lines]:
    opened = Lines(start_server())
    Chat.found(opened.server, "")
    yield opened
    opened.close()


def rest(line: socket.socket) -> bytes:
    """Everything the server sends until it closes the connection."""
    with contextlib.suppress(ConnectionResetError):
        return b"".join(iter(lambda: line.recv(65536), b""))
    return b""


def answers(line: socket.socket) -> int:
    """The status of the next answer."""
    return int(line.recv(65536).split()[1])


# --- slow ---


@pytest.mark.parametrize("sent, what", [(HALF_HEAD, "head"), (HALF_BODY, "body")])
def test_a_request_that_never_ends_is_disconnected(lines, sent, what):
    slow = [lines.opens(sent) for _ in range(20)]
    lines.after(0)
    eventually(lambda: lines.connections.open == 20)

    lines.after(SLOW_CLIENT_SECONDS + 1)

    assert [rest(line).split()[1] for line in slow] == [b"408"] * 20
    eventually(lambda: lines.connections.open == 0)
    assert lines.connections.timed_out[what] == 20


def test_a_connection_that_sends_nothing_is_closed_without_an_answer(lines):
    silent = lines.opens(b"")

    lines.after(SLOW_CLIENT_SECONDS + 1)

    assert rest(silent) == b""


def test_empty_lines_do_not_keep_a_connection_open(lines):
    line = lines.opens(GET)
    assert answers(line) == 200
    lines.after(SLOW_CLIENT_SECONDS + 1)  # a longer pause is allowed between requests
    line.sendall(b"\r\n")
    eventually(lines.waiting)

    lines.after(SLOW_CLIENT_SECONDS + 1)

    assert rest(line) == b""


def test_a_second_request_has_the_same_time_limit_as_the_first(lines):
    line = lines.opens(GET)
    assert answers(line) == 200
    line.sendall(HALF_HEAD)
    eventually(lines.waiting)

    lines.after(SLOW_CLIENT_SECONDS + 1)

    assert rest(line).split()[1] == b"408"


def test_a_body_that_makes_progress_gets_more_time(lines):
    ana = Chat.found(lines.server, "second").person("ana")
    known = "".join(f"{name}: {value}\r\n" for name, value in ana.headers.items())
    head = HALF_BODY.replace(b"Host: localhost\r\n", known.encode()).replace(b" 50", b" 500000")
    line = lines.opens(head + b"x" * MIN_BYTES_PER_SECOND * 10)
    eventually(lambda: moved(lines) > MIN_BYTES_PER_SECOND * 10)

    lines.after(SLOW_CLIENT_SECONDS + 5)
    assert lines.connections.timed_out["body"] == 0
    lines.after(SLOW_CLIENT_SECONDS + 12)

    assert rest(line).split()[1] == b"408"


def moved(lines: Lines) -> int:
    found = (line._deadlines.sending for line in lines.waiting())
    return sum(deadline.moved_bytes for deadline in found if deadline)


def test_a_parked_poll_is_not_slow(lines):
    ana = Chat.found(lines.server, "second").person("ana")
    queue_id = ana.post("/register").succeeds()["queue_id"]
    head = "".join(f"{name}: {value}\r\n" for name, value in ana.headers.items())
    poll = f"GET /api/v1/events?queue_id={queue_id}&last_event_id=-1 HTTP/1.1\r\n{head}\r\n"
    line = lines.opens(poll.encode())
    eventually(lambda: lines.server.is_parked(queue_id))
    line.sendall(b"\r\n")  # some clients end a request this way

    lines.after(3600)
    ana.post("/users/me/status", status_text="here").succeeds()

    assert answers(line) == 200
    assert lines.connections.timed_out.total() == 0


@pytest.mark.parametrize("ending", [b"", b"Connection: close\r\n"])
def test_a_response_that_is_not_read_is_dropped(lines, ending):
    """So is its connection, with or without keep-alive."""
    unread = [asks_for_much(lines, ending) for _ in range(5)]
    eventually(lambda: len(lines.waiting()) == 5)

    lines.after(SLOW_CLIENT_SECONDS - 1)
    assert lines.connections.open == 5
    lines.after(SLOW_CLIENT_SECONDS * 2)

    eventually(lambda: lines.connections.open == 0)
    assert lines.connections.timed_out == {"head": 0, "body": 0, "answer": 5}
    assert all(0 < len(rest(line)) < WHOLE_BYTES for line in unread)


def test_a_response_that_is_being_read_is_not_cut_off(lines):
    line = asks_for_much(lines, b"", times=3)
    eventually(lambda: any(each.is_write_paused for each in lines.waiting()))

    size = 0
    while size < 3 * WHOLE_BYTES and (part := line.recv(20_000)):
        size += len(part)
        earned = (
            max(0, size - WHOLE_BYTES // 2) / MIN_BYTES_PER_SECOND
        )  # the system held some of it
        lines.after(SLOW_CLIENT_SECONDS - 1 + earned / 2)

    assert size > 3 * WHOLE_BYTES
    assert lines.connections.timed_out["answer"] == 0


def asks_for_much(lines: Lines, ending: bytes, times: int = 1) -> socket.socket:
    """Request more than the socket buffers hold, over a slow connection."""
    line = lines.opens(b"", window=4096)

    def other_end() -> list[socket.socket]:
        ends = [each.transport.get_extra_info("socket") for each in lines.waiting()]
        return [end for end in ends if end.getpeername() == line.getsockname()]

    eventually(other_end)
    other_end()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    requested = b"GET /static/emoji.json HTTP/1.1\r\nHost: localhost\r\n" + ending + b"\r\n"
    line.sendall(requested * times)
    return line


WHOLE_BYTES = len(_emoji_table())


# --- many ---


def test_connections_per_address_are_limited(start_server):
    server = start_server(max_connections_per_address=5)
    lines = Lines(server)
    held = [lines.opens(GET) for _ in range(5)]
    assert [answers(line) for line in held] == [200] * 5

    with socket.create_connection(("127.0.0.1", server.port)) as one_more:
        assert b'"code":"TOO_MANY_CONNECTIONS"' in rest(one_more)

    eventually(lambda: lines.connections.open == 5)
    assert lines.connections.refused == {"address": 1, "full": 0, "https": 0}
    held.pop().close()
    eventually(lambda: lines.connections.open == 4)
    assert answers(lines.opens(GET)) == 200
    lines.close()


def test_a_trusted_proxy_has_no_connection_limit(start_server):
    server = start_server(max_connections_per_address=5, trusted_proxies=(ip_network("127.0.0.1"),))
    lines = Lines(server)

    assert [answers(lines.opens(GET)) for _ in range(12)] == [200] * 12
    lines.close()


def test_addresses_of_one_ipv6_network_count_as_one():
    connections = ConnectionLimiter(Config(max_connections_per_address=2))
    for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"):
        connections.register(connections.bucket(address))

    with pytest.raises(TooManyConnections):
        connections.register(connections.bucket("2001:db8::3"))


def test_slow_clients_are_logged_once_a_minute():
    connections = ConnectionLimiter(Config())
    with capture_logs() as lines:
        for second in range(150):
            connections.timed_out["head"] += 1
            connections.sweep(float(second))

    assert [each["late_head"] for each in lines] == [1, 60, 60]


# --- out of file descriptors ---


@pytest.fixture(params=thorough_except(["uvloop"], ["uvloop", "asyncio"]))
def terminal(request: Any, tmp_path: Any, monkeypatch: Any) -> Iterator[Terminal]:
    if request.param == "asyncio":
        monkeypatch.setenv("PYTHONPATH", missing_modules.hide(tmp_path, "uvloop"))
    with contextlib.closing(Terminal(tmp_path / "data").creates_tables()) as terminal:
        yield terminal


def test_the_server_raises_its_limit_of_open_files(terminal):
    server = terminal.serves("--log-level", "warning", ulimit="-S -n 128")

    assert metric(server, "process_max_fds") > 128
    assert server.output.err == ""


def test_unfinished_requests_of_one_address_do_not_lock_out_others(terminal):
    """The server does not run out of file descriptors, and logs the problem."""
    server = terminal.serves("--log-level", "warning", ulimit="-n 100")
    assert "connections=50 connections_per_address=25" in server.output.err.replace("\n", " ")

    with contextlib.ExitStack() as stack:
        for _ in range(200):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            with contextlib.suppress(OSError):
                line.sendall(HALF_HEAD)
        eventually(lambda: "refused_address" in server.output.err)
        elsewhere = socket.create_connection(
            ("127.0.0.1", server.port), source_address=("127.0.0.2", 0)
        )
        stack.enter_context(elsewhere).sendall(GET)
        assert answers(elsewhere) == 200

    assert metric(server, 'tertulia_connections_refused{why="address"}') == 175
    assert len(server.output.err.splitlines()) == 2


def test_https_on_the_http_port_is_logged_and_counted(terminal):
    server = terminal.serves("--log-level", "warning")

    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        assert answers(line) == 400

    eventually(lambda: "refused_https=1" in server.output.err)
    assert metric(server, 'tertulia_connections_refused{why="https"}') == 1


def test_a_full_server_answers_503_and_recovers(terminal):
    """New clients get an answer, file descriptors remain for the database, and the loop does not
    spin."""
    server = terminal.serves("--log-level", "warning", ulimit="-n 100")

    with contextlib.ExitStack() as stack:
        for number in range(200):
            source = (f"127.0.0.{number % 8 + 1}", 0)
            with contextlib.suppress(OSError):
                line = socket.create_connection(("127.0.0.1", server.port), source_address=source)
                stack.enter_context(line).sendall(HALF_HEAD)
        eventually(lambda: "refused_full" in server.output.err)

    eventually(lambda: metric(server, "tertulia_connections") == 1)
    assert metric(server, 'tertulia_connections_refused{why="full"}') > 0
    assert len(server.output.err.splitlines()) == 2
    assert server.asks("GET", "/server_settings")[0] == 200


def metric(server: ServerCommand, name: str) -> float:
    """Repeated while the server has no free connection."""
    found = None
    while found is None:
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(GET.replace(b"/health", b"/metrics").replace(b"\r\n\r\n", b"\r\n") + CLOSE)
            found = re.search(rf"^{re.escape(name)} (\S+)$", rest(line).decode(), re.MULTILINE)
    return float(found[1])


CLOSE = b"Connection: close\r\n\r\n"
