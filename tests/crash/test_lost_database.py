"""PostgreSQL goes away and returns; the server recovers without help."""

import time

import pytest
from tests.crash.client import Answer, Client, request
from tests.crash.conftest import NewServer
from tests.crash.load import Sender
from tests.crash.people import create_organization
from tests.crash.tcp_proxy import TcpProxy
from tests.support.databases import Databases
from tests.support.waiting import TIMEOUT_SECONDS

pytestmark = pytest.mark.postgres


def test_a_lost_database_is_reported_and_the_server_recovers(
    databases: Databases, new_server: NewServer
):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana ben")
    proxy = TcpProxy(url)
    server = new_server(proxy.url, folder)
    server.start()
    ana, ben = people["ana"].at(server.port), people["ben"].at(server.port)
    ana.joins("kitchen")
    ben.joins("kitchen")
    queue_id = ben.registers()
    before = ana.says("Still there", to="kitchen")
    first = ben.polls(queue_id)["events"][0]
    poll = people["ben"].at(server.port).parks(queue_id, first["id"])
    server.wait_for_parked_polls(1)

    proxy.cut()
    refusals = [
        ana.says("Anybody?", to="kitchen"),
        ana.get("/messages", anchor="newest", num_before=10, num_after=0),
        people["ben"].at(server.port).post("/register"),
    ]
    health = request(server.port, "GET", "/health")
    proxy.restore()
    after = sends_until_delivered(ana, "Back again")

    for refused in (*refusals, health):
        assert refused.status == 503, refused
        assert refused.content_type == "application/json"
    assert {refused.code for refused in refusals} == {"SERVICE_UNAVAILABLE"}
    response = poll.answer()
    assert [event["message"]["id"] for event in response["events"]] == [after["id"]]
    history = ana.get("/messages", anchor="newest", num_before=10, num_after=0)["messages"]
    assert [message["id"] for message in history] == [before["id"], after["id"]]


def test_acknowledged_writes_survive_repeated_connection_losses(
    databases: Databases, new_server: NewServer
):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana ben")
    proxy = TcpProxy(url)
    server = new_server(proxy.url, folder)
    server.start()
    ana = people["ana"].at(server.port)
    ana.joins("kitchen")
    fields = {"type": "channel", "to": "kitchen", "topic": "lunch"}
    keyed = Sender("keyed", people["ana"].at(server.port), fields, "header")
    unkeyed = Sender("unkeyed", people["ana"].at(server.port), fields)

    for sender in (keyed, unkeyed):
        sender.start()
    for _ in range(10):
        time.sleep(0.15)
        proxy.cut()
        time.sleep(0.05)
        proxy.restore()
    sends_until_delivered(ana, "The end")
    for sender in (keyed, unkeyed):
        sender.stop()

    found = ana.get("/messages", anchor="newest", num_before=5000, num_after=0)["messages"]
    text = {message["id"]: message["content"] for message in found}
    assert len(set(text.values())) == len(text)
    for sender in (keyed, unkeyed):
        assert not sender.problems
        for content, message_id in sender.acknowledged.items():
            assert text[message_id] == f"<p>{content}</p>"


def sends_until_delivered(client: Client, content: str) -> Answer:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    response = client.says(content, to="kitchen")
    while response.is_outage and time.monotonic() < deadline:
        time.sleep(0.05)
        response = client.says(content, to="kitchen")
    assert response.status == 200, response
    return response
