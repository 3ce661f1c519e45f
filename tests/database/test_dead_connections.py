"""A database connection that is dead but not closed: the server notices and connects again."""

import time
from collections.abc import Iterator

import pytest
from tests.crash.client import Client, request
from tests.crash.tcp_proxy import TcpProxy
from tests.support.databases import Databases
from tests.support.event_queue import in_background
from tests.support.people import Chat, Person
from tests.support.server import Server
from tests.support.waiting import TIMEOUT_SECONDS, eventually

from tertulia.database import BlockingDatabase, notify_bus
from tertulia.database.dialects import postgres, postgres_async, postgres_watchdog
from tertulia.events.directory import follower
from tertulia.web import health

pytestmark = pytest.mark.postgres

MAX_HEALTH_SECONDS = 2.0
NEWEST = {"anchor": "newest", "num_before": 9, "num_after": 0}


@pytest.fixture(autouse=True)
def impatient(monkeypatch) -> None:
    monkeypatch.setattr(postgres_watchdog, "SUSPECT_SECONDS", 0.5)
    monkeypatch.setattr(postgres_watchdog, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(postgres, "CONNECT_SECONDS", 2)
    monkeypatch.setattr(postgres, "ANSWER_SECONDS", 2)
    monkeypatch.setattr(postgres_async, "MAX_ANSWER_SECONDS", 1.0)
    monkeypatch.setattr(notify_bus, "PING_SECONDS", 0.5)
    monkeypatch.setattr(follower, "LEASE_SECONDS", 2.0)
    assert health.MAX_SECONDS < MAX_HEALTH_SECONDS
    monkeypatch.setattr(health, "MAX_SECONDS", 0.2)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    url, _ = databases.ready("postgres")
    yield url
    databases.give_back(url)


@pytest.fixture
def proxy(url: str) -> TcpProxy:
    return TcpProxy(url)


@pytest.fixture
def chat(proxy: TcpProxy, tmp_path) -> Iterator[Chat]:
    """The organization at a server behind the proxy."""
    server = Server(proxy.url, tmp_path).start()
    yield Chat.found(server, "")
    proxy.thaw()
    server.stop()


@pytest.fixture
def peer(url: str, chat: Chat, tmp_path) -> Iterator[Server]:
    """Another server, with connections that stay alive."""
    server = Server(url, tmp_path, clock=chat.server.clock).start()
    yield server
    server.stop()


def client(person: Person, server: Server) -> Client:
    """The person as a client that expects outages."""
    return Client(server.port, person.email, person.key)


def test_every_dead_connection_is_replaced(chat: Chat, peer: Server, proxy: TcpProxy):
    people = chat.people("ana", "ben", channels=["kitchen"])
    ana, ben = client(people[0], chat.server), client(people[1], peer)
    eventually(lambda: ben.get("/users/me").status == 200)
    typing = ana.registers(event_types=["typing"])
    for text in ("By an action", "By a fast send"):
        assert ana.says(text, to="kitchen").status == 200

    proxy.freeze_open()
    answers = [ana.says("Hm?", to="kitchen"), ana.get("/users/me/subscriptions")]

    assert all(each.status == 200 or each.is_outage for each in answers), answers
    eventually(lambda: ana.says("Fast", to="kitchen").status == 200)
    eventually(lambda: ana.get("/messages", **NEWEST).status == 200)
    ana.joins("attic")
    eventually(lambda: hears_typing(ana, typing, people[0].id, ben))


def test_a_server_that_sends_nothing_listens_again(chat: Chat, peer: Server, proxy: TcpProxy):
    people = chat.people("ana", "ben")
    ana, ben = client(people[0], chat.server), client(people[1], peer)
    eventually(lambda: ben.get("/users/me").status == 200)
    typing = ana.registers(event_types=["typing"])

    proxy.freeze_open()

    eventually(lambda: hears_typing(ana, typing, people[0].id, ben))


def hears_typing(listener: Client, queue_id: str, listener_id: int, other: Client) -> bool:
    """Typing is notified by the connection that listens, and is stored nowhere."""
    other.post("/typing", op="start", to=[listener_id])
    answer = listener.polls(queue_id, dont_block=True)
    return answer.status == 200 and bool(answer["events"])


def test_the_leader_leads_again_after_its_connection_died(chat: Chat, proxy: TcpProxy):
    def leads() -> bool:
        text = chat.stranger.raw("GET", "/metrics").body.decode()
        return "tertulia_leader 1.0" in text

    eventually(leads)

    proxy.freeze_open()

    eventually(lambda: not leads())
    eventually(leads)


def test_health_and_writes_are_answered_while_the_database_does_not_answer(
    chat: Chat, proxy: TcpProxy
):
    person = chat.person("ana", channels=["kitchen"])
    ana = client(person, chat.server)
    assert ana.says("Before", to="kitchen").status == 200

    def health() -> int:
        began = time.monotonic()
        status = request(chat.server.port, "GET", "/health").status
        assert time.monotonic() - began < MAX_HEALTH_SECONDS
        return status

    assert health() == 200
    proxy.freeze()
    send = in_background(lambda: ana.says("Anybody?", to="kitchen"))
    eventually(lambda: health() == 503)
    refused = send.result(TIMEOUT_SECONDS)

    assert refused.is_outage, refused
    proxy.thaw()
    eventually(lambda: health() == 200)
    eventually(lambda: ana.says("Back again", to="kitchen").status == 200)


def test_a_long_statement_that_postgresql_works_on_is_not_ended(url: str):
    connection = BlockingDatabase.at(url).dialect.connect(to_serve=True)

    found = connection.execute("SELECT 'done' AS value FROM pg_sleep(2)").fetchone()

    assert found == {"value": "done"}
    connection.close()
