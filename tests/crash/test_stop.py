"""SIGTERM: all parked polls are answered, and the server exits."""

from tests.crash.conftest import NewServer
from tests.crash.people import create_organization
from tests.support.databases import Databases, Kind
from tests.support.waiting import TIMEOUT_SECONDS

POLLS = 100


def test_a_stopping_server_answers_all_polls_and_exits(
    databases: Databases, new_server: NewServer, kind: Kind
):
    url, folder = databases.ready(kind)
    ana = create_organization(url, "ana")["ana"]
    server = new_server(url, folder)
    server.start()
    queue_ids = [ana.at(server.port).registers() for _ in range(POLLS)]
    polls = [ana.at(server.port).parks(queue_id) for queue_id in queue_ids]
    server.wait_for_parked_polls(POLLS)

    server.terminate()
    code = server.process.wait(TIMEOUT_SECONDS)

    responses = [poll.answer() for poll in polls]
    assert code == 0
    assert {response.status for response in responses} == {200}
    assert all(response["events"] == [] for response in responses)
