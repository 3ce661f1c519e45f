"""Two servers on one PostgreSQL: any of them answers for any queue, and one may die."""

import pytest
from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.support.databases import Databases

pytestmark = pytest.mark.postgres


def test_any_server_answers_for_a_queue(databases: Databases, new_server: NewServer):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana ben")
    servers = [new_server(url, folder / name) for name in ("a", "b")]
    for server in servers:
        server.start()
    ana = [people["ana"].at(server.port) for server in servers]
    ben = [people["ben"].at(server.port) for server in servers]
    ana[0].joins("kitchen")
    ben[1].joins("kitchen")

    queue_id = ben[0].registers()
    last_event_id, received, text = -1, [], []
    for turn in range(24):
        text.append(ana[turn % 2].says(f"Number {turn}", to="kitchen")["id"])
        events = ben[turn // 2 % 2].polls(queue_id, last_event_id)["events"]
        received += [event["message"]["id"] for event in events]
        last_event_id = events[-1]["id"]

    assert received == text


def test_a_message_wakes_a_poll_on_another_server_which_survives_the_first(
    databases: Databases, new_server: NewServer
):
    url, folder = databases.ready("postgres")
    people = create_organization(url, "ana ben")
    one, other = new_server(url, folder / "a"), new_server(url, folder / "b")
    one.start()
    other.start()
    ana, ben = people["ana"].at(one.port), people["ben"].at(one.port)
    ana.joins("kitchen")
    ben.joins("kitchen")
    queue_id = ben.registers()
    poll = people["ben"].at(other.port).parks(queue_id)
    other.wait_for_parked_polls(1)

    sent = ana.says("Can you hear me over there?", to="kitchen")
    response = poll.answer()
    one.kill()
    poll = people["ben"].at(other.port).parks(queue_id, response["events"][-1]["id"])
    later = people["ana"].at(other.port).says("Now they are gone", to="kitchen")

    assert [event["message"]["id"] for event in response["events"]] == [sent["id"]]
    assert [event["message"]["id"] for event in poll.answer()["events"]] == [later["id"]]
