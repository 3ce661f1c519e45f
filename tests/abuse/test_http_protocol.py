"""Ambiguous or endless HTTP: no client gets the answer to another client's request."""

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.test_certificates import answer, flags
from tests.support import certificates
from tests.support.cli_runner import Terminal
from tests.support.people import Chat
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.server.http_protocol import MAX_PIPELINED_REQUESTS

STOLEN_TIME = b"Host: localhost\r\n"
ASKED = b"GET /health HTTP/1.1\r\n" + STOLEN_TIME + b"\r\n"
POST = b"POST /api/v1/messages HTTP/1.1\r\n" + STOLEN_TIME
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
CHUNKS = POST + FORM + b"Transfer-Encoding: chunked\r\n\r\n"


class Line:
    """Sends bytes and reads until the server closes the connection."""

    def __init__(self, server: Server) -> None:
        self._port = server.port

    def response_to(self, sent: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self._port), TIMEOUT_SECONDS) as line:
            line.sendall(sent)
            received: list[bytes] = []
            with contextlib.suppress(ConnectionResetError):  # it had not read everything
                received.extend(iter(lambda: line.recv(1 << 16), b""))
            return b"".join(received)

    def answers(self, sent: bytes) -> list[int]:
        """The status codes of all responses."""
        return [int(each[:3]) for each in self.response_to(sent).split(b"HTTP/1.1 ")[1:]]


@pytest.fixture
def line(chat: Chat) -> Line:
    return Line(chat.server)


NO_REQUESTS = {
    "no host": b"GET /health HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /health HTTP/1.1\r\n" + STOLEN_TIME + STOLEN_TIME + b"\r\n",
    "a host that is none": b"GET /health HTTP/1.1\r\nHost: a b\r\n\r\n",
    "somebody at a host": b"GET /health HTTP/1.1\r\nHost: ana@localhost\r\n\r\n",
    "an older HTTP": b"GET /health\r\n\r\n",
    "a newer HTTP": b"GET /health HTTP/2.0\r\n" + STOLEN_TIME + b"\r\n",
    "two lengths": POST + b"Content-Length: 0\r\nContent-Length: 5\r\n\r\nabcde",
    "a length with a sign": POST + b"Content-Length: +5\r\n\r\nabcde",
    "length and chunks": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "packed chunks": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunks twice": POST + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n",
    "no chunks": POST + b"Transfer-Encoding: identity\r\n\r\nabcde",
    "a folded line": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "a space before the colon": POST + b"Content-Length : 5\r\n\r\nabcde",
    "lines that end early": b"GET /health HTTP/1.1\nHost: localhost\n\n",
    "a bare return": POST + b"X: a\rContent-Length: 5\r\n\r\nabcde",
    "a size in another form": CHUNKS + b"0x3\r\na=b\r\n0\r\n\r\n",
    "a size beyond all": CHUNKS + b"fffffffffffffffff\r\na=b\r\n0\r\n\r\n",
    "a chunk that is longer": CHUNKS + b"3\r\na=bc\r\n0\r\n\r\n",
    "a body before another protocol": POST
    + FORM
    + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nabcde",
}


@pytest.mark.parametrize("sent", NO_REQUESTS.values(), ids=NO_REQUESTS.keys())
def test_an_ambiguous_request_is_refused(line, sent):
    assert line.answers(sent + ASKED) == [400]


def test_earlier_requests_are_answered_first(line):
    assert line.answers(ASKED + ASKED + b"Nonsense\r\n\r\n") == [200, 200, 400]
    assert line.answers(ASKED + CHUNKS + b"nonsense\r\n") == [200, 400]


def test_a_host_in_the_request_line_overrides_the_header(chat, line):
    expected = b"GET http://%b/api/v1/server_settings HTTP/1.1\r\nHost: nowhere.localhost\r\n%b\r\n"
    ending = b"Connection: close\r\n"

    assert line.answers(expected % (chat.host.encode(), ending)) == [200]
    assert line.answers(expected % (b"nowhere.localhost", ending)) != [200]


def test_an_upgrade_request_is_answered_and_closed(line):
    wish = ASKED[:-2] + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"

    assert line.answers(wish + ASKED) == [200]


def test_https_on_the_http_port_gets_an_explanation(line):
    event = line.response_to(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")

    assert event.startswith(b"HTTP/1.1 400 ")
    assert b"This port speaks http, not https" in event


def test_a_refused_request_is_answered_before_its_expected_body(line):
    head = POST + FORM + b"Expect: 100-continue\r\nContent-Length: 90000\r\n\r\n"

    assert line.answers(head) == [401]  # then the server closes the connection


def test_an_http_1_0_client_gets_no_100_continue(line):
    head = (
        POST.replace(b"1.1", b"1.0") + FORM + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    )

    assert line.answers(head + b"a=b") == [401]


def test_an_http_1_0_proxy_on_this_machine_may_not_read_metrics(line):
    requested = b"GET /metrics HTTP/1.%d\r\nConnection: close\r\n" + STOLEN_TIME + b"\r\n"

    assert [line.answers(requested % version) for version in (1, 0)] == [[200], [404]]


def test_pipelined_requests_are_bounded(line):
    statuses = line.answers(ASKED * 3000)

    assert statuses[-1] == 400
    assert 1 <= len(statuses) <= MAX_PIPELINED_REQUESTS + 2


@pytest.mark.parametrize("endless", [b"0\r\nX: ", b"3;", b"0\r\n" + b"X: y\r\n" * 9000])
def test_bytes_beside_a_body_are_bounded(chat, endless):
    """After the last chunk, or in a chunk extension, come bytes that belong to no request."""
    sent = 0
    with (
        socket.create_connection(("127.0.0.1", chat.server.port), TIMEOUT_SECONDS) as line,
        contextlib.suppress(OSError),
    ):
        line.sendall(CHUNKS + endless)
        while sent < 64 << 20:
            line.sendall(b"a" * 65536)
            sent += 65536

    assert sent < 32 << 20  # bytes in transit and in buffers do not count


# --- TLS ---


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path / "data").creates_tables()
    yield terminal
    terminal.close()


def test_unfinished_tls_handshakes_count_as_connections(terminal, tmp_path):
    certificates.write(tmp_path)
    bounds = ["--max-connections-per-address", "5", "--slow-client-seconds", "1"]
    serving = terminal.serves(*flags(tmp_path), *bounds)
    with contextlib.ExitStack() as stack:
        silent = [
            stack.enter_context(
                socket.create_connection(("127.0.0.1", serving.port), TIMEOUT_SECONDS)
            )
            for _ in range(8)
        ]

        assert [is_closed(line) for line in silent] == [True] * 8  # three at once, all soon

    eventually(lambda: "refused_address=3" in serving.output.err)
    assert answer(serving, tmp_path / "ca.pem") == 200


def is_closed(line: socket.socket) -> bool:
    with contextlib.suppress(ConnectionResetError):
        return line.recv(1) == b""
    return True
