"""Load balancers with the documented configuration repeat only requests that were not done."""

import contextlib
import http.client
import json
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlencode

import pytest
from tests.crash.client import FORM, Answer, connect
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.crash.tcp_proxy import TcpProxy
from tests.support import balancers
from tests.support.databases import Databases
from tests.support.fake_webhooks import Receiver
from tests.support.ports import own_port

MAX_SENDS = 400
UNKNOWN = 2  # sends with an unknown outcome, in each test
BOTH = pytest.mark.parametrize("name", ["haproxy", "nginx"])

# Parts of requests to PostgreSQL after which the connection breaks: an action is committed by its
# own statement, a fast-path send by the statement with its text.
MOMENTS = {"action": b"COMMIT\0", "plain send": b"Unsure"}


@pytest.mark.postgres
@BOTH
@pytest.mark.parametrize("way", MOMENTS)
def test_a_send_whose_commit_is_unknown_is_not_repeated(
    databases: Databases, new_server: NewServer, tmp_path, name: str, way: str
):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana")
    proxy = TcpProxy(url)
    servers = [new_server(proxy.url, folder), new_server(url, folder)]
    for server in servers:
        server.start()
    people["ana"].at(servers[0].port).joins("kitchen")

    responses: dict[str, Answer] = {}
    with balancers.running(name, tmp_path, [server.port for server in servers]) as port:
        ana = people["ana"].at(port)
        proxy.loses_answers_to = MOMENTS[way]
        while len(unknown := outcome_unknown(responses)) < UNKNOWN:
            content = f"Unsure {len(responses)}"
            topic = content if way == "action" else "news"  # the first of a topic is an action
            fields = {"type": "channel", "to": "kitchen", "topic": topic, "content": content}
            responses[content] = posted(port, "/api/v1/messages", ana.headers, **fields)
            assert len(responses) < MAX_SENDS, "the broken connection was never met"
        proxy.loses_answers_to = None

    reader = people["ana"].at(servers[1].port)
    newest = {"anchor": "newest", "num_before": 5000, "num_after": 0, "apply_markdown": False}
    found = reader.get("/messages", **newest)["messages"]
    assert {response.status for response in responses.values()} <= {200, 500, 503}
    counts = Counter(message["content"] for message in found if message["content"] in responses)
    assert set(counts.values()) == {1}
    assert set(unknown) <= counts.keys(), "here the commit was done each time"


@pytest.mark.postgres
@pytest.mark.parametrize("way", MOMENTS)
def test_a_send_with_a_key_may_be_repeated_after_an_unknown_outcome(
    databases: Databases, new_server: NewServer, way: str
):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana")
    proxy = TcpProxy(url)
    server = new_server(proxy.url, folder)
    server.start()
    ana = people["ana"].at(server.port)
    ana.joins("kitchen")

    def send(number: int) -> Answer:
        topic = f"new {number}" if way == "action" else "news"
        fields = {"type": "channel", "to": "kitchen", "topic": topic, "content": f"Unsure {number}"}
        return ana.post("/messages", {"Idempotency-Key": f"order-{number}"}, **fields)

    number, first = 0, None
    while first is None or first.code != "OUTCOME_UNKNOWN":
        number += 1
        assert number < MAX_SENDS, "the broken connection was never met"
        ana.says("Warm", to="kitchen")  # a fast-path send follows an action
        proxy.loses_answers_to = MOMENTS[way]
        first = send(number)
        proxy.loses_answers_to = None
    again = [send(number), send(number)]

    assert first.status == 500
    assert [each.status for each in again] == [200, 200]
    assert again[0]["id"] == again[1]["id"]


class Upstream:
    """Two servers that answer `/health` with 200, and everything else as the test says."""

    def __init__(self) -> None:
        self.status = 200  # 0 closes the connection
        self.both = [Receiver(self._answer), Receiver(self._answer)]
        self.ports = [int(each.url.split(":")[2].split("/")[0]) for each in self.both]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        status = 200 if handler.path == "/health" else self.status
        if not status:
            handler.close_connection = True
            return
        handler.send_response(status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def count(self, path: str) -> int:
        return sum(each.path == path for one in self.both for each in list(one.requests))


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    yield made
    for each in made.both:
        each.close()


# What the servers receive for one POST: only a 503 is repeated on another server.
@pytest.mark.on_one
@pytest.mark.parametrize(
    ("name", "status", "is_repeated"),
    [
        ("haproxy", 503, True),
        ("haproxy", 500, False),
        ("haproxy", 502, False),
        ("haproxy", 0, False),
        ("nginx", 503, False),
        ("nginx", 500, False),
        ("nginx", 502, False),
        ("nginx", 0, False),
    ],
)
def test_which_posts_a_balancer_repeats(upstream, tmp_path, name, status, is_repeated):
    with balancers.running(name, tmp_path, upstream.ports) as port:
        upstream.status = status
        with contextlib.suppress(http.client.HTTPException, OSError):
            posted(port, "/api/v1/messages")

    assert (upstream.count("/api/v1/messages") > 1) is is_repeated


@pytest.mark.on_one
@BOTH
def test_an_unreachable_server_is_skipped(upstream, tmp_path, name):
    with balancers.running(name, tmp_path, [own_port(), *upstream.ports]) as port:
        responses = [posted(port, "/api/v1/messages").status for _ in range(6)]

    assert responses == [200] * 6
    assert upstream.count("/api/v1/messages") == 6


def outcome_unknown(answers: dict[str, Answer]) -> list[str]:
    return [each for each in answers if answers[each].code == "OUTCOME_UNKNOWN"]


def posted(port: int, path: str, headers: dict[str, str] | None = None, **params: str) -> Answer:
    """A POST in a single segment: haproxy repeats only a request that it has completely
    buffered."""
    body = urlencode(params or {"content": "Soup"})
    lines = {"Host": "localhost", "Content-Type": FORM, "Content-Length": str(len(body))}
    head = [f"{name}: {value}" for name, value in (lines | (headers or {})).items()]
    request = "\r\n".join([f"POST {path} HTTP/1.1", *head, "", body])
    with contextlib.closing(connect(port)) as connection:
        connection.connect()
        connection.sock.sendall(request.encode())
        response = http.client.HTTPResponse(connection.sock, method="POST")
        response.begin()
        content = response.read()
    is_json = response.headers.get_content_type() == "application/json"
    return Answer(response.status, "", json.loads(content) if is_json else {})
